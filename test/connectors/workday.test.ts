import { afterEach, describe, expect, it } from 'vitest';
import fixture from '../../connectors/workday/fixtures/report.json' with { type: 'json' };
import workday from '../../connectors/workday/index.js';
import { whileWaiting } from '../../connectors/rest/while-waiting.js';
import type { ReadMessage } from '../../src/plugin/api.js';
import { usedHeap } from '../support/used-heap.js';
import { recordsOf, startSource } from './start-source.js';
import { type VendorAnswer } from './vendor-server.js';
import { startWorkday } from './workday-server.js';

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
});

const signal = new AbortController().signal;

const start = async (answer: VendorAnswer = { body: fixture }, more: object = {}) => {
  const server = await startWorkday(() => answer);
  stops.push(server.stop);
  return { server, source: await startSource(workday, { ...server.settings, ...more }) };
};

/** A report of so many rows, row by row. */
const long =
  (count: number, cut = false): VendorAnswer =>
  async (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write('{"Report_Entry": [\n');
    for (let row = 0; row < count; row += 1) {
      const text = JSON.stringify({
        Employee_ID: String(row),
        Email: `worker${row}@example.com`,
        Comment: 'x'.repeat(900),
      });
      if (!response.write(row === 0 ? text : `,\n${text}`))
        await new Promise((resolve) => response.once('drain', resolve));
    }
    if (cut) response.destroy();
    else response.end('\n]}');
  };

const failureOf = async (answer: VendorAnswer, more: object = {}) => {
  const { source } = await start(answer, more);
  const read: ReadMessage[] = [];
  const reading = (async () => {
    for await (const message of source.read(source.request())) read.push(message);
  })();
  const error: unknown = await reading.then(
    () => undefined,
    (cause: unknown) => cause,
  );
  expect(read.map(({ type }) => type)).not.toContain('complete');
  return error;
};

describe('a read', () => {
  it('yields every row with the columns of its author', async () => {
    const { source, server } = await start();
    const messages = await source.readAll();
    expect([...recordsOf(messages).keys()]).toEqual(['21001', '21002', '21003']);
    expect(recordsOf(messages).get('21001')).toEqual(fixture.Report_Entry[0]);
    expect(messages.at(-1)).toEqual({ type: 'complete', cursor: null });
    expect(server.requests[0]!.query.getAll('Organizations!WID')).toEqual(['a1', 'b2']);
    expect(await source.readAll()).toEqual(messages);
  });

  it('uses the column that the settings name', async () => {
    const report = { Report_Entry: [{ WID: 'w1', Worker: 'Ada' }] };
    const { source } = await start({ body: report }, { idColumn: 'WID' });
    expect(recordsOf(await source.readAll()).get('w1')).toEqual(report.Report_Entry[0]);
  });

  it('names the columns if the report does not have that one', async () => {
    const error = await failureOf({ body: { Report_Entry: [{ WID: 'w1', Worker: 'Ada' }] } });
    expect(error).toMatchObject({
      kind: 'schema',
      message: expect.stringContaining('it has "WID", "Worker". Set idColumn') as string,
    });
  });

  it('reports a row without an id', async () => {
    const rows = [...fixture.Report_Entry, { Employee_ID: '', Email: 'x@example.com' }];
    const { source } = await start({ body: { Report_Entry: rows } });
    expect(await source.readAll()).toContainEqual(expect.objectContaining({ type: 'recordError' }));
  });

  it('takes an empty list for a report without rows, and a missing one for an error', async () => {
    const { source } = await start({ body: { Report_Entry: [] } });
    expect(await source.readAll()).toEqual([{ type: 'complete', cursor: null }]);
    expect(await failureOf({ body: {} })).toMatchObject({
      kind: 'schema',
      message: expect.stringContaining('no list named Report_Entry') as string,
    });
  });

  it('says that a prompt is missing', async () => {
    expect(await failureOf({}, { prompts: {} })).toMatchObject({
      kind: 'config',
      message: expect.stringContaining('prompts') as string,
    });
  });

  it('keeps one row in memory, whatever the number of rows', async () => {
    // The report has 15 MB.
    const { source } = await start(long(15_000));
    const before = usedHeap();
    const grown: number[] = [];
    let count = 0;
    for await (const message of source.read(source.request())) {
      if (message.type === 'record') count += 1;
      if (count % 5_000 === 0) grown.push(usedHeap() - before);
    }
    expect(count).toBe(15_000);
    expect(Math.max(...grown)).toBeLessThan(4 * 1_024 * 1_024);
  });

  it('picks single workers', async () => {
    const { source } = await start();
    expect(await source.readAll({ ids: ['21002', '1'] })).toMatchObject([
      { type: 'record', id: '21002' },
      { type: 'recordError', id: '1' },
      { type: 'complete' },
    ]);
  });
});

it('says that it is waiting until the first row is there', async () => {
  let arrive = (): void => undefined;
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  async function* rows(): AsyncGenerator<string> {
    await arrived;
    yield 'Ada';
    yield 'Grace';
  }
  const read: (string | undefined)[] = [];
  for await (const row of whileWaiting(rows(), 1)) {
    read.push(row);
    if (read.length === 2) arrive();
  }
  expect(read.slice(0, 2)).toEqual([undefined, undefined]);
  expect(read.filter((row) => row !== undefined)).toEqual(['Ada', 'Grace']);
});

describe('the check', () => {
  it('shows the columns of the first rows', async () => {
    const { source } = await start(long(100_000));
    expect(await source.check(signal)).toEqual({
      ok: true,
      message: 'Workday lists people with 3 fields.',
    });
    expect(await source.discover!(signal)).toContainEqual({
      path: 'Email',
      type: 'string',
    });
  });

  it('asks for a host', () => {
    const settings = { tenant: 'a', owner: 'b', report: 'c', user: 'd', password: 'e' };
    expect(workday.settings!.safeParse(settings).error?.issues).toMatchObject([{ path: ['host'] }]);
  });
});
