import { afterEach, describe, expect, it } from 'vitest';
import fixture from '../../connectors/entra/fixtures/users.json' with { type: 'json' };
import entra from '../../connectors/entra/index.js';
import type { JsonValue, ReadMessage } from '../../src/plugin/api.js';
import { type EntraUser, GONE, startEntra, SYNC_STATE_NOT_FOUND } from './entra-server.js';
import { recordsOf, startSource } from './start-source.js';

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const start = async (users: readonly EntraUser[] = fixture, more: object = {}) => {
  const server = await startEntra(users);
  const source = await startSource(entra, { ...server.configured, ...more });
  stops.push(source.stop, server.stop);
  return { server, source };
};

const idOf = (at: number): string => `10000000-0000-4000-8000-${String(at).padStart(12, '0')}`;
const many = (count: number): EntraUser[] =>
  Array.from({ length: count }, (_, at) => ({
    id: idOf(at),
    userPrincipalName: `u${at}@example.com`,
    accountEnabled: true,
  }));

const [ada, grace, alan, guest] = fixture as EntraUser[] as [
  EntraUser,
  EntraUser,
  EntraUser,
  EntraUser,
];
const signal = new AbortController().signal;

const cursorOf = (messages: readonly ReadMessage[]): JsonValue => {
  const last = messages.at(-1);
  if (last?.type !== 'complete') throw new Error('The read is not complete.');
  return last.cursor;
};

const of = (type: ReadMessage['type'], messages: readonly ReadMessage[]) =>
  messages.flatMap((message) =>
    message.type === type && 'id' in message ? [message.id ?? ''] : [],
  );

describe('a full read', () => {
  it('yields members with their manager, and no guests', async () => {
    const { source } = await start();
    const records = recordsOf(await source.readAll());
    expect([...records.keys()]).toEqual([ada.id, grace.id, alan.id]);
    expect(records.get(ada.id)).toMatchObject({
      userPrincipalName: 'Ada.Lovelace@example.com',
      accountStatus: 'enabled',
      managerId: grace.id,
      employeeId: 'E-1',
      businessPhones: ['+49301234567'],
    });
    expect(records.get(alan.id)).toMatchObject({ accountStatus: 'disabled', managerId: null });
  });

  it('yields guests, and further properties, if the settings say so', async () => {
    const users = [{ ...ada, city: 'Berlin' }, guest];
    const { source } = await start(users, { guests: true, properties: ['city'] });
    const records = recordsOf(await source.readAll());
    expect(records.get(guest.id)).toMatchObject({ userType: 'Guest' });
    expect(records.get(ada.id)).toMatchObject({ city: 'Berlin' });
  });

  it('takes no user for enabled or disabled whose state the app may not see', async () => {
    const { source, server } = await start();
    server.settings.hidden.add('accountEnabled');
    await expect(source.readAll()).rejects.toMatchObject({ kind: 'permission' });
    expect(await source.check(signal)).toMatchObject({ ok: false, kind: 'permission' });
  });

  it('misses no change that happens while it reads', async () => {
    const { source, server } = await start(many(20));
    let pages = 0;
    server.settings.beforePage = () => {
      pages += 1;
      if (pages !== 2) return;
      server.put({ ...many(1)[0]!, accountEnabled: false }, ['accountEnabled']);
      server.remove(idOf(19));
    };
    const messages = await source.readAll({ pageSize: 8 });
    expect(recordsOf(messages).get(idOf(0))).toMatchObject({ accountStatus: 'enabled' });
    const delta = await source.readAll({ mode: 'delta', cursor: cursorOf(messages) });
    expect(recordsOf(delta).get(idOf(0))).toMatchObject({ accountStatus: 'disabled' });
    expect(of('tombstone', delta)).toEqual([idOf(19)]);
  });

  it.each([
    ['410', GONE],
    ['syncStateNotFound', SYNC_STATE_NOT_FOUND],
  ])('does not complete if a next link has expired (%s)', async (_, refusal) => {
    const { source, server } = await start(many(20));
    server.settings.refusal = refusal;
    await expect(source.readAll({ pageSize: 8 })).rejects.toMatchObject({
      kind: 'network',
      message: expect.stringContaining('reads from the start') as string,
    });
    server.settings.refusal = undefined;
    expect(recordsOf(await source.readAll({ pageSize: 8 })).size).toBe(20);
  });

  it('sends its token to no other host, whatever a link says', async () => {
    const { source, server } = await start(many(20));
    server.settings.linkOrigin = 'http://127.0.0.2:9';
    await expect(source.readAll({ pageSize: 8 })).rejects.toMatchObject({ kind: 'schema' });
  });

  it('picks single users', async () => {
    const { source } = await start();
    expect(await source.readAll({ ids: [grace.id, idOf(9), "x' or '1"] })).toMatchObject([
      { type: 'record', id: grace.id },
      { type: 'recordError', id: idOf(9) },
      { type: 'recordError', id: "x' or '1" },
      { type: 'complete' },
    ]);
  });
});

describe('a delta', () => {
  const afterFull = async (users: readonly EntraUser[] = fixture, more: object = {}) => {
    const { source, server } = await start(users, more);
    const cursor = cursorOf(await source.readAll());
    return { source, server, delta: () => source.readAll({ mode: 'delta', cursor }) };
  };

  it('yields the whole record of a user of whom one property has changed', async () => {
    const { server, delta } = await afterFull();
    server.put({ ...ada, userPrincipalName: 'ada.king@example.com' }, ['userPrincipalName']);
    const messages = await delta();
    expect(recordsOf(messages).get(ada.id)).toMatchObject({
      userPrincipalName: 'ada.king@example.com',
      jobTitle: 'Dispatcher',
      managerId: grace.id,
    });
    expect(of('record', messages)).toEqual([ada.id]);
  });

  it.each(['changed', 'deleted'])('yields a tombstone for a removed user (%s)', async (reason) => {
    const { server, delta } = await afterFull();
    server.remove(grace.id, reason);
    const messages = await delta();
    expect(of('tombstone', messages)).toEqual([grace.id]);
    expect(of('record', messages)).toEqual([]);
  });

  it('yields a user once who comes repeatedly, over empty pages with a next link', async () => {
    const { server, delta } = await afterFull(many(40));
    for (const user of many(40)) server.put({ ...user, jobTitle: 'Medic' }, ['jobTitle']);
    for (const { id } of many(40)) server.replay({ id });
    const messages = await delta();
    expect(recordsOf(messages).size).toBe(40);
    expect(of('tombstone', messages)).toEqual([]);
  });

  it('deletes no one who was restored, in whatever order the removal comes', async () => {
    const { server, delta } = await afterFull();
    server.replay({ id: ada.id });
    server.replay({ id: ada.id, '@removed': { reason: 'changed' } });
    server.replay({ id: grace.id, '@removed': { reason: 'changed' } });
    server.replay({ id: grace.id });
    const messages = await delta();
    expect(of('tombstone', messages)).toEqual([]);
    expect(of('record', messages)).toEqual([ada.id, grace.id]);
  });

  it.each([
    ['410', GONE],
    ['syncStateNotFound', SYNC_STATE_NOT_FOUND],
  ])('reads everybody if its link has expired (%s)', async (_, refusal) => {
    const { source, server, delta } = await afterFull(many(20));
    server.remove(idOf(3));
    server.settings.refusal = refusal;
    const messages = await delta();
    expect(recordsOf(messages).size).toBe(19);
    expect(of('tombstone', messages)).toEqual([]);
    server.settings.refusal = undefined;
    const next = await source.readAll({ mode: 'delta', cursor: cursorOf(messages) });
    expect(of('record', next)).toEqual([]);
  });

  it('does not complete if a page of it is cut', async () => {
    const { server, delta } = await afterFull();
    server.put({ ...ada, jobTitle: 'Medic' }, ['jobTitle']);
    server.always(/delta/, { body: '{"value": [{"id": "' });
    await expect(delta()).rejects.toMatchObject({ kind: 'schema' });
  });
});

describe('groups', () => {
  const GROUPS = [
    { id: 'g1', displayName: 'Dispatch', members: [ada.id, 'g2'] },
    { id: 'g2', displayName: 'Night', members: [grace.id, 'device-1'] },
  ];
  const grouped = async (names: readonly string[]) => {
    const { source, server } = await start(fixture, { groups: { names } });
    server.settings.groups = GROUPS;
    return { source, server };
  };

  it('lists the selected groups of a user, by nested groups too', async () => {
    const { source } = await grouped(['dispatch']);
    const records = recordsOf(await source.readAll());
    expect(records.get(ada.id)).toMatchObject({ groups: ['Dispatch'] });
    expect(records.get(grace.id)).toMatchObject({ groups: ['Dispatch'] });
    expect(records.get(alan.id)).toMatchObject({ groups: [] });
  });

  it('reads everybody and who was removed in a delta if a member has left', async () => {
    const { source, server } = await grouped(['Dispatch']);
    const cursor = cursorOf(await source.readAll());
    expect(of('record', await source.readAll({ mode: 'delta', cursor }))).toEqual([]);
    server.settings.groups = [{ ...GROUPS[0]!, members: ['g2'] }, GROUPS[1]!];
    server.remove(alan.id);
    const delta = await source.readAll({ mode: 'delta', cursor });
    expect(recordsOf(delta).get(ada.id)).toMatchObject({ groups: [] });
    expect(of('record', delta)).toEqual([ada.id, grace.id]);
    expect(of('tombstone', delta)).toEqual([alan.id]);
  });

  it('refuses a name that two groups have, which anyone may create', async () => {
    const { source, server } = await grouped(['Dispatch']);
    server.settings.groups = [...GROUPS, { id: 'g9', displayName: 'dispatch', members: [alan.id] }];
    await expect(source.readAll()).rejects.toMatchObject({
      kind: 'config',
      message: expect.stringContaining('several groups') as string,
    });
  });
});

it('names the code of a refused sign-in, and not the secret', async () => {
  const { source } = await start(fixture, { clientSecret: 'another-secret' });
  const result = await source.check(signal);
  expect(result).toMatchObject({
    kind: 'auth',
    message: expect.stringContaining('AADSTS7000215') as string,
  });
  expect(JSON.stringify([result, source.log])).not.toContain('another-secret');
});
