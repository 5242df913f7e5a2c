import { afterEach, describe, expect, it } from 'vitest';
import bamboohr from '../../connectors/bamboohr/index.js';
import fixture from '../../connectors/bamboohr/fixtures/employees.json' with { type: 'json' };
import type { JsonValue, ReadMessage } from '../../src/plugin/api.js';
import { type Employee, startBambooHr } from './bamboohr-server.js';
import { recordsOf, startSource } from './start-source.js';

type Server = Awaited<ReturnType<typeof startBambooHr>>;

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
});

const start = async (employees: readonly Employee[] = fixture, more: object = {}) => {
  const server = await startBambooHr(employees);
  stops.push(server.stop);
  const settings = {
    companyDomain: 'acme',
    apiKey: server.settings.key,
    baseUrl: `${server.url}/api`,
    ...more,
  };
  return { server, source: await startSource(bamboohr, settings) };
};

const cursorOf = (messages: readonly ReadMessage[]): JsonValue => {
  const last = messages.at(-1);
  if (last?.type !== 'complete') throw new Error('The read is not complete.');
  return last.cursor;
};

const employee = (eeid: number): Employee => ({
  ...fixture[0]!,
  eeid,
  email: `e${eeid}@example.com`,
});
const many = (count: number) => Array.from({ length: count }, (_, index) => employee(index + 1));

describe('a full read', () => {
  it('yields everybody, with dates and states that the lifecycle can use', async () => {
    const { source } = await start();
    const messages = await source.readAll();
    const records = recordsOf(messages);
    expect([...records.keys()]).toEqual(['101', '102', '103', '104']);
    expect(records.get('101')).toMatchObject({
      email: 'Ada.Lovelace@example.com',
      state: 'Active',
      // A date of zeros is no date.
      terminationDate: null,
      lastDay: null,
    });
    expect(records.get('102')).toMatchObject({ supervisorEid: null });
    expect(records.get('103')).toMatchObject({ state: 'Inactive', lastDay: '2026-03-31' });
    // BambooHR counts future hires as inactive.
    expect(records.get('104')).toMatchObject({ state: 'Upcoming', hireDate: '2027-01-04' });
    for (const record of records.values())
      expect(bamboohr.record.safeParse(record).success).toBe(true);
    expect(messages.at(-1)).toMatchObject({ type: 'complete', total: 4 });
  });

  it('ignores a termination before the last hire', async () => {
    const rehired = { ...fixture[2]!, status: 'Active', hireDate: '2026-09-01' };
    const { source } = await start([rehired]);
    expect(recordsOf(await source.readAll()).get('103')).toMatchObject({
      state: 'Active',
      lastDay: null,
    });
  });

  it('reads pages by number, whatever their links say, and resumes after each', async () => {
    const { source } = await start(many(25));
    const whole = await source.readAll({ pageSize: 10 });
    expect(recordsOf(whole).size).toBe(25);
    const checkpoints = whole.flatMap((message, index) =>
      message.type === 'checkpoint' ? [{ cursor: message.cursor, index }] : [],
    );
    expect(checkpoints).toHaveLength(2);
    for (const { cursor, index } of checkpoints) {
      const rest = await source.readAll({ pageSize: 7, cursor, isResumed: true });
      expect([...whole.slice(0, index + 1), ...rest]).toEqual(whole);
    }
  });

  it('never filters, and yields the same twice', async () => {
    const { source, server } = await start(many(12));
    expect(await source.readAll({ pageSize: 5 })).toEqual(await source.readAll({ pageSize: 5 }));
    expect(server.requests.every(({ body }) => !body.includes('filter'))).toBe(true);
  });

  it('reports employees with restricted fields one by one', async () => {
    const { source, server } = await start();
    server.restricted.set('102', ['email']);
    const messages = await source.readAll();
    expect([...recordsOf(messages).keys()]).toEqual(['101', '103', '104']);
    expect(messages).toContainEqual({
      type: 'recordError',
      id: '102',
      message: 'The API key may not see email of this employee.',
    });
  });

  it('is complete and empty for a company without employees', async () => {
    const { source } = await start([]);
    expect(await source.readAll()).toMatchObject([{ type: 'complete', total: 0 }]);
  });

  it('does not complete if an employee was deleted during the read', async () => {
    const { source, server } = await start(many(25));
    // The number stays the same: one is deleted, one is added.
    server.settings.beforePage = (page) => {
      if (page !== 2) return;
      server.settings.now = '2026-11-22T12:00:30+00:00';
      server.delete('3');
      server.put(employee(26));
    };
    await expect(source.readAll({ pageSize: 10 })).rejects.toMatchObject({ kind: 'network' });
  });

  it('does not mind deletions before it started', async () => {
    const { source, server } = await start(many(5));
    server.delete('3');
    expect(recordsOf(await source.readAll()).size).toBe(4);
  });

  it('does not complete if the number of employees changes', async () => {
    const { source, server } = await start(many(25));
    server.settings.beforePage = (page) => {
      if (page === 2) server.put(employee(26));
    };
    await expect(source.readAll({ pageSize: 10 })).rejects.toThrow('while they were read');
  });

  it('yields both rows of an employee who is listed twice: the host holds the run', async () => {
    const { source, server } = await start(many(5));
    server.settings.duplicate = '2';
    const messages = await source.readAll();
    expect(() => recordsOf(messages)).toThrow('was read twice');
    expect(messages.at(-1)).toMatchObject({ total: 6 });
  });

  it.each([
    ['a page that is cut', { body: '{"data": [{"fields": {"eeid": "1"' }, 'schema'],
    ['a page with too few rows', { body: { data: [], meta: { totalItems: 25 } } }, 'schema'],
    ['another form', { body: { rows: [] } }, 'schema'],
    ['an error in the middle', { status: 500 }, 'network'],
    ['a page without permission', { status: 403 }, 'permission'],
  ] as const)('does not complete after %s', async (_, answer, kind) => {
    const { source, server } = await start(many(25));
    // The list of changes and the first page are as usual.
    server.interrupt(undefined, undefined, answer);
    const read: ReadMessage[] = [];
    const reading = (async () => {
      for await (const message of source.read(source.request({ pageSize: 10 }))) read.push(message);
    })();
    await expect(reading).rejects.toMatchObject({ kind });
    expect(read.map(({ type }) => type)).not.toContain('complete');
  });
});

describe('a delta', () => {
  const after = async (
    { source, server }: Awaited<ReturnType<typeof start>>,
    change: () => void,
  ) => {
    const cursor = cursorOf(await source.readAll());
    server.settings.now = '2026-11-22T13:00:00+00:00';
    change();
    return source.readAll({ mode: 'delta', cursor });
  };

  it('yields the employees who changed, and nothing if none did', async () => {
    const tested = await start();
    const messages = await after(tested, () =>
      tested.server.put({ eeid: '101', lastName: 'King' }),
    );
    expect([...recordsOf(messages)]).toMatchObject([['101', { lastName: 'King' }]]);
    const requests = tested.server.requests.length;
    tested.server.settings.now = '2026-11-22T14:00:00+00:00';
    let cursor = cursorOf(messages);
    // Once more, as `since` includes the moment of the change.
    const again = await tested.source.readAll({ mode: 'delta', cursor });
    expect(recordsOf(again).size).toBe(1);
    cursor = cursorOf(again);
    expect(await tested.source.readAll({ mode: 'delta', cursor })).toMatchObject([
      { type: 'complete' },
    ]);
    expect(tested.server.requests.length).toBe(requests + 3);
  });

  it('sends the time so that its offset survives', async () => {
    const tested = await start();
    await after(tested, () => undefined);
    expect(tested.server.requests.at(-1)!.rawQuery).toContain(
      'since=2026-11-22T12%3A00%3A00%2B00%3A00',
    );
  });

  it('takes a termination for an update, and a deleted record for a tombstone', async () => {
    const tested = await start();
    const messages = await after(tested, () => {
      tested.server.put({ eeid: '101', status: 'Inactive', terminationDate: '2026-11-21' });
      tested.server.delete('103');
    });
    expect(messages).toMatchObject([
      { type: 'tombstone', id: '103' },
      { type: 'record', id: '101', data: { state: 'Inactive', lastDay: '2026-11-21' } },
      { type: 'complete' },
    ]);
  });

  it('reads a second change within the same second', async () => {
    const tested = await start();
    const first = await after(tested, () => tested.server.put({ eeid: '101', lastName: 'King' }));
    tested.server.put({ eeid: '101', lastName: 'Byron' });
    const second = await tested.source.readAll({ mode: 'delta', cursor: cursorOf(first) });
    expect(recordsOf(second).get('101')).toMatchObject({ lastName: 'Byron' });
    const third = await tested.source.readAll({ mode: 'delta', cursor: cursorOf(second) });
    expect(recordsOf(third).size).toBe(0);
  });

  it('reports a changed employee that the API key may not see', async () => {
    const tested = await start();
    const messages = await after(tested, () => {
      tested.server.put({ eeid: '102', lastName: 'Murray' });
      tested.server.settings.hidden.add('102');
    });
    expect(messages).toMatchObject([{ type: 'recordError', id: '102' }, { type: 'complete' }]);
  });
});

it('reads single employees from the first page that has them', async () => {
  const { source, server } = await start(many(25));
  const messages = await source.readAll({ ids: ['4', '99'], pageSize: 10 });
  expect([...recordsOf(messages).keys()]).toEqual(['4']);
  expect(messages).toContainEqual(expect.objectContaining({ type: 'recordError', id: '99' }));
  const before = server.requests.length;
  await source.readAll({ ids: ['4'], pageSize: 10 });
  expect(server.requests.length).toBe(before + 1);
});

describe('the check', () => {
  const check = ({ source }: { source: Awaited<ReturnType<typeof startSource>> }) =>
    source.check(new AbortController().signal);

  const changed = async (change: (server: Server) => void) => {
    const tested = await start();
    change(tested.server);
    return check(tested);
  };

  it('counts the employees', async () => {
    expect(await check(await start())).toEqual({
      ok: true,
      message: 'BambooHR lists 4 employees, former ones included.',
    });
  });

  it('finds people who appear only in the directory', async () => {
    const result = await changed(({ settings }) =>
      ['101', '103', '104'].forEach((id) => settings.hidden.add(id)),
    );
    expect(result).toMatchObject({ ok: false, kind: 'permission' });
  });

  it('accepts an empty directory (404) and one that is not shared (403)', async () => {
    expect(await changed(({ clear }) => clear())).toMatchObject({ ok: true });
    expect(await changed(({ settings }) => (settings.directory = 'off'))).toMatchObject({
      ok: true,
    });
  });

  it('names the setting if BambooHR does not know a field', async () => {
    const tested = await start(fixture, { fields: ['unknownField'] });
    expect(await check(tested)).toMatchObject({
      ok: false,
      kind: 'config',
      message: expect.stringContaining('"fields"') as string,
    });
  });
});

it('lists the fields of the dataset', async () => {
  const { source } = await start();
  expect(await source.discover!(new AbortController().signal)).toEqual([
    { path: 'email', title: 'Work Email', type: 'text' },
  ]);
});
