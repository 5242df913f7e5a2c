import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXIT } from '../../src/cli/cli-error.js';
import { TestGateway, type TestTenant } from '../support/gateway.js';
import { runCli } from '../support/run-cli.js';
import { operatorCli } from './real-cli.js';

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

const run = (verb: string, ...words: readonly string[]) =>
  runCli(['sms', verb, tenant.slug, ...words], {
    cwd: folder,
    env: { ROLLGATE_URL: url, ROLLGATE_API_KEY: tenant.key },
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
  it('adds and updates the numbers of the file, and keeps the others', async () => {
    const id = await makeList('Import');
    await file('one.csv', [
      'phone_number,display_name,valid_from,valid_until',
      '+49 1512 3456789,"Lovelace, Ada",,2027-01-01T00:00:00Z',
      '+12025550143,,,',
    ]);
    const first = await run('import', 'import', 'one.csv');
    expect(first).toMatchObject({ exitCode: EXIT.ok });
    expect(first.stdout).toBe('Imported: 2 added, 0 updated, 0 unchanged, 0 invalid.\n');
    await file('two.csv', ['display_name;phone_number', 'Ada;+4915123456789', ';+447911123456']);
    const second = await run('import', id, 'two.csv');
    expect(second.stdout).toBe('Imported: 1 added, 1 updated, 0 unchanged, 0 invalid.\n');
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

  it('imports nothing if lines are invalid, and lists them without their numbers', async () => {
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
    const refused = await run('import', 'Bad lines', 'bad.csv');
    expect(refused.exitCode).toBe(EXIT.failed);
    expect(refused.stderr).toContain('line 4: phone_number must be a phone number');
    expect(refused.stderr).toContain('line 5: valid_until must be after valid_from');
    expect(refused.stderr).toContain('line 6: valid_from must be a time');
    expect(refused.stderr).toContain('line 7: same number as line 2');
    expect(refused.stderr + refused.stdout).not.toMatch(/\d{5}/);
    expect(await membersOf(id)).toEqual([]);
    const skipped = await run('import', 'Bad lines', 'bad.csv', '--skip-bad-lines');
    expect(skipped).toMatchObject({ exitCode: EXIT.ok });
    expect(skipped.stdout).toBe('Imported: 1 added, 0 updated, 0 unchanged, 4 invalid.\n');
  });

  it.each([
    [
      'Windows-1252',
      Buffer.from('phone_number;display_name\r\n+4915123456789;M\xfcller\r\n', 'latin1'),
    ],
    ['UTF-16', Buffer.from('\ufeffphone_number\r\n+4915123456789\r\n', 'utf16le')],
  ])('refuses a file in %s and says how to save it', async (encoding, bytes) => {
    const id = await makeList(`In ${encoding}`);
    await writeFile(join(folder, 'coded.csv'), bytes);
    const { exitCode, stderr } = await run('import', id, 'coded.csv');
    expect([exitCode, stderr]).toEqual([EXIT.usage, expect.stringContaining('CSV UTF-8')]);
    expect(await membersOf(id)).toEqual([]);
  });

  it('fails if the file does not exist', async () => {
    const { exitCode, stderr } = await run('import', 'Bad lines', 'none.csv');
    expect(exitCode).toBe(EXIT.usage);
    expect(stderr).toContain('none.csv does not exist (ENOENT).');
  });

  it('reports all invalid lines, and imports more than one request holds', async () => {
    const id = await makeList('Many');
    const lines = Array.from({ length: 1_500 }, (_, at) =>
      at % 5 === 0 ? 'invalid' : `+4915${String(at).padStart(9, '0')}`,
    );
    // All different, so that none is reported as a duplicate.
    await file('many.csv', [
      'phone_number',
      ...lines.map((text, at) => (text === 'invalid' ? `invalid${at}` : text)),
    ]);
    const dry = await run('import', 'Many', 'many.csv', '--dry-run', '--json');
    expect(JSON.parse(dry.stdout)).toMatchObject({ added: 1_200, updated: 0, unchanged: 0 });
    expect((JSON.parse(dry.stdout) as { bad_lines: unknown[] }).bad_lines).toHaveLength(300);
    expect(await membersOf(id)).toEqual([]);
    await run('import', 'Many', 'many.csv', '--skip-bad-lines');
    const list = await tenant.native('GET', `/sms-lists/${id}`);
    expect(list.body.member_count).toBe(1_200);
  });

  it('says why a file cannot be read, without its numbers', async () => {
    await makeList('Refused');
    await writeFile(join(folder, 'wrong.csv'), 'phone_number,e-mail\n+4915123456789,a@b.c\n');
    const { exitCode, stderr } = await run('import', 'Refused', 'wrong.csv');
    expect(exitCode).toBe(EXIT.failed);
    expect(stderr).toContain('The file has a column that is not known.');
    expect(stderr).not.toMatch(/\d{6}/);
  });
});

describe('rollgate sms export', () => {
  it('writes what import reads, with formulas neutralised', async () => {
    const id = await makeList('Export');
    const name = '=HYPERLINK("http://x";"y")';
    await tenant.native('POST', `/sms-lists/${id}/members`, {
      members: [
        { phone_number: '+4915123456789', display_name: name, valid_until: '2027-01-01T00:00:00Z' },
        { phone_number: '+12025550143', display_name: '-2' },
      ],
    });
    const { stdout } = await run('export', 'Export');
    expect(stdout).toBe(
      'phone_number,display_name,valid_from,valid_until\n' +
        `+4915123456789,"'=HYPERLINK(""http://x"";""y"")",,2027-01-01T00:00:00.000Z\n` +
        "+12025550143,'-2,,\n",
    );
    await writeFile(join(folder, 'exported.csv'), stdout);
    const again = await run('import', 'Export', 'exported.csv');
    expect(again.stdout).toBe('Imported: 0 added, 0 updated, 2 unchanged, 0 invalid.\n');
    const at = await run('export', 'Export', '--at', '2027-01-01T00:00:00Z');
    expect(at.stdout.split('\n')).toHaveLength(3);
  });

  it('creates a file readable by its owner only, and overwrites none', async () => {
    await run('export', 'Export', '--out', 'saved.csv');
    const path = join(folder, 'saved.csv');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const before = await readFile(path, 'utf8');
    const again = await run('export', 'Export', '--out', 'saved.csv');
    expect(again.exitCode).toBe(EXIT.usage);
    expect(again.stderr).toMatch(/saved\.csv already exists\.\n.*another name with --out/);
    expect(await readFile(path, 'utf8')).toBe(before);
  });
});

describe('rollgate sms with the admin token', () => {
  const operator = operatorCli(gateway);
  const byOperator = (verb: string, ...words: readonly string[]) =>
    operator(['sms', verb, tenant.slug, ...words], { cwd: folder });

  it('exports nothing, because operators see masked numbers', async () => {
    await makeList('Secret');
    const { exitCode, stderr } = await byOperator('export', 'Secret');
    expect([exitCode, stderr]).toMatchObject([EXIT.failed, /^error: No API key\.\n/]);
  });
});

describe('rollgate sms', () => {
  it('creates, updates and deletes a list', async () => {
    const created = await run('create', 'Holidays', '--valid-until', '2027-01-01');
    expect(created).toMatchObject({ exitCode: EXIT.ok, stderr: 'Created SMS list Holidays.\n\n' });
    expect(created.stdout).toMatch(/\nvalid +until 2027-01-01T00:00Z \(in \d+ \w+\)\n/);
    const words = ['--name', 'Vacations', '--valid-until', 'none'];
    const updated = await run('update', 'holidays', ...words);
    expect(updated.stderr).toBe('Updated SMS list Vacations.\n\n');
    expect(updated.stdout).toMatch(/\nvalid +always\n/);
    const refused = await run('delete', 'Vacations');
    expect([refused.exitCode, refused.stderr]).toMatchObject([EXIT.usage, /with 0 numbers/]);
    const deleted = await run('delete', 'Vacations', '--yes');
    expect(deleted.stderr).toBe('Deleted SMS list Vacations.\n');
    expect((await run('show', 'Vacations')).exitCode).toBe(EXIT.failed);
  });

  it('lists lists and shows one, without numbers', async () => {
    await makeList('Shown');
    const list = await run('list');
    expect(list.stdout).toContain('Shown');
    const show = await run('show', 'SHOWN', '--json');
    expect(JSON.parse(show.stdout)).toMatchObject({ name: 'Shown', member_count: 0 });
  });
});
