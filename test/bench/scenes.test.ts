import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { tried } from '../../bench/load/ask.js';
import { checkSync, syncFirst } from '../../bench/load/first-sync.js';
import { checkScene, SCENES, type Site } from '../../bench/load/scenes.js';

interface Patch {
  readonly Operations: readonly [
    { readonly op: 'add' | 'remove'; readonly value: readonly { readonly value: string }[] },
  ];
}

/** A directory of groups that does what it is told, unless it is told to forget. */
const groups = new Map<string, { displayName: string; members: Set<string> }>();
let users = 0;
let patches = 0;
let forgets: 'nothing' | 'add' | 'remove' = 'nothing';

const answerTo = (method: string, path: string, body: string): readonly [number, object?] => {
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
  for (const { value: id } of op === forgets ? [] : value) {
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
    const [status, body] = answerTo(request.method ?? '', request.url ?? '', text);
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
  forgets = 'nothing';
});
afterAll(() => void server.close());

const crew = () => {
  const { port } = server.address() as AddressInfo;
  return { target: { origin: `http://127.0.0.1:${port}`, base: '', headers: {} }, clients: 3 };
};

const siteOf = (known: number): Site => ({
  ...crew(),
  users: Array.from({ length: known }, (_, index) => ({ id: `k${index}`, userName: `k${index}` })),
});

describe('the scenes of the benchmark', () => {
  it('put each user in one department of a hundred, and tell their events', async () => {
    const { scene, events } = await SCENES.departments(siteOf(250));
    expect(scene.groups.map(({ memberIds }) => memberIds.length)).toEqual([100, 100, 50]);
    expect(new Set(scene.groups.flatMap(({ memberIds }) => memberIds)).size).toBe(250);
    expect(events).toBe(253);
    expect(await checkScene(crew(), scene)).toBe(0);
  });

  it('make the users that a team and those who join it lack', async () => {
    const { scene, events } = await SCENES.teamOf10(siteOf(30));
    expect([users, events]).toEqual([44, 44 + 1 + 10]);
    expect(scene.joiners).toHaveLength(64);
    expect(scene.groups[0]?.memberIds).not.toContain(scene.joiners[0]?.id);
    expect(await checkScene(crew(), scene)).toBe(2);
  });

  it.each([
    ['add', 'the number of members is 10, not 11'],
    ['remove', 'the number of members is 11, not 10'],
  ] as const)('catch a server that answers 204 and does not %s', async (op, why) => {
    const { scene } = await SCENES.teamOf10(siteOf(100));
    forgets = op;
    expect((await tried(checkScene(crew(), scene))).wrong?.why).toBe(why);
  });
});

describe('a first sync', () => {
  const plan = { users: 200, usersInGroup: 100 };

  it('makes users, then groups, filled by PATCHes of twenty', async () => {
    const synced = await syncFirst(crew(), plan);
    expect([users, groups.size, patches]).toEqual([200, 2, 10]);
    expect(synced).toMatchObject({ requests: 212, events: 402 });
    expect(await tried(checkSync(crew(), 200, synced.groups))).toEqual({ result: undefined });
  });

  it('is wrong where a user is lacking, or a member', async () => {
    const { groups: made } = await syncFirst(crew(), plan);
    expect((await tried(checkSync(crew(), 201, made))).wrong?.why).toMatch(/is 200, not 201/);
    groups.get('g2')?.members.delete('u150');
    expect((await tried(checkSync(crew(), 200, made))).wrong?.why).toMatch(/members is 99/);
  });
});
