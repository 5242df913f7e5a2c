import { afterEach, describe, expect, it } from 'vitest';
import fixture from '../../connectors/google/fixtures/users.json' with { type: 'json' };
import google from '../../connectors/google/index.js';
import { ConnectorWorld } from '../support/connector-world.js';
import { googleLimit, type SeededUser, startGoogle } from './google-server.js';
import { recordsOf, startSource } from './start-source.js';

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const start = async (users: readonly SeededUser[] = fixture, more: object = {}) => {
  const server = await startGoogle(users);
  const source = await startSource(google, { ...server.configured, ...more });
  stops.push(source.stop, server.stop);
  return { server, source };
};

const many = (count: number): SeededUser[] =>
  Array.from({ length: count }, (_, at) => ({
    id: String(200_000 + at),
    primaryEmail: `u${String(at).padStart(5, '0')}@example.com`,
    suspended: false,
  }));

const [ADA, GRACE, ALAN, ANNIE] = ['100001', '100002', '100003', '100004'] as const;
const signal = new AbortController().signal;
const user = (id: string) => ({ id, type: 'USER' });
const GROUPS = [
  { id: 'g1', email: 'dispatch@example.com', members: [user(ADA), { id: 'g2', type: 'GROUP' }] },
  { id: 'g2', email: 'night@example.com', members: [user(GRACE), { type: 'EXTERNAL' }] },
  { id: 'g3', email: 'all@example.com', members: [{ id: 'C01', type: 'CUSTOMER' }] },
];

describe('a read', () => {
  it('yields users with the primary organization, the employee id and the manager', async () => {
    const { source } = await start();
    const records = recordsOf(await source.readAll());
    expect([...records.keys()].toSorted()).toEqual([ADA, GRACE, ALAN, ANNIE]);
    expect(records.get(ADA)).toEqual({
      id: ADA,
      email: 'Ada.Lovelace@example.com',
      givenName: 'Ada',
      familyName: 'Lovelace',
      displayName: 'Ada Lovelace',
      status: 'active',
      employeeId: 'E-1',
      title: 'Dispatcher',
      department: 'Operations',
      costCenter: '4711',
      workPhone: null,
      mobilePhone: '+491701234567',
      managerEmail: 'Grace.Hopper@example.com',
      orgUnitPath: '/Operations',
      aliases: ['ada@example.com'],
      custom: { Badge: { number: 'B-17' } },
    });
  });

  it('distinguishes suspended and archived users, which are both inactive', async () => {
    const { source } = await start();
    const records = recordsOf(await source.readAll());
    expect(records.get(ALAN)).toMatchObject({ status: 'suspended' });
    expect(records.get(ANNIE)).toMatchObject({ status: 'archived' });
    expect(google.lifecycle?.status?.inactive).toEqual(['suspended', 'archived']);
  });

  it('signs in as the administrator, with the scopes that it needs and no others', async () => {
    const { source, server } = await start();
    await source.readAll();
    expect(server.seen.claims).toMatchObject({
      iss: 'rollgate@project.iam.example.com',
      sub: 'admin@example.com',
      aud: `${server.url}/token`,
      scope: 'https://www.googleapis.com/auth/admin.directory.user.readonly',
    });
    expect(server.tokens.size).toBe(1);
  });

  it('follows an empty page with a token of the next one', async () => {
    const { source, server } = await start(many(20));
    server.settings.emptyPages.add(1).add(3);
    expect(recordsOf(await source.readAll({ pageSize: 8 })).size).toBe(20);
  });

  it('does not complete if a page token has expired, and reads from the start next time', async () => {
    const { source, server } = await start(many(20));
    server.settings.areTokensExpired = true;
    await expect(source.readAll({ pageSize: 8 })).rejects.toMatchObject({
      kind: 'network',
      message: expect.stringContaining('reads from the start') as string,
    });
    server.settings.areTokensExpired = false;
    expect(recordsOf(await source.readAll({ pageSize: 8 })).size).toBe(20);
  });

  it('does not take a user for active whose state it may not see', async () => {
    const { source } = await start([{ id: '1', primaryEmail: 'a@example.com' }]);
    await expect(source.readAll()).rejects.toMatchObject({ kind: 'schema' });
  });

  it('picks single users, suspended ones too', async () => {
    const { source } = await start();
    expect(await source.readAll({ ids: [ALAN, '1'] })).toMatchObject([
      { type: 'record', id: ALAN, data: { status: 'suspended' } },
      { type: 'recordError', id: '1' },
      { type: 'complete' },
    ]);
  });
});

describe('limits of requests', () => {
  it.each(['rateLimitExceeded', 'userRateLimitExceeded', 'quotaExceeded'])(
    'waits longer and longer after 403 %s',
    async (reason) => {
      const { source, server } = await start();
      await source.readAll();
      server.interrupt(googleLimit(reason), googleLimit(reason), googleLimit(reason));
      expect(recordsOf(await source.readAll()).size).toBe(4);
      expect(source.clock.pauses).toEqual([1_000, 2_000, 4_000]);
    },
  );

  it('gives up after six attempts', async () => {
    const { source, server } = await start();
    server.always(/users/, googleLimit('quotaExceeded'));
    await expect(source.readAll()).rejects.toMatchObject({ kind: 'rate-limit' });
    expect(server.requests.filter(({ path }) => path.endsWith('/users'))).toHaveLength(6);
  });

  it('does not repeat another 403', async () => {
    const { source, server } = await start();
    server.always(/users/, googleLimit('forbidden'));
    await expect(source.readAll()).rejects.toMatchObject({ kind: 'permission' });
    expect(source.clock.pauses).toEqual([]);
  });
});

describe('groups', () => {
  const groupsOf = async (groups: object) => {
    const { source, server } = await start(fixture, { groups });
    server.settings.groups = GROUPS;
    const records = recordsOf(await source.readAll());
    return Object.fromEntries(
      [...records].map(([id, record]) => [id, (record as { groups: unknown }).groups]),
    );
  };

  it('lists the selected groups of a user, by nested groups too', async () => {
    expect(await groupsOf({ names: ['Dispatch@example.com'] })).toEqual({
      [ADA]: ['dispatch@example.com'],
      [GRACE]: ['dispatch@example.com'],
      [ALAN]: [],
      [ANNIE]: [],
    });
    expect(await groupsOf({ prefix: 'night' })).toMatchObject({
      [ADA]: [],
      [GRACE]: ['night@example.com'],
    });
  });

  it('counts all users as members of a group that contains the whole customer', async () => {
    expect(await groupsOf({ names: ['all@example.com', 'night@example.com'] })).toMatchObject({
      [ADA]: ['all@example.com'],
      [GRACE]: ['all@example.com', 'night@example.com'],
    });
  });

  it('does not read without a group of the settings: its members would leave the room', async () => {
    await expect(groupsOf({ names: ['gone@example.com'] })).rejects.toMatchObject({
      kind: 'config',
      message: expect.stringContaining('gone@example.com') as string,
    });
  });

  it('reads members that are spread over pages, and none if a page is cut', async () => {
    const { source, server } = await start(many(450), { groups: { names: ['big@example.com'] } });
    const members = server.settings.users.slice(0, 401).map(({ id }) => user(id));
    server.settings.groups = [{ id: 'g9', email: 'big@example.com', members }];
    const records = [...recordsOf(await source.readAll()).values()] as { groups: string[] }[];
    expect(records.filter(({ groups }) => groups.length === 1)).toHaveLength(401);
    server.always(/members/, { body: '{"kind": "admin#directory#members", "members": [{"id": "' });
    await expect(source.readAll()).rejects.toMatchObject({ kind: 'schema' });
  });
});

describe('runs', () => {
  const employed = async (
    users: readonly SeededUser[],
    options: object = {},
    more: object = {},
  ) => {
    const { source, server } = await start(users, more);
    server.settings.groups = GROUPS;
    const world = new ConnectorWorld({ ...options }, google);
    world.opened = source;
    expect(await world.run()).toMatchObject({ state: 'done', counts: { failed: 0 } });
    return { server, world };
  };

  it('follow a renamed user by id, and their manager by e-mail address', async () => {
    const { server, world } = await employed(fixture);
    const [ada, ...others] = fixture;
    const before = world.user('ada.lovelace@example.com');
    expect(before?.profile.enterprise?.['manager']).toMatchObject({
      value: world.user('grace.hopper@example.com')?.id,
    });
    server.settings.users = [{ ...ada!, primaryEmail: 'ada.king@example.com' }, ...others];
    expect(await world.run()).toMatchObject({ state: 'done' });
    expect(world.user('ada.king@example.com')?.id).toBe(before?.id);
    expect(world.active()).toEqual(['ada.king@example.com', 'grace.hopper@example.com']);
  });
});

describe('the check', () => {
  it.each([
    ['another administrator', { administrator: 'someone@example.com' }, 'auth', 'delegate'],
    ['a group that does not exist', { groups: { names: ['a@b.c'] } }, 'config', 'no group a@b.c'],
    ['a key that is none', { serviceAccountKey: '{"a": 1}' }, 'config', 'client_email'],
    [
      'a private key that is none',
      { serviceAccountKey: '{"client_email": "a", "private_key": "b"}' },
      'config',
      'PEM',
    ],
  ])('reports %s', async (_, more, kind, part) => {
    const { source, server } = await start(fixture, more);
    expect(await source.check(signal)).toMatchObject({
      ok: false,
      kind,
      message: expect.stringContaining(part) as string,
    });
    expect(server.requests.filter(({ path }) => path === '/token').length).toBeLessThanOrEqual(1);
  });
});
