import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { checkSync, runFirstSync } from '../../tools/bench/load/first-sync.js';
import { checkFixture, type FixtureInput, FIXTURES } from '../../tools/bench/load/fixtures.js';
import { attempt } from '../../tools/bench/load/send-checked.js';

interface Patch {
  readonly Operations: readonly [
    { readonly op: 'add' | 'remove'; readonly value: readonly { readonly value: string }[] },
  ];
}

/** A server that stores groups, but ignores one kind of change if `ignored` is set. */
const groups = new Map<string, { displayName: string; members: Set<string> }>();
let users = 0;
let patches = 0;
let ignored: 'nothing' | 'add' | 'remove' = 'nothing';

const respond = (method: string, path: string, body: string): readonly [number, object?] => {
  const [, type, id = ''] = path.split(/[/?]/);
  if (type === 'Users' && method === 'GET') return [200, { totalResults: users, Resources: [{}] }];
  if (type === 'Users') return [201, { ...(JSON.parse(body) as object), id: `u${(users += 1)}` }];
  if (method === 'POST') {
    const { displayName } = JSON.parse(body) as { displayName: string };
    groups.set(`g${groups.size + 1}`, { displayName, members: new Set() });
    return [201, { id: `g${groups.size}`, displayName }];
  }
  const group = groups.get(id);
  if (method === 'PATCH') return [change(JSON.parse(body) as Patch, group?.members)];
  const members = [...(group?.members ?? [])].map((value) => ({ value }));
  return [200, { id, displayName: group?.displayName, members }];
};

const change = ({ Operations: [{ op, value }] }: Patch, members = new Set<string>()): number => {
  patches += 1;
  for (const { value: id } of op === ignored ? [] : value) {
    if (op === 'add') members.add(id);
    else members.delete(id);
  }
  return 204;
};

const textOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
};

const server = createServer((request, response) => {
  void textOf(request).then((text) => {
    const [status, body] = respond(request.method ?? '', request.url ?? '', text);
    response.writeHead(status).end(body && JSON.stringify(body));
  });
});

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
beforeEach(() => {
  groups.clear();
  users = 0;
  patches = 0;
  ignored = 'nothing';
});
afterAll(() => void server.close());

const clients = () => {
  const { port } = server.address() as AddressInfo;
  return { target: { origin: `http://127.0.0.1:${port}`, base: '', headers: {} }, clients: 3 };
};

const inputWith = (known: number): FixtureInput => ({
  ...clients(),
  users: Array.from({ length: known }, (_, index) => ({ id: `k${index}`, userName: `k${index}` })),
});

describe('the fixtures of the benchmark', () => {
  it('put each user in one department of a hundred, and count the events', async () => {
    const { fixture, events } = await FIXTURES.departments(inputWith(250));
    expect(fixture.groups.map(({ memberIds }) => memberIds.length)).toEqual([100, 100, 50]);
    expect(new Set(fixture.groups.flatMap(({ memberIds }) => memberIds)).size).toBe(250);
    expect(events).toBe(253);
    expect(await checkFixture(clients(), fixture)).toBe(0);
  });

  it('create users if there are too few for a team and its joiners', async () => {
    const { fixture, events } = await FIXTURES.teamOf10(inputWith(30));
    expect([users, events]).toEqual([44, 44 + 1 + 10]);
    expect(fixture.joiners).toHaveLength(64);
    expect(fixture.groups[0]?.memberIds).not.toContain(fixture.joiners[0]?.id);
    expect(await checkFixture(clients(), fixture)).toBe(2);
  });

  it.each([
    ['add', 'the number of members is 10, not 11'],
    ['remove', 'the number of members is 11, not 10'],
  ] as const)('detect a server that responds with 204 but does not %s', async (op, why) => {
    const { fixture } = await FIXTURES.teamOf10(inputWith(100));
    ignored = op;
    expect((await attempt(checkFixture(clients(), fixture))).wrong?.why).toBe(why);
  });
});

describe('a first sync', () => {
  const plan = { users: 200, usersInGroup: 100 };

  it('creates users, then groups, and adds members in PATCHes of twenty', async () => {
    const synced = await runFirstSync(clients(), plan);
    expect([users, groups.size, patches]).toEqual([200, 2, 10]);
    expect(synced).toMatchObject({ requests: 212, events: 402 });
    expect(await attempt(checkSync(clients(), 200, synced.groups))).toEqual({ result: undefined });
  });

  it('detects a missing user and a missing member', async () => {
    const { groups: created } = await runFirstSync(clients(), plan);
    expect((await attempt(checkSync(clients(), 201, created))).wrong?.why).toMatch(
      /is 200, not 201/,
    );
    groups.get('g2')?.members.delete('u150');
    expect((await attempt(checkSync(clients(), 200, created))).wrong?.why).toMatch(/members is 99/);
  });
});
