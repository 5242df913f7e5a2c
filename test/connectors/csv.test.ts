import { spawnSync } from 'node:child_process';
import {
  appendFile,
  cp,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import csv from '../../connectors/csv/index.js';
import { openLocalFolder } from '../../connectors/csv/local-folder.js';
import { createCleanup, temporaryFolder } from '../../tools/shared/cleanup.js';
import { findSshd, type SftpServer, startSftpServer } from '../support/servers/sftp-server.js';
import { runConnectorContract } from '../../src/plugin/testing.js';
import { usedHeap } from '../support/used-heap.js';
import { only, readAll, sourceHost, type SourceHostOptions } from './network-source-host.js';
import type { ReadMessage, ReadRequest } from '../../src/plugin/api.js';

const FIXTURE = new URL('../../connectors/csv/fixtures/people.csv', import.meta.url);
const PEOPLE = 'employeeId,email\n1,ada@example.com\n2,bo@example.com\n3,cy@example.com\n';

const cleanup = createCleanup();
let folder = '';
beforeEach(async () => {
  folder = await temporaryFolder('csv', cleanup);
});
afterEach(cleanup.run);

const write = (name: string, text: string | Uint8Array): Promise<void> =>
  writeFile(join(folder, name), text);

const hostOf = (settings: object = {}, options?: SourceHostOptions) =>
  sourceHost(csv, { folder, ...settings }, options);

const read = (
  settings: object = {},
  request: Partial<ReadRequest> = {},
  options?: SourceHostOptions,
): Promise<ReadMessage[]> => readAll(csv, hostOf(settings, options), request);

const idsOf = (messages: readonly ReadMessage[]): string[] =>
  only('record', messages).map(({ id }) => id);

/** The error of a read, which must not have been complete. */
const faultOf = async (settings: object = {}, request: Partial<ReadRequest> = {}) => {
  const messages: ReadMessage[] = [];
  const fault: unknown = await readAll(csv, hostOf(settings), request, messages).then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(only('complete', messages)).toEqual([]);
  return fault as { readonly kind?: string; readonly message?: string };
};

describe('the csv connector', () => {
  it('reads the columns of its fixture without settings', async () => {
    await cp(FIXTURE, join(folder, 'people.csv'));
    const messages = await read();
    expect(idsOf(messages)).toEqual(['1001', '1002', '1003', '1004', '1005']);
    expect(only('record', messages)[2]?.data).toEqual({
      employeeId: '1003',
      firstName: 'Chloé',
      lastName: `d'Arc "Chlo"`,
      email: 'chloe.darc@example.com',
      title: 'Driver',
      department: 'Fleet',
      manager: '1002',
      startDate: '2022-01-10',
      endDate: '2026-12-31',
      status: 'active',
    });
    expect(messages.at(-1)).toMatchObject({ type: 'complete', cursor: null });
    for (const { data } of only('record', messages)) csv.record.parse(data);
  });

  it('reads the same from an unchanged file', async () => {
    await write('people.csv', PEOPLE);
    expect(await read()).toEqual(await read());
  });

  it.each([
    ['comma', ','],
    ['semicolon', ';'],
    ['tab', '\t'],
    ['pipe', '|'],
  ])('detects the delimiter [%s]', async (_name, delimiter) => {
    await write('people.csv', PEOPLE.replaceAll(',', delimiter));
    expect(idsOf(await read())).toEqual(['1', '2', '3']);
  });

  it('does not count delimiters in quotes of the header', async () => {
    await write('people.csv', 'employeeId;"Name, first, and last"\n1;"Okafor, Ada"\n');
    const [record] = only('record', await read());
    expect(record?.data).toEqual({ employeeId: '1', 'Name, first, and last': 'Okafor, Ada' });
  });

  const umlauts = 'employeeId,lastName\r\n1,Šimić €5 “Ö”\r\n';
  it.each([
    ['UTF-8', Buffer.from(umlauts), {}],
    ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${umlauts}`), {}],
    ['UTF-16LE with a byte order mark', Buffer.from(`\ufeff${umlauts}`, 'utf16le'), {}],
    ['UTF-16BE with a byte order mark', Buffer.from(`\ufeff${umlauts}`, 'utf16le').swap16(), {}],
    ['UTF-16LE', Buffer.from(umlauts, 'utf16le'), { encoding: 'utf-16le' }],
  ])('reads %s', async (_name, bytes, settings) => {
    await write('people.csv', bytes);
    expect(only('record', await read(settings)).map(({ data }) => data)).toEqual([
      { employeeId: '1', lastName: 'Šimić €5 “Ö”' },
    ]);
  });

  it('reads windows-1252 with its typographic characters', async () => {
    await write(
      'people.csv',
      Buffer.from('employeeId;lastName\n1;M\xfcller \x80 \x93x\x94\n', 'latin1'),
    );
    const [record] = only('record', await read({ encoding: 'windows-1252' }));
    expect(record?.data.lastName).toBe('Müller € “x”');
  });

  it('refuses text that is not in its encoding', async () => {
    await write('people.csv', Buffer.from('employeeId;lastName\n1;M\xfcller\n', 'latin1'));
    expect(await faultOf()).toMatchObject({
      kind: 'schema',
      message: expect.stringContaining('set `encoding`, for example to windows-1252') as string,
    });
  });

  it('accepts the usual columns in other spellings, and others by `columns`', async () => {
    await write('people.csv', 'Pers. no.;First Name;E-Mail;Cost_Center\n7;Ada;a@example.com;K1\n');
    const messages = await read({ columns: { 'Pers. no.': 'employeeId' } });
    expect(only('record', messages)[0]).toMatchObject({
      id: '7',
      data: { employeeId: '7', firstName: 'Ada', email: 'a@example.com', costCenter: 'K1' },
    });
  });

  it.each([
    ['a header twice', 'employeeId,email,email\n1,a,b\n', 'columns twice: email'],
    ['two spellings of one', 'employeeId,E-Mail,email\n1,a,b\n', 'Two columns are named email'],
    ['no column with the id', 'no,email\n1,a\n', 'no column employeeId'],
    ['nothing', '', 'is empty'],
    ['only blank lines', '\n\n', 'is empty'],
    ['a quote that is never closed', 'employeeId,email\n1,"a\n2,b\n', 'never closed'],
    [
      'a quote within a quoted value of several lines',
      'employeeId,name\n1,"Bo\n2,"Ann",x\n3,c\n',
      'Line 3 has a quote in a quoted value',
    ],
    ['a quote in the header', 'employeeId,"a"b"\n1,x\n', 'Line 1 has a quote'],
    ['a title above its header', 'Employees of 2026\nemployeeId,email\n1,a\n', 'may be a title'],
    ['the content of a zip archive', 'PK\u0003\u0004...', 'a zip archive or an Excel workbook'],
    ['the content of gzip', Buffer.from('1f8b0800', 'hex'), 'compressed with gzip'],
    ['the content of an old workbook', Buffer.from('d0cf11e0a1b1', 'hex'), 'workbook (.xls)'],
    [
      'UTF-16 without a byte order mark',
      Buffer.from('employeeId\n1\n', 'utf16le'),
      'byte order mark. Set `encoding: utf-16le`',
    ],
    [
      'UTF-16 without a byte order mark, big-endian',
      Buffer.from('employeeId\n1\n', 'utf16le').swap16(),
      '`encoding: utf-16be`',
    ],
    ['no end of its last line', 'employeeId,email\n1,a\n2,b', 'does not end with a line break'],
    [
      'no column that `required` names',
      'employeeId\n1\n',
      'no column mail',
      { required: ['mail'] },
    ],
    [
      'no column that `columns` names',
      'employeeId\n1\n',
      'no column mail',
      { columns: { mail: 'email' } },
    ],
    ['no trailer', 'employeeId\n1\n', 'is not the trailer', { trailer: 'END;{count}' }],
    [
      'another count in its trailer',
      'employeeId,email\n1,a\nEND,2\n',
      'says 2 records, but there are 1',
      { trailer: 'END,{count}' },
    ],
    [
      'a line after its trailer',
      'employeeId,email\nEND,0\n1,a\n',
      'follows the trailer',
      { trailer: 'END,{count}' },
    ],
  ])('refuses a file with %s', async (_name, text, message, settings: object = {}) => {
    await write('people.csv', text);
    const fault = await faultOf(settings);
    expect(fault.kind).toBe('schema');
    expect(fault.message).toContain(message);
  });

  const ROWS = [
    { employeeId: '1', name: 'Ada' },
    { employeeId: '2', name: 'Bo' },
  ];
  it.each<[string, string, object[]]>([
    ['empty rows of Excel', 'employeeId,name\n1,Ada\n,\n , \n2,Bo\n,\n', ROWS],
    ['empty rows above the header', ',\n\nemployeeId,name\n1,Ada\n2,Bo\n', ROWS],
    ['the separator of Excel', 'sep=;\r\nemployeeId;name\r\n1;Ada\r\n2;Bo\r\n', ROWS],
    ['a quoted separator', '"sep=|"\nemployeeId|name\n1|Ada\n2|Bo\n', ROWS],
    ['a header in CRLF over rows in LF', 'employeeId,name\r\n1,Ada\n2,Bo\n', ROWS],
    ['a header in LF over rows in CRLF', 'employeeId,name\n1,Ada\r\n2,Bo\r\n', ROWS],
    ['lines that end in CR', 'employeeId,name\r1,Ada\r2,Bo\r', ROWS],
    ['a delimiter behind every row', 'employeeId,name\n1,Ada,\n2,Bo,\n', ROWS],
    ['a delimiter behind the header', 'employeeId,name,\n1,Ada\n2,Bo\n', ROWS],
    ['a delimiter behind every line', 'employeeId,name,\n1,Ada,\n2,Bo,\n', ROWS],
    [
      'quotes in values without quotes',
      `employeeId,name,size\n1,Robert "Bob" Roe,5'11"\n2,"Ann ""A"" Poe",""\n`,
      [
        { employeeId: '1', name: 'Robert "Bob" Roe', size: `5'11"` },
        { employeeId: '2', name: 'Ann "A" Poe' },
      ],
    ],
    [
      'a value that begins with a quote',
      'employeeId,name\n1,"""Bo"" Li"\n',
      [{ employeeId: '1', name: '"Bo" Li' }],
    ],
  ])('reads a file with %s', async (_name, text, expected) => {
    await write('people.csv', text);
    const messages = await read();
    expect(only('recordError', messages)).toEqual([]);
    expect(only('record', messages).map(({ data }) => data)).toEqual(expected);
  });

  it('does not shift values where only some rows have a delimiter at their end', async () => {
    await write('people.csv', 'employeeId,name,city\n1,Ada,Ulm,\n2,Bo,Ulm\n3,Cy,,x\n4,Di,Ulm,\n');
    const messages = await read();
    expect(idsOf(messages)).toEqual(['1', '4']);
    expect(only('recordError', messages).map(({ message }) => message)).toEqual([
      'Line 3 has 3 values, but the lines before it have 4.',
      'Line 4 has a value behind the last column of the header.',
    ]);
  });

  it('quarantines a line with a quote in a quoted value, and reads the others', async () => {
    await write('people.csv', 'employeeId,name\n1,Ada\n2,"Robert "Bob" Roe"\n3,Cy\n');
    const messages = await read();
    expect(idsOf(messages)).toEqual(['1', '3']);
    expect(only('recordError', messages)).toEqual([
      {
        type: 'recordError',
        id: '2',
        message: 'Line 3 has a quote in a quoted value, where it must be doubled.',
      },
    ]);
  });

  const columns = (count: number): string =>
    ['employeeId', ...Array.from({ length: count - 1 }, (_, at) => `c${at}`)].join(',');

  it('reads a file with 2,000 columns', async () => {
    await write('people.csv', `${columns(2_000)}\n1${','.repeat(1_999)}\n`);
    expect(idsOf(await read())).toEqual(['1']);
  });

  it.each([
    ['2,001 columns', `${columns(2_001)}\n`, 'The header has 2001 columns; at most 2000'],
    ['a header of 1 MB', `${columns(160_000)}\n`, 'The header line is longer than 64 KiB'],
    ['a header of 1 MB without an end', columns(160_000), 'The header line is longer than 64 KiB'],
    [
      'a header of many lines',
      `employeeId,"${'x\n'.repeat(40_000)}"\n1,2\n`,
      'The header line is longer than 64 KiB',
    ],
    [
      'a record of 300 kB',
      `employeeId,email\n1,${'x'.repeat(300_000)}\n`,
      'A record is longer than 256 KiB',
    ],
    [
      'a record of 2 MB of delimiters',
      `employeeId,email\n1${','.repeat(2_000_000)}\n`,
      'A record is longer than 256 KiB',
    ],
    [
      'a record of delimiters and quoted line breaks',
      `employeeId,email\n1${`,${','.repeat(60_000)}"\n"`.repeat(30)}\n`,
      'A record is longer than 256 KiB',
    ],
  ])('refuses a file with %s', async (_name, text, message) => {
    await write('people.csv', text);
    const fault = await faultOf();
    expect(fault).toMatchObject({ kind: 'schema' });
    expect(fault.message).toContain(message);
  });

  it('lets other work run while it reads many short lines', async () => {
    await write('people.csv', `employeeId\n${'1\n'.repeat(200_000)}`);
    let inTurn = 0;
    let most = 0;
    let isReading = true;
    const nextTurn = (): void => {
      inTurn = 0;
      if (isReading) setImmediate(nextTurn);
    };
    nextTurn();
    const running = await csv.start(hostOf());
    const { signal } = new AbortController();
    const request = {
      mode: 'full',
      cursor: null,
      isResumed: false,
      pageSize: 500,
      signal,
    } as const;
    for await (const { type } of running.read(request)) {
      if (type !== 'record') continue;
      inTurn += 1;
      most = Math.max(most, inTurn);
    }
    isReading = false;
    // 16 KiB.
    expect(most).toBeLessThan(10_000);
  });

  it('never calls a file complete that was cut at any byte', async () => {
    const text = Buffer.from(
      'employeeId,email\r\n1,"ü@example.com"\r\n2,b@example.com\r\nEND,2\r\n',
    );
    for (let length = 0; length < text.length - 3; length += 1) {
      await write('people.csv', text.subarray(0, length));
      expect(await faultOf({ trailer: 'END,{count}' })).toMatchObject({ kind: 'schema' });
    }
    await write('people.csv', text);
    expect(idsOf(await read({ trailer: 'END,{count}' }))).toEqual(['1', '2']);
  });

  it('accepts a last line without an end if the settings allow it', async () => {
    await write('people.csv', 'employeeId\n1\n2');
    expect(idsOf(await read({ lastLine: 'any' }))).toEqual(['1', '2']);
  });

  it('reports lines that cannot be used, and reads the others', async () => {
    await write('people.csv', `employeeId,email\n1,a\n2,b,c\n,d\n${'x'.repeat(201)},e\n3,f\n`);
    const messages = await read();
    expect(idsOf(messages)).toEqual(['1', '3']);
    expect(only('recordError', messages)).toEqual([
      {
        type: 'recordError',
        id: '2',
        message: 'Line 3 has 3 values, but the header has 2 columns.',
      },
      { type: 'recordError', message: 'Line 4 has no employeeId.' },
      { type: 'recordError', message: 'Line 5: employeeId is longer than 200 characters.' },
    ]);
    expect(only('complete', messages)).toHaveLength(1);
  });

  it('continues after the last checkpoint', async () => {
    const lines = Array.from({ length: 25 }, (_, at) => `${at},u${at}@example.com\n`);
    await write('people.csv', `employeeId,email\n${lines.join('')}`);
    const whole = await read({}, { pageSize: 10 });
    for (const { cursor } of only('checkpoint', whole)) {
      const at = whole.findIndex((m) => m.type === 'checkpoint' && m.cursor === cursor);
      const rest = await read({}, { pageSize: 10, isResumed: true, cursor });
      expect(rest).toEqual(whole.slice(at + 1));
    }
    expect(only('checkpoint', whole)).toHaveLength(2);
  });

  it('does not continue in a file that was replaced', async () => {
    await write('people.csv', PEOPLE);
    const [checkpoint] = only('checkpoint', await read({}, { pageSize: 1 }));
    await write('people.csv', `${PEOPLE}4,di@example.com\n`);
    expect(
      await faultOf({}, { isResumed: true, cursor: checkpoint?.cursor ?? null }),
    ).toMatchObject({
      kind: 'schema',
      message: expect.stringContaining('The next run starts again') as string,
    });
  });

  it('is not complete if the file grows while it is read', async () => {
    await write('people.csv', PEOPLE);
    const running = await csv.start(hostOf());
    const messages: ReadMessage[] = [];
    const reading = async (): Promise<void> => {
      const { signal } = new AbortController();
      const request = {
        mode: 'full',
        cursor: null,
        isResumed: false,
        pageSize: 1,
        signal,
      } as const;
      for await (const message of running.read(request)) {
        messages.push(message);
        if (messages.length === 1)
          await appendFile(join(folder, 'people.csv'), '4,di@example.com\n');
      }
    };
    await expect(reading()).rejects.toMatchObject({ kind: 'schema' });
    expect(only('complete', messages)).toEqual([]);
  });

  it('reads only the requested people, and archives nothing', async () => {
    await write('people.csv', PEOPLE);
    const messages = await read({ archive: 'read' }, { ids: ['2', '9'] });
    expect(idsOf(messages)).toEqual(['2']);
    expect(messages.at(-1)).toEqual({ type: 'complete', cursor: null });
    expect(await readdir(folder)).toEqual(['people.csv']);
  });

  it('archives nothing for a preview', async () => {
    await write('people.csv', PEOPLE);
    const messages = await read({ archive: 'read' }, { isTrial: true });
    expect(idsOf(messages)).toEqual(['1', '2', '3']);
    expect(await readdir(folder)).toEqual(['people.csv']);
  });

  it('ends at once if it is aborted', async () => {
    await write('people.csv', PEOPLE);
    const controller = new AbortController();
    const running = await csv.start(hostOf());
    const messages = running.read({
      mode: 'full',
      cursor: null,
      isResumed: false,
      pageSize: 1,
      signal: controller.signal,
    });
    const reading = messages[Symbol.asyncIterator]();
    await reading.next();
    controller.abort(new Error('The run has ended.'));
    await expect(reading.next().then(() => reading.next())).rejects.toThrow('The run has ended.');
  });

  it('explains fields and files to an operator', async () => {
    await cp(FIXTURE, join(folder, 'people.csv'));
    const running = await csv.start(hostOf());
    const { signal } = new AbortController();
    expect(await running.check(signal)).toMatchObject({
      ok: true,
      message: expect.stringMatching(/people\.csv of .* with 13 columns/) as string,
    });
    expect((await running.discover?.(signal))?.map(({ path }) => path)).toContain('department');
  });

  it.each([
    ['no folder', { folder: '/nowhere/at/all' }, 'config', 'There is no folder /nowhere/at/all'],
    ['no file', { files: 'staff-*.csv' }, 'config', 'has no file staff-*.csv'],
  ])('says what to do about %s', async (_name, settings, kind, message) => {
    const running = await csv.start(hostOf(settings));
    const { signal } = new AbortController();
    expect(await running.check(signal)).toMatchObject({
      ok: false,
      kind,
      message: expect.stringContaining(message) as string,
    });
  });

  it('reads 200,000 people with flat memory', async () => {
    const rows = Array.from({ length: 200_000 }, (_, at) => `${at},u${at}@example.com,"x,${at}"\n`);
    await write('people.csv', `employeeId,email,department\n${rows.join('')}`);
    const running = await csv.start(hostOf());
    const { signal } = new AbortController();
    let count = 0;
    const before = usedHeap();
    const grown: number[] = [];
    for await (const message of running.read({
      ...{ mode: 'full', cursor: null, isResumed: false, pageSize: 1_000, signal },
    })) {
      if (message.type === 'record') count += 1;
      if (message.type === 'checkpoint' && count % 20_000 === 0) grown.push(usedHeap() - before);
    }
    expect(count).toBe(200_000);
    expect(grown.length).toBeGreaterThan(5);
    expect(Math.max(...grown)).toBeLessThan(8 * 1_024 * 1_024);
  });
});

describe('the contract, in a folder', () => {
  beforeEach(() => write('people.csv', PEOPLE));
  const breakWith = (text: string) => async () => {
    await write('people.csv', text);
    return () => write('people.csv', PEOPLE);
  };
  const cases = runConnectorContract(csv, {
    settings: () => ({ folder, ready: 'renamed' }),
    ids: ['1', '2', '3'],
    breakages: {
      'a cut file': breakWith(PEOPLE.slice(0, -9)),
      'an empty file': breakWith(''),
      'another header': breakWith(PEOPLE.replace('employeeId', 'number')),
      'a quote that is not closed': breakWith(PEOPLE.replace('bo@', '"bo@')),
      'no file': async () => {
        await rm(join(folder, 'people.csv'));
        return () => write('people.csv', PEOPLE);
      },
    },
  });
  for (const { title, run } of cases) it(title, run);
});

describe('picking up a file', () => {
  const age = (name: string, seconds: number): Promise<void> => {
    const at = new Date(Date.now() - seconds * 1_000);
    return utimes(join(folder, name), at, at);
  };

  it('reads the newest one that matches', async () => {
    await write('people-1.csv', 'employeeId\n1\n');
    await write('people-2.csv', 'employeeId\n2\n');
    await write('other.csv', 'employeeId\n3\n');
    await age('people-1.csv', 60);
    await age('people-2.csv', 120);
    expect(idsOf(await read({ files: 'people-?.csv' }))).toEqual(['1']);
  });

  it.each(['._people.csv', '.people.csv', '~$people.csv'])('never reads %s', async (name) => {
    await write('people.csv', PEOPLE);
    await write(name, 'employeeId\n9\n');
    await utimes(join(folder, name), new Date(), new Date(Date.now() + 60_000));
    expect(idsOf(await read({ files: '*people.csv' }))).toEqual(['1', '2', '3']);
  });

  it('names a file that differs in case only', async () => {
    await write('PEOPLE.CSV', PEOPLE);
    expect((await faultOf({ files: 'people*.csv' })).message).toContain(
      'There is PEOPLE.CSV: upper and lower case are different in `files`.',
    );
  });

  it.each([
    ['*', ['people-1.csv', 'other.csv']],
    ['p*.csv', ['people-1.csv']],
    ['*-*1*', ['people-1.csv']],
    ['**e*r?csv', ['other.csv']],
    ['other.csv', ['other.csv']],
    ['other*other.csv', []],
    ['*e*e*e*', []],
    ['p(eople)*', []],
  ])('matches %s as a shell does', async (files, expected) => {
    const found: string[] = [];
    for (const name of ['people-1.csv', 'other.csv']) {
      await write(name, `employeeId\n${name}\n`);
      await age(name, 60);
      const ids = await read({ files }).then(idsOf, () => []);
      found.push(...ids);
      await rm(join(folder, name));
    }
    expect(found).toEqual(expected);
  });

  it('takes no longer for a name that almost matches several stars', async () => {
    const name = 'a'.repeat(250);
    await write(name, 'employeeId\n1\n');
    await expect(read({ files: `${'***a'.repeat(30)}***b` })).rejects.toThrow('has no file');
  });

  it('does not read a file that still grows', async () => {
    await write('people.csv', 'employeeId\n1\n');
    const grow = (): Promise<void> => appendFile(join(folder, 'people.csv'), '2\n');
    await expect(read({}, {}, { onSleep: grow })).rejects.toMatchObject({
      kind: 'network',
      message: expect.stringContaining('is still being written') as string,
    });
  });

  it('waits for a file that is new, but not for one that is older than `settleFor`', async () => {
    await write('people.csv', 'employeeId\n1\n');
    const fresh = hostOf({ settleFor: '30s' });
    await readAll(csv, fresh);
    expect(fresh.slept).toEqual([30_000]);
    await age('people.csv', 31);
    const old = hostOf({ settleFor: '30s' });
    await readAll(csv, old);
    expect(old.slept).toEqual([]);
  });

  it('waits for the marker, and archives both', async () => {
    await write('people.csv', 'employeeId\n1\n');
    await expect(read({ ready: 'marker' })).rejects.toMatchObject({ kind: 'config' });
    await write('people.csv.done', '');
    expect(idsOf(await read({ ready: 'marker', archive: 'read' }))).toEqual(['1']);
    expect(await readdir(folder)).toEqual(['read']);
    const archived = await readdir(join(folder, 'read'));
    expect(archived.map((name) => name.replace(/^\d{8}T\d{6}Z_/, ''))).toEqual([
      'people.csv',
      'people.csv.done',
    ]);
  });

  it('reads a file that was renamed at once', async () => {
    await write('people.csv.part', 'employeeId\n1\n');
    await expect(read({ ready: 'renamed' })).rejects.toMatchObject({ kind: 'config' });
    await rename(join(folder, 'people.csv.part'), join(folder, 'people.csv'));
    const host = hostOf({ ready: 'renamed' });
    expect(idsOf(await readAll(csv, host))).toEqual(['1']);
    expect(host.slept).toEqual([]);
  });

  it('archives after the end only, with older files, and reads the last one again', async () => {
    await write('a.csv', 'employeeId\n0\n');
    await age('a.csv', 60);
    await write('b.csv', 'employeeId\n1\n2');
    await expect(read({ archive: 'read' })).rejects.toMatchObject({ kind: 'schema' });
    expect((await readdir(folder)).sort()).toEqual(['a.csv', 'b.csv']);
    await write('b.csv', 'employeeId\n1\n2\n');
    const first = await read({ archive: 'read' });
    expect(await readdir(folder)).toEqual(['read']);
    expect(await readdir(join(folder, 'read'))).toHaveLength(2);
    expect(await read({ archive: 'read' })).toEqual(first);
  });

  it('says which file was read, so that the same one again is no other snapshot', async () => {
    const snapshotOf = (messages: readonly ReadMessage[]) =>
      only('complete', messages)[0]?.snapshot;
    await write('people.csv', PEOPLE);
    const first = snapshotOf(await read({ archive: 'read' }));
    expect(first).toEqual(expect.any(String));
    expect(snapshotOf(await read({ archive: 'read' }))).toBe(first);
    // The same people, exported again.
    await write('people.csv', PEOPLE);
    await utimes(join(folder, 'people.csv'), new Date(), new Date(Date.now() + 5_000));
    expect(snapshotOf(await read({ archive: 'read' }))).not.toBe(first);
  });

  it('continues a read whose file has been archived', async () => {
    await write('people.csv', PEOPLE);
    const whole = await read({ archive: 'read' }, { pageSize: 2 });
    const [checkpoint] = only('checkpoint', whole);
    const request = { pageSize: 2, isResumed: true, cursor: checkpoint?.cursor ?? null };
    expect(idsOf(await read({ archive: 'read' }, request))).toEqual(['3']);
  });

  it('refuses a newest file that is too old', async () => {
    await write('people.csv', 'employeeId\n1\n');
    await age('people.csv', 3 * 86_400);
    expect(await faultOf({ maxAge: '48h' })).toMatchObject({
      message: expect.stringContaining('is 72 hours old; `maxAge` is 48 hours') as string,
    });
  });
});

describe('links in the folder', () => {
  const SECRET = 'c2VjcmV0LWtleQ,c2VjcmV0LWtleQ';
  let outside = '';
  beforeEach(async () => {
    outside = await temporaryFolder('csv-outside', cleanup);
    await writeFile(join(outside, 'secret-key'), `${SECRET}\n`);
  });

  const check = async (settings: object = {}) => {
    const running = await csv.start(hostOf(settings));
    return running.check(new AbortController().signal);
  };

  it('refuses a file that is a symbolic link', async () => {
    await symlink(join(outside, 'secret-key'), join(folder, 'people.csv'));
    const result = await check();
    expect(result).toMatchObject({ ok: false, kind: 'config' });
    expect(result.message).toContain('people.csv is a symbolic link');
    expect(result.message).not.toContain('c2Vj');
    expect(await faultOf({ ready: 'renamed' })).toMatchObject({ kind: 'config' });
  });

  it('refuses an archive that leads out of the folder', async () => {
    await writeFile(join(outside, '20260101T000000Z_people.csv'), PEOPLE);
    await symlink(outside, join(folder, 'read'));
    expect((await faultOf({ archive: 'read' })).message).toContain('leads out of the folder');
    const opened = await openLocalFolder(folder);
    await write('people.csv', PEOPLE);
    for (const attempt of [
      () => opened.read('read/secret-key'),
      () => opened.makeFolder('read'),
      () => opened.move('people.csv', 'read/people.csv'),
    ])
      await expect(attempt()).rejects.toMatchObject({ kind: 'config' });
    expect(await readdir(outside)).not.toContain('people.csv');
  });

  it('reads from a folder that is a symbolic link itself', async () => {
    await write('people.csv', PEOPLE);
    await symlink(folder, join(outside, 'hr'));
    expect(idsOf(await read({ folder: join(outside, 'hr') }))).toEqual(['1', '2', '3']);
  });

  it('refuses a pipe at once, without waiting for its writer', async () => {
    spawnSync('mkfifo', [join(folder, 'people.csv')]);
    const opened = await openLocalFolder(folder);
    expect(await opened.list()).toEqual([]);
    await expect(opened.read('people.csv')).rejects.toThrow('is not a regular file');
  });

  it.each([
    ['no known column', `${SECRET}\n`],
    ['no known column and one twice', `${SECRET},\n`],
  ])('shows nothing of a file with %s', async (_name, text) => {
    await write('people.csv', text);
    const { message } = await check();
    expect(message).toContain('It has no known column at all');
    expect(message).not.toContain('c2Vj');
  });
});

describe('the settings', () => {
  const problemsOf = (settings: object): string[] =>
    csv.settings?.safeParse(settings).error?.issues.map(({ message }) => message) ?? [];
  const sftp = { host: 'h', user: 'u', fingerprint: `SHA256:${'A'.repeat(43)}` };

  it.each([
    [{}, 'expected either a folder or sftp'],
    [{ folder: 'a', sftp: { ...sftp, password: 'p' } }, 'expected either a folder or sftp'],
    [{ sftp }, 'expected either a password or a privateKey'],
    [{ folder: 'a', archive: '../b' }, 'expected the name of a folder, without a path'],
    [{ folder: 'a', trailer: 'END' }, 'expected {count} in it'],
    [{ sftp: { ...sftp, password: 'p', fingerprint: 'x' } }, 'expected the SHA-256 fingerprint'],
  ])('refuses %j', (settings, message) => {
    expect(problemsOf(settings).join()).toContain(message);
  });
});

const sshd = await findSshd();

describe.skipIf(!sshd)('the csv connector on OpenSSH', () => {
  const servers = createCleanup();
  afterAll(servers.run);
  let server: SftpServer;
  let starting: Promise<SftpServer> | undefined;
  beforeEach(async () => {
    if (!sshd) return;
    server = await (starting ??= startSftpServer(sshd, servers));
    await rm(server.folder, { recursive: true, force: true });
    await mkdir(server.folder, { mode: 0o777 });
    spawnSync('chmod', ['777', server.folder]);
    await writeFile(join(server.folder, 'people.csv'), PEOPLE, { mode: 0o666 });
  });

  const sftpOf = (settings: object = {}) => ({
    sftp: {
      host: '127.0.0.1',
      port: server.port,
      user: server.user,
      password: server.password,
      fingerprint: server.fingerprint,
      ...settings,
    },
  });
  const hostFor = (settings: object = {}, others: object = {}, options?: SourceHostOptions) =>
    sourceHost(csv, { ...sftpOf(settings), ...others }, options);

  const faultFor = async (settings: object) => {
    const host = hostFor(settings);
    const fault: unknown = await readAll(csv, host).catch((error: unknown) => error);
    expect(host.sockets.every(({ destroyed }) => destroyed)).toBe(true);
    return fault as { readonly kind: string; readonly message: string };
  };

  for (const { title, run } of runConnectorContract(csv, {
    settings: () => sftpOf(),
    badSettings: () => sftpOf({ password: 'not the password' }),
    ids: ['1', '2', '3'],
    breakages: {
      'a cut file': async () => {
        await writeFile(join(server.folder, 'people.csv'), PEOPLE.slice(0, -9));
        return () => writeFile(join(server.folder, 'people.csv'), PEOPLE);
      },
    },
  }))
    it(title, run);

  it('reads with a password, and closes its connection', async () => {
    const host = hostFor();
    expect(idsOf(await readAll(csv, host))).toEqual(['1', '2', '3']);
    expect(host.slept).toEqual([10_000]);
    expect(host.sockets).toHaveLength(1);
    expect(host.sockets.every(({ destroyed }) => destroyed)).toBe(true);
    expect(host.logged.join()).not.toContain(server.password);
  });

  it('reads with a private key', async () => {
    const host = hostFor({ password: undefined, privateKey: server.privateKey });
    expect(idsOf(await readAll(csv, host))).toEqual(['1', '2', '3']);
  });

  it('refuses a server with another host key before it signs in', async () => {
    const fault = await faultFor({ fingerprint: `SHA256:${'A'.repeat(43)}` });
    expect(fault.kind).toBe('config');
    expect(fault.message).toContain(`is ${server.fingerprint}, which is not in`);
  });

  it('accepts one of several host keys', async () => {
    const host = hostFor({ fingerprint: [`SHA256:${'A'.repeat(43)}`, server.fingerprint] });
    expect(idsOf(await readAll(csv, host))).toHaveLength(3);
  });

  it.each([
    ['a wrong password', { password: 'wrong' }, 'auth', 'refused to sign in hr'],
    ['an unknown user', { user: 'mallory' }, 'auth', 'refused to sign in mallory'],
    [
      'an unusable key',
      { password: undefined, privateKey: 'x' },
      'config',
      'private key cannot be used',
    ],
    ['a missing folder', { folder: 'nowhere' }, 'config', 'no such file or folder'],
  ])('says what to do about %s', async (_name, settings, kind, message) => {
    const fault = await faultFor(settings);
    expect(fault.kind).toBe(kind);
    expect(fault.message).toContain(message);
  });

  it('archives on the server, and reads the archived file again', async () => {
    const settings = { archive: 'read', ready: 'renamed' };
    const first = await readAll(csv, hostFor({}, settings));
    expect(await readdir(server.folder)).toEqual(['read']);
    expect(await readAll(csv, hostFor({}, settings))).toEqual(first);
  });

  it('does not read a file that still grows', async () => {
    const grow = (): Promise<void> => appendFile(join(server.folder, 'people.csv'), '4,x\n');
    await expect(readAll(csv, hostFor({}, {}, { onSleep: grow }))).rejects.toMatchObject({
      message: expect.stringContaining('is still being written') as string,
    });
  });

  it('is not complete if the connection breaks', async () => {
    const rows = Array.from({ length: 50_000 }, (_, at) => `${at},u${at}@example.com\n`);
    await writeFile(join(server.folder, 'people.csv'), `employeeId,email\n${rows.join('')}`);
    const host = hostFor();
    const running = await csv.start(host);
    const { signal } = new AbortController();
    const messages: ReadMessage[] = [];
    const reading = async (): Promise<void> => {
      const request = {
        mode: 'full',
        cursor: null,
        isResumed: false,
        pageSize: 100,
        signal,
      } as const;
      for await (const message of running.read(request)) {
        messages.push(message);
        if (messages.length === 500) for (const socket of host.sockets) socket.destroy();
      }
    };
    await expect(reading()).rejects.toMatchObject({ kind: 'network' });
    expect(only('complete', messages)).toEqual([]);
  });

  it('ends between two people if it is aborted', async () => {
    const controller = new AbortController();
    const running = await csv.start(hostFor());
    const messages = running.read({
      mode: 'full',
      cursor: null,
      isResumed: false,
      pageSize: 1,
      signal: controller.signal,
    });
    const reading = messages[Symbol.asyncIterator]();
    await reading.next();
    controller.abort(new Error('The run has ended.'));
    await expect(reading.next().then(() => reading.next())).rejects.toThrow('The run has ended.');
  });
});

it('has a fixture whose header is in its README', async () => {
  const [header = ''] = (await readFile(FIXTURE, 'utf8')).split('\n');
  const readme = await readFile(new URL('../README.md', FIXTURE), 'utf8');
  for (const column of header.split(',')) expect(readme).toContain(`\`${column}\``);
});
