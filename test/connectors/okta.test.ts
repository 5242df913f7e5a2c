import { afterEach, describe, expect, it } from 'vitest';
import fixture from '../../connectors/okta/fixtures/users.json' with { type: 'json' };
import okta from '../../connectors/okta/index.js';
import type { JsonValue, ReadMessage } from '../../src/plugin/api.js';
import { type OktaUser, startOkta } from './okta-server.js';
import { recordsOf, startSource } from './start-source.js';
import { tooMany } from './vendor-server.js';

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const start = async (users: readonly OktaUser[] = fixture, more: object = {}) => {
  const server = await startOkta(users);
  const source = await startSource(okta, { ...server.configured, ...more });
  stops.push(source.stop, server.stop);
  return { server, source };
};

const many = (count: number): OktaUser[] =>
  Array.from({ length: count }, (_, at) => ({
    id: `00u${1_000 + at}`,
    status: 'ACTIVE',
    statusChanged: '2024-01-01T00:00:00.000Z',
    lastUpdated: '2026-01-01T00:00:00.000Z',
    profile: { login: `u${at}@example.com` },
  }));

const [ada, grace, alan] = fixture as OktaUser[] as [OktaUser, OktaUser, OktaUser];
const signal = new AbortController().signal;
const NOW = '2026-11-22T12:01:00.000Z';

const cursorOf = (messages: readonly ReadMessage[]): JsonValue => {
  const last = messages.at(-1);
  if (last?.type !== 'complete') throw new Error('The read is not complete.');
  return last.cursor;
};

const idsOf = (messages: readonly ReadMessage[]) =>
  messages.flatMap((message) => (message.type === 'record' ? [message.id] : []));

describe('a full read', () => {
  it('yields users of all statuses, deprovisioned ones from a search', async () => {
    const { source, server } = await start();
    const records = recordsOf(await source.readAll());
    expect([...records.keys()]).toEqual(['00u1', '00u2', '00u3', '00u5', '00u4']);
    expect([...records.values()]).toMatchObject([
      { status: 'ACTIVE', state: 'active', profile: { badge: 'B-17' } },
      { status: 'PASSWORD_EXPIRED', state: 'active' },
      { status: 'SUSPENDED', state: 'inactive' },
      { status: 'STAGED', state: 'inactive' },
      { status: 'DEPROVISIONED', state: 'inactive' },
    ]);
    expect(server.requests.map(({ query }) => query.get('search'))).toEqual([
      null,
      'status eq "DEPROVISIONED"',
    ]);
  });

  it('takes the statuses of the settings for active', async () => {
    const { source } = await start(fixture, { activeStatuses: ['ACTIVE', 'SUSPENDED'] });
    const records = recordsOf(await source.readAll());
    expect(records.get('00u2')).toMatchObject({ state: 'inactive' });
    expect(records.get('00u3')).toMatchObject({ state: 'active' });
  });

  it('reads a user once who is deprovisioned after they were listed', async () => {
    const { source, server } = await start();
    server.settings.beforePage = ({ query }) => {
      if (query.has('search'))
        server.settings.users = [
          { ...ada, status: 'DEPROVISIONED', statusChanged: NOW, lastUpdated: NOW },
          ...fixture.slice(1),
        ];
    };
    const messages = await source.readAll();
    expect(recordsOf(messages).get('00u1')).toMatchObject({ state: 'active' });
    const delta = await source.readAll({ mode: 'delta', cursor: cursorOf(messages) });
    expect(recordsOf(delta).get('00u1')).toMatchObject({ state: 'inactive' });
  });

  it('follows links unchanged, also of empty pages', async () => {
    const { source, server } = await start(many(20));
    server.settings.emptyPages.add(1).add(3);
    expect(recordsOf(await source.readAll({ pageSize: 8 })).size).toBe(20);
  });

  it('sends its credentials to no other host, whatever a link says', async () => {
    const { source, server } = await start(many(20));
    server.settings.linkOrigin = 'http://127.0.0.2:9';
    await expect(source.readAll({ pageSize: 8 })).rejects.toMatchObject({
      kind: 'schema',
      message: 'Okta named a next page on another host.',
    });
  });

  it('does not complete if a link has expired, and reads from the start next time', async () => {
    const { source, server } = await start(many(20));
    server.settings.areLinksExpired = true;
    await expect(source.readAll({ pageSize: 8 })).rejects.toMatchObject({
      kind: 'network',
      message: expect.stringContaining('reads from the start') as string,
    });
    server.settings.areLinksExpired = false;
    expect(recordsOf(await source.readAll({ pageSize: 8 })).size).toBe(20);
  });

  it('picks single users, deprovisioned ones too', async () => {
    const { source } = await start();
    expect(await source.readAll({ ids: ['00u4', '00u9'] })).toMatchObject([
      { type: 'record', id: '00u4', data: { status: 'DEPROVISIONED' } },
      { type: 'recordError', id: '00u9' },
      { type: 'complete' },
    ]);
  });
});

describe('a delta', () => {
  it('yields who has changed since the start of the last read, deprovisioned users too', async () => {
    const { source, server } = await start();
    const cursor = cursorOf(await source.readAll());
    expect(cursor).toEqual({ since: '2026-11-22T11:55:00.000Z', groups: '' });
    server.settings.users = [
      { ...ada, lastUpdated: NOW, profile: { ...ada.profile, login: 'ada.king@example.com' } },
      { ...grace, lastUpdated: NOW, status: 'DEPROVISIONED', statusChanged: NOW },
      alan,
    ];
    const messages = await source.readAll({ mode: 'delta', cursor });
    expect(recordsOf(messages).get('00u1')).toMatchObject({
      profile: { login: 'ada.king@example.com' },
    });
    expect(recordsOf(messages).get('00u2')).toMatchObject({ state: 'inactive' });
    // Alan is unchanged, and those who are gone from the list are not deleted.
    expect(messages.map(({ type }) => type)).toEqual(['record', 'record', 'complete']);
  });

  it('starts earlier if the clock of Okta is behind', async () => {
    const { source, server } = await start();
    server.settings.now = '2026-11-22T11:30:00Z';
    expect(cursorOf(await source.readAll())).toMatchObject({ since: '2026-11-22T11:25:00.000Z' });
  });
});

describe('groups', () => {
  const grouped = async () => {
    const { source, server } = await start(fixture, { groups: { names: ['dispatch'] } });
    server.settings.groups = [
      { id: '00g1', name: 'Dispatch', members: ['00u1', '00u2'] },
      { id: '00g2', name: 'Other', members: ['00u1', '00u3'] },
    ];
    return { source, server };
  };

  it('lists the selected groups of a user', async () => {
    const { source } = await grouped();
    const records = recordsOf(await source.readAll());
    expect(records.get('00u1')).toMatchObject({ groups: ['Dispatch'] });
    expect(records.get('00u3')).toMatchObject({ groups: [] });
  });

  it('reads everybody in a delta if a member has left, and only then', async () => {
    const { source, server } = await grouped();
    const cursor = cursorOf(await source.readAll());
    expect(idsOf(await source.readAll({ mode: 'delta', cursor }))).toEqual([]);
    server.settings.groups = [{ id: '00g1', name: 'Dispatch', members: ['00u2'] }];
    const delta = await source.readAll({ mode: 'delta', cursor });
    expect(recordsOf(delta).get('00u1')).toMatchObject({ groups: [] });
    expect(idsOf(delta)).toHaveLength(5);
    expect(idsOf(await source.readAll({ mode: 'delta', cursor: cursorOf(delta) }))).toEqual([]);
  });

  it('notices after a crash that a group has changed since', async () => {
    const { source, server } = await grouped();
    const before = await source.readAll({ pageSize: 2 });
    const checkpoint = before.find(({ type }) => type === 'checkpoint');
    server.settings.groups = [{ id: '00g1', name: 'Dispatch', members: [] }];
    const request = { pageSize: 2, isResumed: true };
    const rest = await source.readAll({
      ...request,
      cursor: checkpoint?.type === 'checkpoint' ? checkpoint.cursor : null,
    });
    const delta = await source.readAll({ mode: 'delta', cursor: cursorOf(rest) });
    expect(recordsOf(delta).get('00u1')).toMatchObject({ groups: [] });
  });

  it('does not read without a group of the settings', async () => {
    const { source, server } = await grouped();
    server.settings.groups = [];
    await expect(source.readAll()).rejects.toMatchObject({ kind: 'config' });
  });
});

it('waits until X-Rate-Limit-Reset, and without it too', async () => {
  const { source, server } = await start();
  const reset = String(Date.parse('2026-11-22T12:00:42Z') / 1_000);
  server.interrupt(
    tooMany({ 'x-rate-limit-remaining': '0', 'x-rate-limit-reset': reset }),
    tooMany(),
  );
  expect(recordsOf(await source.readAll()).size).toBe(5);
  expect(source.clock.pauses[0]).toBe(42_000);
});

it('signs in as an app with its private key', async () => {
  const server = await startOkta(fixture);
  const { clientId, privateKey } = server.settings;
  const source = await startSource(okta, { orgUrl: server.url, clientId, privateKey });
  const wrong = await startSource(okta, { orgUrl: server.url, clientId: 'other', privateKey });
  stops.push(source.stop, wrong.stop, server.stop);
  expect(recordsOf(await source.readAll()).size).toBe(5);
  expect(server.requests[1]?.headers.authorization).toBe('Bearer okta-access-1');
  expect(await wrong.check(signal)).toMatchObject({ ok: false, kind: 'auth' });
});

it.each([
  ['neither a token nor an app', {}],
  ['both', { token: 't', clientId: 'c', privateKey: 'k' }],
])('refuses settings with %s', (_, more) => {
  expect(okta.settings?.safeParse({ orgUrl: 'https://acme.okta.com', ...more }).success).toBe(
    false,
  );
});
