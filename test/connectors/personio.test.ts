import { afterEach, describe, expect, it } from 'vitest';
import fixture from '../../connectors/personio/fixtures/persons.json' with { type: 'json' };
import personio from '../../connectors/personio/index.js';
import type { JsonValue, ReadMessage } from '../../src/plugin/api.js';
import { type SeededPerson, startPersonio } from './personio-server.js';
import { recordsOf, startSource } from './start-source.js';
import { tooMany } from './vendor-server.js';

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
});

const start = async (people: readonly SeededPerson[] = fixture, more: object = {}) => {
  const server = await startPersonio(people);
  stops.push(server.stop);
  const { clientId, clientSecret } = server.settings;
  // Fast enough that only the pauses that a server asks for count.
  const settings = {
    clientId,
    clientSecret,
    baseUrl: server.url,
    requestsPerMinute: 6_000,
    ...more,
  };
  return { server, source: await startSource(personio, settings) };
};

const person = (number: number): SeededPerson => ({
  person: { id: String(number), email: `p${number}@example.com`, status: 'ACTIVE' },
  employments: [{ id: `e${number}`, status: 'ACTIVE', employment_start_date: '2020-01-01' }],
});
const many = (count: number) => Array.from({ length: count }, (_, index) => person(index + 1));

const cursorOf = (messages: readonly ReadMessage[]): JsonValue => {
  const last = messages.at(-1);
  if (last?.type !== 'complete') throw new Error('The read is not complete.');
  return last.cursor;
};

const employed = async (employments: readonly object[]) => {
  const { source } = await start([{ person: { id: '1', status: 'ACTIVE' }, employments }]);
  return recordsOf(await source.readAll()).get('1');
};

describe('a full read', () => {
  it('yields persons with their employment', async () => {
    const { source } = await start();
    const records = recordsOf(await source.readAll());
    expect([...records.keys()]).toEqual(['7001', '7002', '7003', '7004']);
    expect(records.get('7001')).toEqual({
      id: '7001',
      email: 'Ada.Lovelace@example.com',
      first_name: 'Ada',
      last_name: 'Lovelace',
      preferred_name: null,
      status: 'ACTIVE',
      employment_status: 'ACTIVE',
      employment_type: 'INTERNAL',
      start_date: '2019-04-01',
      last_day: null,
      contract_end_date: null,
      position: 'Dispatcher',
      supervisor_id: '7002',
      office_id: 'o1',
      legal_entity_id: null,
      department_id: 'd1',
      team_id: 't1',
      custom: { badge: 'B-17' },
    });
    for (const record of records.values())
      expect(personio.record.safeParse(record).success).toBe(true);
  });

  it('takes leave and onboarding for ACTIVE, and the last working day for the end', async () => {
    const { source } = await start();
    const records = recordsOf(await source.readAll());
    expect(records.get('7002')).toMatchObject({ status: 'ACTIVE', employment_status: 'LEAVE' });
    // A future hire: the dates decide, as no status is listed as active.
    expect(records.get('7004')).toMatchObject({ status: 'ACTIVE', start_date: '2027-01-04' });
    expect(records.get('7003')).toMatchObject({ status: 'INACTIVE', last_day: '2026-03-15' });
    expect(personio.lifecycle?.status).toEqual({ path: 'status', inactive: ['INACTIVE'] });
  });

  it('joins employments without a gap: a new contract is no exit', async () => {
    const first = {
      id: 'a',
      status: 'ACTIVE',
      employment_start_date: '2024-01-01',
      employment_end_date: '2026-12-31',
      position: { title: 'Trainee' },
    };
    const next = {
      id: 'b',
      status: 'ONBOARDING',
      employment_start_date: '2027-01-01',
      employment_end_date: null,
      position: { title: 'Technician' },
    };
    expect(await employed([next, first])).toMatchObject({
      start_date: '2024-01-01',
      last_day: null,
      position: 'Trainee',
    });
    const later = { ...next, employment_start_date: '2027-03-01' };
    expect(await employed([later, first])).toMatchObject({ last_day: '2026-12-31' });
    // Of two contracts at the same time, one may end.
    const second = {
      ...next,
      employment_start_date: '2025-01-01',
      employment_end_date: '2026-06-30',
    };
    const unlimited = { ...first, employment_end_date: null };
    expect(await employed([second, unlimited])).toMatchObject({ last_day: null });
    const ended = { ...first, status: 'INACTIVE' };
    expect(await employed([later, ended])).toMatchObject({ start_date: '2027-03-01' });
  });

  it('costs a request per page and one per person, and pauses between them', async () => {
    const { source, server } = await start(many(60), { requestsPerMinute: 120 });
    expect(recordsOf(await source.readAll()).size).toBe(60);
    // The token, two pages and 60 persons.
    expect(server.requests).toHaveLength(63);
    expect(source.clock.pauses).toHaveLength(62);
    expect(Math.max(...source.clock.pauses)).toBeLessThanOrEqual(500);
  });

  it('takes nothing but the cursor from the link, and resumes after each page', async () => {
    const { source, server } = await start(many(25));
    const whole = await source.readAll({ pageSize: 10 });
    expect(recordsOf(whole).size).toBe(25);
    expect(server.requests.map(({ path }) => path)).not.toContain('/v2/wrong');
    let checkpoints = 0;
    for (const [index, message] of whole.entries()) {
      if (message.type !== 'checkpoint') continue;
      checkpoints += 1;
      const request = { pageSize: 10, cursor: message.cursor, isResumed: true };
      expect([...whole.slice(0, index + 1), ...(await source.readAll(request))]).toEqual(whole);
    }
    expect(checkpoints).toBe(2);
  });

  it('reports a person whose employments are gone', async () => {
    const { source, server } = await start();
    server.settings.vanished.add('7002');
    expect(await source.readAll()).toContainEqual(
      expect.objectContaining({ type: 'recordError', id: '7002' }),
    );
  });

  it('ends if the cursor does not advance', async () => {
    const { source, server } = await start(many(25));
    server.settings.isStuck = true;
    await expect(source.readAll({ pageSize: 10 })).rejects.toMatchObject({ kind: 'schema' });
  });

  it.each([
    ['a page that is cut', { body: '{"_data": [{"id": "1"' }, 'schema'],
    ['another form', { body: { data: [] } }, 'schema'],
    ['an error in the middle', { status: 500 }, 'network'],
    ['a page without permission', { status: 403 }, 'permission'],
  ] as const)('does not complete after %s', async (_, answer, kind) => {
    const { source, server } = await start(many(12));
    // The token, a page and its ten persons are as usual.
    server.interrupt(...Array.from({ length: 12 }, () => undefined), answer);
    const read: ReadMessage[] = [];
    const reading = (async () => {
      for await (const message of source.read(source.request({ pageSize: 10 }))) read.push(message);
    })();
    await expect(reading).rejects.toMatchObject({ kind });
    expect(recordsOf(read).size).toBe(10);
    expect(read.map(({ type }) => type)).not.toContain('complete');
  });
});

describe('the rate limit', () => {
  it('starts at a second and doubles if Retry-After is missing', async () => {
    const { source, server } = await start();
    server.interrupt(undefined, tooMany(), tooMany(), tooMany());
    expect(recordsOf(await source.readAll()).size).toBe(4);
    const pauses = source.clock.pauses.filter((ms) => ms > 500);
    // With jitter of 20 %.
    expect(pauses.map((ms) => 2 ** Math.round(Math.log2(ms / 1_000)))).toEqual([1, 2, 4]);
  });
});

describe('the token', () => {
  it('is used until it expires', async () => {
    const { source, server } = await start();
    const tokens = () => server.requests.filter(({ path }) => path === '/v2/auth/token').length;
    await source.readAll();
    await source.readAll();
    expect(tokens()).toBe(1);
    source.clock.advance(86_400_000);
    await source.readAll();
    expect(tokens()).toBe(2);
  });
});

describe('a delta', () => {
  it('yields who changed since five minutes before the read', async () => {
    const { source, server } = await start();
    const first = await source.readAll();
    expect(cursorOf(first)).toEqual({ since: '2026-11-22T12:00:00.000Z' });
    server.settings.now = '2026-11-22T13:00:00Z';
    source.clock.advance(3_600_000);
    server.put({ ...fixture[0]!, person: { ...fixture[0]!.person, last_name: 'King' } });
    const second = await source.readAll({ mode: 'delta', cursor: cursorOf(first) });
    expect([...recordsOf(second)]).toMatchObject([['7001', { last_name: 'King' }]]);
    // Changes within the overlap are read twice; the host sees that nothing changed.
    const third = await source.readAll({ mode: 'delta', cursor: cursorOf(second) });
    expect(recordsOf(third).size).toBe(1);
  });

  it('uses the slower clock', async () => {
    const { source, server } = await start();
    server.settings.now = '2027-06-01T00:00:00Z';
    expect(cursorOf(await source.readAll())).toEqual({ since: '2026-11-22T12:00:00.000Z' });
    server.settings.now = '2026-11-22T08:00:00Z';
    expect(cursorOf(await source.readAll())).toEqual({ since: '2026-11-22T08:00:00.000Z' });
  });

  it('keeps its filter on later pages and after a crash', async () => {
    const { source, server } = await start(many(25));
    const cursor = { since: '2025-12-31T00:00:00.000Z' };
    const whole = await source.readAll({ mode: 'delta', cursor, pageSize: 10 });
    const checkpoint = whole.find(({ type }) => type === 'checkpoint');
    if (checkpoint?.type !== 'checkpoint') throw new Error('There is no checkpoint.');
    await source.readAll({
      mode: 'delta',
      cursor: checkpoint.cursor,
      isResumed: true,
      pageSize: 10,
    });
    const pages = server.requests.filter(({ path }) => path === '/v2/persons');
    expect(pages).toHaveLength(5);
    expect(
      pages.every(({ query }) => query.get('updated_at.gt') === '2025-12-30T23:55:00.000Z'),
    ).toBe(true);
  });
});

it('reads single persons without the list', async () => {
  const { source, server } = await start();
  expect(await source.readAll({ ids: ['7002', '9'] })).toMatchObject([
    { type: 'record', id: '7002' },
    { type: 'recordError', id: '9' },
    { type: 'complete', cursor: null },
  ]);
  expect(server.requests.map(({ path }) => path)).not.toContain('/v2/persons');
});

it('checks the token, the list and the employments, and names the trace of an error', async () => {
  const { source, server } = await start();
  const check = () => source.check(new AbortController().signal);
  expect(await check()).toMatchObject({ ok: true });
  server.interrupt(undefined, { status: 403, body: { personio_trace_id: 't-9', errors: [] } });
  expect(await check()).toMatchObject({
    ok: false,
    kind: 'permission',
    message: expect.stringContaining('(t-9)') as string,
  });
});
