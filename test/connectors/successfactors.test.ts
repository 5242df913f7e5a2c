import { afterEach, describe, expect, it } from 'vitest';
import fixture from '../../connectors/successfactors/fixtures/persons.json' with { type: 'json' };
import successfactors from '../../connectors/successfactors/index.js';
import { recordsOf, startSource } from './start-source.js';
import { type SeededPerson, startSuccessFactors } from './successfactors-server.js';

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const start = async (people: readonly SeededPerson[] = fixture, more: object = {}) => {
  const server = await startSuccessFactors(people);
  const source = await startSource(successfactors, { ...server.configured, ...more });
  stops.push(source.stop, server.stop);
  return { server, source };
};

const signal = new AbortController().signal;
const [ada] = fixture as unknown as [SeededPerson];
const many = (count: number): SeededPerson[] =>
  Array.from({ length: count }, (_, at) => ({ ...ada, personIdExternal: String(at + 1) }));

interface Employed {
  readonly userId: string;
  readonly start: string;
  readonly end?: string;
  readonly assignmentClass?: string;
  /** By the day from which it is valid. */
  readonly status?: Readonly<Record<string, string>>;
  readonly manager?: string;
}

const employment = (employed: Employed): Readonly<Record<string, unknown>> => {
  const { userId, start, end, assignmentClass = 'ST', manager } = employed;
  const slices = Object.entries(employed.status ?? { [start]: 'A' });
  return {
    ...{ userId, assignmentClass, startDate: start, endDate: end ?? null },
    userNav: { username: userId, manager: manager && { empInfo: { personIdExternal: manager } } },
    jobInfoNav: slices.map(([from, status], at) => ({
      startDate: from,
      endDate: slices[at + 1]?.[0] ?? '9999-12-31',
      seqNumber: 1,
      jobTitle: `${userId} ${status}`,
      emplStatusNav: { externalCode: status },
    })),
  };
};

/** The record of a person with these employments, in whichever order they come. */
const recordWith = async (...employments: readonly Employed[]) => {
  const nav = employments.map(employment);
  const { source, server } = await start([{ ...ada, employmentNav: nav }]);
  const record = recordsOf(await source.readAll()).get('5001');
  server.settings.people = [{ ...ada, employmentNav: nav.toReversed() }];
  expect(recordsOf(await source.readAll()).get('5001')).toEqual(record);
  return record;
};

describe('a read', () => {
  it('yields what is valid today, with dates that the lifecycle can use', async () => {
    const { source } = await start();
    const messages = await source.readAll();
    const records = recordsOf(messages);
    expect([...records.keys()]).toEqual(['5001', '5002', '5003', '5004']);
    expect(records.get('5001')).toEqual({
      personIdExternal: '5001',
      startDate: '2019-04-01',
      lastDay: null,
      employmentStatus: 'A',
      employments: 1,
      email: 'Ada.Lovelace@example.com',
      phone: '+49 170 1234567',
      managerId: '5002',
      personal: {
        ...{ firstName: 'Ada', lastName: 'Lovelace' },
        ...{ startDate: '2020-01-01', endDate: null },
      },
      employment: {
        ...{ userId: 'u5001', startDate: '2019-04-01', endDate: null, assignmentClass: 'ST' },
        userNav: { username: 'alovelace', manager: { empInfo: { personIdExternal: '5002' } } },
      },
      user: { username: 'alovelace', manager: { empInfo: { personIdExternal: '5002' } } },
      // Two slices begin on one day: the higher seqNumber counts.
      job: {
        ...{ startDate: '2024-01-01', endDate: null, seqNumber: 2, jobTitle: 'Dispatcher' },
        ...{ department: 'D1', costCenter: '4711', managerId: 'u5002' },
        emplStatusNav: { externalCode: 'A' },
        departmentNav: { name_localized: 'Operations' },
      },
    });
    expect(records.get('5003')).toMatchObject({ employmentStatus: 'T', lastDay: '2026-03-31' });
    expect(records.get('5004')).toMatchObject({ employmentStatus: 'A', startDate: '2027-01-04' });
    for (const record of records.values())
      expect(successfactors.record.safeParse(record).success).toBe(true);
    expect(messages.at(-1)).toEqual({ type: 'complete', cursor: null, total: 4 });
  });

  it('reads one snapshot, though people are added and leave meanwhile', async () => {
    const { source, server } = await start(many(25));
    let pages = 0;
    server.settings.beforePage = () => {
      if ((pages += 1) === 2) server.settings.people = many(30).slice(5);
    };
    const messages = await source.readAll({ pageSize: 10 });
    expect(recordsOf(messages).size).toBe(25);
    expect(messages.at(-1)).toMatchObject({ total: 25 });
    expect(server.requests.filter(({ query }) => query.has('$skiptoken'))).toHaveLength(2);
  });

  it('leaves out people who were never employed, such as relatives', async () => {
    const { source } = await start([...fixture, { personIdExternal: '9', employmentNav: [] }]);
    expect(recordsOf(await source.readAll()).has('9')).toBe(false);
  });

  it('puts a person aside whose employments the user may not see', async () => {
    const { source } = await start(
      [...fixture, { ...ada, personIdExternal: '9', employmentNav: [] }],
      {
        filter: '',
      },
    );
    expect(await source.readAll()).toContainEqual(
      expect.objectContaining({ type: 'recordError', id: '9' }),
    );
  });

  it.each(['employmentNav', 'employmentNav/jobInfoNav/emplStatusNav', 'emailNav'])(
    'does not complete if %s of everybody is hidden',
    async (path) => {
      const { source, server } = await start();
      server.settings.hidden.add(path);
      await expect(source.readAll()).rejects.toMatchObject({ kind: 'permission' });
      expect(await source.check(signal)).toMatchObject({ ok: false, kind: 'permission' });
    },
  );

  it('does not complete if fewer people come than SuccessFactors counts', async () => {
    const { source, server } = await start();
    server.settings.counted = 9;
    await expect(source.readAll()).rejects.toMatchObject({
      kind: 'schema',
      message: expect.stringContaining('says that there are 9 people, but sent 4') as string,
    });
    server.interrupt({ body: { d: { results: [] } } });
    await expect(source.readAll()).rejects.toMatchObject({ kind: 'schema' });
  });

  it('starts again if a token of the snapshot has expired', async () => {
    const { source, server } = await start(many(25));
    server.settings.areTokensExpired = true;
    await expect(source.readAll({ pageSize: 10 })).rejects.toMatchObject({
      kind: 'network',
      message: expect.stringContaining('reads from the start') as string,
    });
    server.settings.areTokensExpired = false;
    expect(recordsOf(await source.readAll({ pageSize: 10 })).size).toBe(25);
  });

  it('follows empty pages with a next link', async () => {
    const { source, server } = await start(many(25));
    server.settings.emptyPages = new Set([1, 3]);
    expect(recordsOf(await source.readAll({ pageSize: 10 })).size).toBe(25);
  });

  it('reads single people without a snapshot', async () => {
    const { source, server } = await start();
    expect(await source.readAll({ ids: ['5002', '9'] })).toMatchObject([
      { type: 'record', id: '5002' },
      { type: 'recordError', id: '9' },
      { type: 'complete' },
    ]);
    expect(server.requests.some(({ query }) => query.has('paging'))).toBe(false);
  });

  it('reads further properties', async () => {
    const people = [
      { ...ada, employmentNav: [{ ...ada.employmentNav[0], customString1: 'B-17' }] },
    ];
    const { source } = await start(people, { select: ['employmentNav/customString1'] });
    expect(recordsOf(await source.readAll()).get('5001')).toMatchObject({
      employment: { customString1: 'B-17' },
    });
  });
});

describe('of several employments', () => {
  it('the one that goes on counts after a rehire or a conversion', async () => {
    const old = { userId: 'old', start: '2018-01-01', end: '2024-06-30' };
    const left = { ...old, status: { '2018-01-01': 'A', '2024-07-01': 'T' } };
    const now = { userId: 'now', start: '2025-02-01', manager: '5002' };
    expect(await recordWith(left, now)).toMatchObject({
      ...{ startDate: '2025-02-01', lastDay: null, employmentStatus: 'A', managerId: '5002' },
      job: { jobTitle: 'now A' },
    });
  });

  it('a rehire who has not begun yet begins on the first day', async () => {
    const status = { '2018-01-01': 'A', '2024-07-01': 'T' };
    const left = { userId: 'old', start: '2018-01-01', end: '2024-06-30', status };
    const next = { userId: 'next', start: '2027-01-01' };
    expect(await recordWith(left, next)).toMatchObject({ startDate: '2027-01-01', lastDay: null });
  });

  it('an employment that follows without a gap is no exit', async () => {
    const first = { userId: 'first', start: '2020-01-01', end: '2026-12-31' };
    const next = { userId: 'next', start: '2027-01-01' };
    expect(await recordWith(first, next)).toMatchObject({
      ...{ startDate: '2020-01-01', lastDay: null },
      job: { jobTitle: 'first A' },
    });
    const later = { ...next, start: '2027-03-01' };
    expect(await recordWith(first, later)).toMatchObject({ lastDay: '2026-12-31' });
  });

  it('of two at the same time, the longer one counts, and the end of one is no exit', async () => {
    const main = { userId: 'main', start: '2020-01-01' };
    const second = { userId: 'second', start: '2024-01-01', end: '2026-12-31' };
    expect(await recordWith(main, second)).toMatchObject({
      ...{ lastDay: null, employments: 2 },
      job: { jobTitle: 'main A' },
    });
  });

  it('a global assignment counts while the home one is dormant', async () => {
    const status = { '2020-01-01': 'A', '2026-01-01': 'D' };
    const home = { userId: 'home', start: '2020-01-01', status };
    const abroad = {
      userId: 'abroad',
      start: '2026-01-01',
      end: '2027-12-31',
      assignmentClass: 'GA',
    };
    expect(await recordWith(home, abroad)).toMatchObject({
      ...{ startDate: '2020-01-01', lastDay: null, employmentStatus: 'A' },
      job: { jobTitle: 'abroad A' },
    });
    expect(await recordWith({ ...home, status: { '2020-01-01': 'A' } }, abroad)).toMatchObject({
      job: { jobTitle: 'home A' },
    });
  });

  it('the last one counts if all are over', async () => {
    const status = { '2018-01-01': 'A', '2024-07-01': 'T' };
    const first = { userId: 'first', start: '2018-01-01', end: '2024-06-30', status };
    const last = {
      ...{ userId: 'last', start: '2025-01-01', end: '2025-12-31' },
      status: { '2025-01-01': 'A', '2026-01-01': 'R' },
    };
    expect(await recordWith(first, last)).toMatchObject({
      ...{ startDate: '2025-01-01', lastDay: '2025-12-31', employmentStatus: 'R' },
    });
  });

  it('one that never began does not count', async () => {
    const main = { userId: 'main', start: '2025-01-01' };
    const noShow = { userId: 'no-show', start: '2024-01-01', status: { '2024-01-01': 'O' } };
    expect(await recordWith(main, noShow)).toMatchObject({
      ...{ startDate: '2025-01-01', employmentStatus: 'A' },
    });
  });

  it('the last day is a day at work', async () => {
    const ends = {
      ...{ userId: 'u', start: '2020-01-01', end: '2026-11-22' },
      status: { '2020-01-01': 'A', '2026-11-23': 'T' },
    };
    expect(await recordWith(ends)).toMatchObject({
      ...{ lastDay: '2026-11-22', employmentStatus: 'A' },
    });
  });
});

describe('signing in', () => {
  it('is possible with a password', async () => {
    const server = await startSuccessFactors(fixture);
    const source = await startSource(successfactors, server.withPassword);
    stops.push(source.stop, server.stop);
    expect(recordsOf(await source.readAll()).size).toBe(4);
  });

  it('says that a key is none, and does not show it', async () => {
    const { source } = await start(fixture, { privateKey: 'not-a-private-key' });
    const result = await source.check(signal);
    expect(result).toMatchObject({ ok: false, kind: 'config' });
    expect(JSON.stringify([result, source.log])).not.toContain('not-a-private-key');
  });

  it.each([
    ['neither', {}],
    ['both', { password: 'a', clientId: 'b', privateKey: 'c' }],
    ['a client without a key', { clientId: 'b' }],
  ])('needs either a password or a client: %s', (_, more) => {
    const settings = { baseUrl: 'https://api4.example.com', companyId: 'a', user: 'b', ...more };
    expect(successfactors.settings!.safeParse(settings).success).toBe(false);
  });
});

it('checks without a snapshot: SAP blocks users who begin some and do not read on', async () => {
  const { source, server } = await start();
  expect(await source.check(signal)).toMatchObject({ ok: true });
  expect(server.requests.some(({ query }) => query.has('paging'))).toBe(false);
});
