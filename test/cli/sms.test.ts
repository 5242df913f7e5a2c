import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXIT } from '../../src/cli/command-failure.js';
import { readSmsCsv } from '../../src/cli/sms/read-csv.js';
import { csvLineOf } from '../../src/cli/sms/write-csv.js';
import { TestGateway, type TestTenant } from '../support/gateway.js';
import { runCli } from '../support/run-cli.js';

const gateway = TestGateway.use();
let tenant: TestTenant;
let folder: string;
let url: string;

beforeAll(async () => {
  ({ url } = await gateway.open());
  tenant = await gateway.tenant();
  folder = await mkdtemp(join(tmpdir(), 'rollgate-sms-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const run = (...words: readonly string[]) =>
  runCli(['sms', ...words], {
    cwd: folder,
    env: { ROLLGATE_URL: url, ROLLGATE_TENANT: tenant.slug, ROLLGATE_API_KEY: tenant.key },
  });

const makeList = async (name: string): Promise<string> => {
  const { body } = await tenant.native<{ id: string }>('POST', '/sms-lists', { name });
  return body.id;
};

const membersOf = async (id: string) => {
  const path = `/sms-lists/${id}/members`;
  const { body } = await tenant.native<{ members: Record<string, unknown>[] }>('GET', path);
  return body.members;
};

const file = (name: string, lines: readonly string[]) =>
  writeFile(join(folder, name), `${lines.join('\n')}\n`);

describe('rollgate sms import', () => {
  it('adds and updates what the file says, and leaves the others', async () => {
    const id = await makeList('Import');
    await file('one.csv', [
      'phone_number,display_name,valid_from,valid_until',
      '+49 1512 3456789,"Lovelace, Ada",,2027-01-01T00:00:00Z',
      '+12025550143,,,',
    ]);
    const first = await run('import', 'one.csv', '--list', 'import');
    expect(first).toMatchObject({ exitCode: EXIT.ok });
    expect(first.out).toBe('Added 2, updated 0, left 0 as they are; 0 bad lines.\n');
    expect(first.notes).toContain('Imported 2 of 2 lines');
    await file('two.csv', ['display_name;phone_number', 'Ada;+4915123456789', ';+447911123456']);
    const second = await run('import', 'two.csv', '--list', id);
    expect(second.out).toBe('Added 1, updated 1, left 0 as they are; 0 bad lines.\n');
    expect(await membersOf(id)).toMatchObject([
      {
        phone_number: '+4915123456789',
        display_name: 'Ada',
        valid_until: '2027-01-01T00:00:00.000Z',
      },
      { phone_number: '+12025550143' },
      { phone_number: '+447911123456', display_name: null },
    ]);
  });

  it('changes nothing while there are bad lines, and names them without their numbers', async () => {
    const id = await makeList('Bad lines');
    await file('bad.csv', [
      'phone_number,valid_from,valid_until',
      '+4915123456789,,',
      '',
      '0151 99999,,',
      '+4915123456780,2027-01-02T00:00:00Z,2027-01-01T00:00:00Z',
      '+4915123456781,tomorrow,',
      '+49 (1512) 345-6789,,',
    ]);
    const refused = await run('import', 'bad.csv', '--list', 'Bad lines');
    expect(refused.exitCode).toBe(EXIT.refused);
    expect(refused.notes).toContain('line 4: phone_number must be a phone number');
    expect(refused.notes).toContain('line 5: valid_until must be after valid_from');
    expect(refused.notes).toContain('line 6: valid_from must be a time');
    expect(refused.notes).toContain('line 7: is the same number as line 2');
    expect(refused.notes + refused.out).not.toMatch(/\d{5}/);
    expect(await membersOf(id)).toEqual([]);
    const skipped = await run('import', 'bad.csv', '--list', 'Bad lines', '--skip-bad-lines');
    expect(skipped).toMatchObject({ exitCode: EXIT.ok });
    expect(skipped.out).toBe('Added 1, updated 0, left 0 as they are; 4 bad lines.\n');
  });

  it('takes a line of too few or too many cells for a bad one, and passes over empty ones', async () => {
    const id = await makeList('Cells');
    await file('cells.csv', [
      'phone_number;display_name',
      '+4915123456789;Ada',
      ';',
      ' ; ',
      '+4915123456780',
      '+4915123456781;Zoë;Ünal',
      '+4915123456782;Zoë',
    ]);
    const refused = await run('import', 'cells.csv', '--list', 'Cells');
    expect(refused.exitCode).toBe(EXIT.refused);
    expect(refused.notes).toContain('line 5: has not as many cells as the header');
    expect(refused.notes).toContain('line 6: has not as many cells as the header');
    expect(await membersOf(id)).toEqual([]);
    const skipped = await run(
      'import',
      'cells.csv',
      '--list',
      'Cells',
      '--skip-bad-lines',
      '--json',
    );
    expect(JSON.parse(skipped.out)).toMatchObject({ lines: 4, added: 2, unchanged: 0 });
  });

  it.each([
    [
      'Windows-1252',
      Buffer.from('phone_number;display_name\r\n+4915123456789;M\xfcller\r\n', 'latin1'),
    ],
    ['UTF-16', Buffer.from('\ufeffphone_number\r\n+4915123456789\r\n', 'utf16le')],
  ])('refuses a file in %s, and says how to save it', async (encoding, bytes) => {
    const id = await makeList(`In ${encoding}`);
    await writeFile(join(folder, 'coded.csv'), bytes);
    const { exitCode, notes } = await run('import', 'coded.csv', '--list', id);
    expect([exitCode, notes]).toEqual([EXIT.usage, expect.stringContaining('CSV UTF-8')]);
    expect(await membersOf(id)).toEqual([]);
  });

  it('says that the file is not there', async () => {
    const { exitCode, notes } = await run('import', 'none.csv', '--list', 'Bad lines');
    expect(exitCode).toBe(EXIT.usage);
    expect(notes).toContain('none.csv does not exist (ENOENT).');
  });

  it('finds every bad line of many, and a thousand lines at a time goes through', async () => {
    const id = await makeList('Many');
    const lines = Array.from({ length: 1_500 }, (_, at) =>
      at % 5 === 0 ? 'nobody' : `+4915${String(at).padStart(9, '0')}`,
    );
    // A bad line is told once for each: they are not one number that is repeated.
    await file('many.csv', [
      'phone_number',
      ...lines.map((text, at) => (text === 'nobody' ? `nobody${at}` : text)),
    ]);
    const dry = await run('import', 'many.csv', '--list', 'Many', '--dry-run', '--json');
    expect(JSON.parse(dry.out)).toMatchObject({ added: 1_200, updated: 0, unchanged: 0 });
    expect((JSON.parse(dry.out) as { bad_lines: unknown[] }).bad_lines).toHaveLength(300);
    expect(await membersOf(id)).toEqual([]);
    await run('import', 'many.csv', '--list', 'Many', '--skip-bad-lines');
    const list = await tenant.native('GET', `/sms-lists/${id}`);
    expect(list.body.member_count).toBe(1_200);
  });

  it.each([
    ['no column phone_number', 'display_name\nAda\n'],
    ['nothing in it', ''],
    ['blank lines alone', '\n \n'],
    ['a column that is not known', 'phone_number,e-mail\n+4915123456789,a@b.c\n'],
    ['a column twice', 'phone_number,phone_number\n+4915123456789,+4915123456789\n'],
    ['a quote that does not end', 'phone_number\n"+4915123456789\n'],
  ])('refuses a file with %s', async (_what, text) => {
    await writeFile(join(folder, 'wrong.csv'), text);
    const { exitCode, notes } = await run('import', 'wrong.csv', '--list', 'Import');
    expect(exitCode).toBe(EXIT.usage);
    expect(notes).not.toMatch(/\d{6}/);
  });

  it('says what is missing: a list, a key, a tenant', async () => {
    await file('one.csv', ['phone_number', '+4915123456789']);
    const words = ['sms', 'import', 'one.csv', '--list', 'x'];
    expect((await run('import', 'one.csv', '--list', 'Nowhere')).notes).toContain('no SMS list');
    const keyless = await runCli(words, { cwd: folder, env: { ROLLGATE_TENANT: 'acme' } });
    expect([keyless.exitCode, keyless.notes]).toEqual([
      EXIT.unauthenticated,
      expect.stringContaining('ROLLGATE_API_KEY'),
    ]);
    const nowhere = await runCli(words, { cwd: folder, env: { ROLLGATE_API_KEY: 'k' } });
    expect([nowhere.exitCode, nowhere.notes]).toEqual([
      EXIT.usage,
      expect.stringContaining('ROLLGATE_TENANT'),
    ]);
  });
});

describe('rollgate sms export', () => {
  it('writes what the import reads, with formulas neutralised', async () => {
    const id = await makeList('Export');
    const name = '=HYPERLINK("http://x";"y")';
    await tenant.native('POST', `/sms-lists/${id}/members`, {
      members: [
        { phone_number: '+4915123456789', display_name: name, valid_until: '2027-01-01T00:00:00Z' },
        { phone_number: '+12025550143', display_name: '-2' },
      ],
    });
    const { out } = await run('export', '--list', 'Export');
    expect(out).toBe(
      'phone_number,display_name,valid_from,valid_until\n' +
        `+4915123456789,"'=HYPERLINK(""http://x"";""y"")",,2027-01-01T00:00:00.000Z\n` +
        "+12025550143,'-2,,\n",
    );
    expect(readSmsCsv(out).rows.map(({ member }) => member.display_name)).toEqual([name, '-2']);
    const at = await run('export', '--list', 'Export', '--at', '2027-01-01T00:00:00Z');
    expect(at.out.split('\n')).toHaveLength(3);
  });

  it('makes a file for its owner alone, and overwrites none', async () => {
    await run('export', '--list', 'Export', '--out', 'saved.csv');
    const path = join(folder, 'saved.csv');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const before = await readFile(path, 'utf8');
    const again = await run('export', '--list', 'Export', '--out', 'saved.csv');
    expect(again.exitCode).toBe(EXIT.usage);
    expect(again.notes).toMatch(/saved\.csv is there already\.\n.*give --out another name/);
    expect(await readFile(path, 'utf8')).toBe(before);
  });
});

describe('rollgate sms', () => {
  it('lists lists and shows one, without numbers', async () => {
    await makeList('Shown');
    const list = await run('list');
    expect(list.out).toContain('Shown');
    const show = await run('show', 'SHOWN', '--json');
    expect(JSON.parse(show.out)).toMatchObject({ name: 'Shown', member_count: 0 });
  });

  it('asks for another key where this one is refused', async () => {
    const { exitCode, notes } = await run('list', '--key', 'rg_wrong');
    expect(exitCode).toBe(EXIT.unauthenticated);
    expect(notes).toContain('The API key comes from --key');
  });
});

describe('a line of CSV', () => {
  it.each([
    ...['=1+1', '+1', '-1', '@x', '\tx', 'a,b', 'a"b', "'", 'a\nb'],
    ...["'=1+1", "''@x", "'Zoë", ' Ada', 'Ada ', '\u00a0Ada', '\ufeffAda', "' =1"],
  ])('brings %j back', (name) => {
    const line = csvLineOf({
      phone_number: '+4915123456789',
      display_name: name,
      valid_from: null,
      valid_until: null,
    });
    const { rows } = readSmsCsv(`phone_number,display_name,valid_from,valid_until\n${line}`);
    expect(rows[0]?.member.display_name).toBe(name);
  });
});
