import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestGateway, type TestTenant } from '../support/gateway.js';
import { runCli } from '../support/run-cli.js';
import { operatorCli } from './real-cli.js';

const gateway = TestGateway.use();
const cli = operatorCli(gateway);
const folder = mkdtempSync(join(tmpdir(), 'rollgate-audit-'));
const env = { ROLLGATE_DATA_DIR: join(folder, 'data') };
let tenant: TestTenant;
let lines: readonly string[];

beforeAll(async () => {
  tenant = await gateway.tenant();
  for (const name of ['ada', 'grace', 'joan', 'mary'])
    await tenant.native('POST', '/users', { email: `${name}@example.com` });
  const { exitCode, stderr } = await cli(
    ['audit', 'export', tenant.slug, '--until', '2100-01-01', '--out', 'log.ndjson'],
    { env, cwd: folder },
  );
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
  lines = readFileSync(join(folder, 'log.ndjson'), 'utf8').trimEnd().split('\n');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const verify = async (changed: readonly string[], ...words: readonly string[]) => {
  const file = join(folder, 'changed.ndjson');
  writeFileSync(file, changed.map((line) => `${line}\n`).join(''));
  return runCli(['audit', 'verify', 'changed.ndjson', ...words], { env, cwd: folder });
};

const report = async (changed: readonly string[]) => {
  const { exitCode, stdout } = await verify(changed, '--json');
  const { ok, problems } = JSON.parse(stdout) as { ok: boolean; problems: unknown };
  expect(exitCode).toBe(ok ? 0 : 1);
  return problems;
};

const ENTRIES = 6;

describe('audit export', () => {
  it('writes a header, the entries and a signed head', () => {
    expect(lines.map((line) => (JSON.parse(line) as { kind: string }).kind)).toEqual([
      'header',
      ...Array.from({ length: lines.length - 2 }, () => 'entry'),
      'head',
    ]);
    expect(lines.length - 2).toBeGreaterThanOrEqual(ENTRIES - 1);
    expect(JSON.parse(lines[1] ?? '')).toMatchObject({
      seq: 1,
      entry: { type: 'user.create', subject: { name: 'mary@example.com' } },
    });
  });

  it('creates its key pair at first use, readable by its owner only, and no file twice', async () => {
    expect(statSync(join(env.ROLLGATE_DATA_DIR, 'audit-key')).mode & 0o777).toBe(0o600);
    const again = await cli(['audit', 'export', tenant.slug, '--out', 'log.ndjson'], {
      env,
      cwd: folder,
    });
    expect(again).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('EEXIST') as string,
    });
  });
});

describe('audit verify', () => {
  it('accepts an export as it was written', async () => {
    expect(await verify(lines)).toMatchObject({
      exitCode: 0,
      stderr: '',
      stdout: expect.stringMatching(/^Intact: \d+ entries, signed at \S+Z\.\n$/) as string,
    });
  });

  it('finds a changed line, and stops there', async () => {
    const changed = lines.with(2, lines[2]?.replace('joan@', 'jean@') ?? '');
    expect(await report(changed)).toEqual([
      { line: 3, problem: 'it was changed: its content does not match its hash' },
    ]);
    expect((await verify(changed)).stdout).toBe(
      'changed.ndjson, line 3: it was changed: its content does not match its hash\n',
    );
  });

  it.each<[string, () => readonly string[], number | null, string]>([
    ['a removed line', () => lines.toSpliced(2, 1), 3, 'it does not follow line 2: '],
    ['an inserted line', () => lines.toSpliced(4, 0, lines[1] ?? ''), 5, 'it does not follow'],
    ['moved lines', () => lines.toSpliced(2, 2, lines[3] ?? '', lines[2] ?? ''), 3, 'it does not'],
    ['a foreign line', () => lines.toSpliced(2, 0, '{"kind":"entry"}'), 3, 'it is not a line of'],
    ['no header', () => lines.slice(1), 1, 'the header is missing'],
    ['a removed end', () => lines.slice(0, -1), null, 'the signed end is missing'],
    [
      'a line after the end',
      () => [...lines, lines[1] ?? ''],
      ENTRIES + 3,
      'it follows the signed',
    ],
    ['an empty file', () => [], null, 'the file is empty'],
  ])('finds %s', async (_name, changed, line, problem) => {
    expect(await report(changed())).toEqual([
      { line, problem: expect.stringContaining(problem) as string },
    ]);
  });

  it('finds a line that was written anew with the hash of its new content', async () => {
    // Given a changed line with a hash of its own
    const content = (lines[2] ?? '').replace('joan@', 'jean@').replace(/,"hash":"[^"]*"\}$/, '');
    const hash = createHash('sha256').update(content).digest('hex');
    // Then the next line has the hash of the old one
    expect(await report(lines.with(2, `${content},"hash":"${hash}"}`))).toEqual([
      { line: 4, problem: expect.stringContaining('it does not follow line 3') as string },
    ]);
  });

  it('finds a chain that was written anew with another key', async () => {
    // Given an export with a key of its own
    const other = { env: { ROLLGATE_DATA_DIR: join(folder, 'other') }, cwd: folder };
    const { stdout } = await cli(['audit', 'export', tenant.slug], other);
    // Then the key of this data folder has not signed it
    const forged = stdout.trimEnd().split('\n');
    expect(await report(forged)).toEqual([
      { line: forged.length, problem: 'it is signed by another key' },
    ]);
    // And a head with the public key of the other one does not verify either
    const head = JSON.parse(lines.at(-1) ?? '') as { public_key: string };
    const words = ['--public-key', head.public_key];
    expect((await verify(forged, ...words)).exitCode).toBe(1);
    expect((await verify(lines, ...words)).exitCode).toBe(0);
  });

  it('warns if no trusted key is known', async () => {
    const file = join(folder, 'log.ndjson');
    const elsewhere = { env: { ROLLGATE_DATA_DIR: join(folder, 'nothing') }, cwd: folder };
    const { exitCode, stderr } = await runCli(['audit', 'verify', file], elsewhere);
    expect({ exitCode, stderr }).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('which is not checked') as string,
    });
    expect(await runCli(['audit', 'verify', 'none'], elsewhere)).toMatchObject({ exitCode: 2 });
  });
});

describe('export', () => {
  it('writes a file for each kind of data, with masked numbers', async () => {
    // Given a list with a number
    const list = await tenant.native<{ id: string }>('POST', '/sms-lists', {
      name: 'Fire',
      external_id: 'fire',
    });
    await tenant.native('POST', `/sms-lists/${list.body.id}/members`, {
      members: [{ phone_number: '+4915112345678' }],
    });

    // And an attribute of its own
    await cli(['attribute', 'set', tenant.slug, 'costCenter']);

    // When the tenant is exported
    const { exitCode, stdout, stderr } = await cli(['export', tenant.slug, 'out'], { cwd: folder });
    expect(stderr).toContain('Exporting SMS lists …\n');

    // Then each file has its lines
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^FILE +LINES\nusers\.ndjson +4\n/);
    expect(readdirSync(join(folder, 'out'))).toHaveLength(13);
    expect(readdirSync(join(folder, 'out'))).toContain('webhooks.ndjson');
    const read = (name: string) => readFileSync(join(folder, 'out', name), 'utf8');
    expect(read('users.ndjson').trimEnd().split('\n')).toHaveLength(4);
    expect(read('log.ndjson')).toContain('sms-member.upsert');
    expect(read('attributes.ndjson')).toMatch(/^\{"name":"costCenter".*\}\n$/);
    expect(read('sms-members.ndjson')).toMatch(/"\+49•+\d+"/);
    expect(read('sms-members.ndjson')).not.toContain('15112345678');

    // And it is not overwritten
    const again = await cli(['export', tenant.slug, 'out'], { cwd: folder });
    expect(again).toMatchObject({ exitCode: 1 });
  });

  it('has the lists of the enabled plugins only', async () => {
    const options = { cwd: folder, env: { ...env, ROLLGATE_WEBHOOKS_ENABLED: 'false' } };
    expect(await cli(['export', tenant.slug, 'core'], options)).toMatchObject({ exitCode: 0 });
    const files = readdirSync(join(folder, 'core'));
    expect(files).toHaveLength(12);
    expect(files).not.toContain('webhooks.ndjson');
  });
});

describe('audit export --after', () => {
  const options = { env, cwd: folder };
  const exportTo = (file: string, ...words: readonly string[]) =>
    cli(['audit', 'export', tenant.slug, '--out', file, ...words], options);
  const verifyAfter = (file: string, earlier: string) =>
    runCli(['audit', 'verify', file, '--after', earlier, '--json'], options);
  const entriesOf = (file: string) =>
    readFileSync(join(folder, file), 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('{"kind":"entry"'))
      .map((line) => (JSON.parse(line) as { entry: { subject: { name: string } } }).entry);

  it('continues an export with what is new, and verify checks both', async () => {
    // Given an export, and a user who was created since
    await exportTo('one.ndjson');
    await tenant.native('POST', '/users', { email: 'new@example.com' });

    // When the next export continues it
    const next = await exportTo('two.ndjson', '--after', 'one.ndjson');

    // Then it has the new entry only, and its link to the first one is intact
    expect(next).toMatchObject({ exitCode: 0, stdout: 'Exported 1 entry to two.ndjson.\n' });
    expect(entriesOf('two.ndjson').map(({ subject }) => subject.name)).toEqual(['new@example.com']);
    const { exitCode, stdout } = await verifyAfter('two.ndjson', 'one.ndjson');
    expect([exitCode, JSON.parse(stdout)]).toMatchObject([0, { ok: true, entries: 1 }]);
    const alone = await runCli(['audit', 'verify', 'two.ndjson'], options);
    expect(alone).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^Intact: 1 entry, signed/) as string,
      stderr: expect.stringContaining('continues an earlier export') as string,
    });
  });

  it('has what is newest although the clock here is behind', async () => {
    await tenant.native('POST', '/users', { email: 'newest@example.com' });
    const now = new Date(Date.now() - 60_000);
    const words = ['audit', 'export', tenant.slug, '--out', 'late.ndjson'];
    await cli(words, { ...options, now });
    expect(entriesOf('late.ndjson').map(({ subject }) => subject.name)).toContain(
      'newest@example.com',
    );
  });

  it('is refused by verify for any other export, and for a changed one', async () => {
    const other = await verifyAfter('two.ndjson', 'log.ndjson');
    expect([other.exitCode, JSON.parse(other.stdout)]).toMatchObject([
      1,
      { problems: [{ line: 1, problem: 'it does not continue the earlier export' }] },
    ]);
    const text = readFileSync(join(folder, 'one.ndjson'), 'utf8').replace('grace@', 'greta@');
    writeFileSync(join(folder, 'forged.ndjson'), text);
    const forged = await verifyAfter('two.ndjson', 'forged.ndjson');
    expect([forged.exitCode, JSON.parse(forged.stdout)]).toMatchObject([
      1,
      { problems: [{ problem: 'it was changed: its content does not match its hash' }] },
    ]);
    const refused = await exportTo('three.ndjson', '--after', 'forged.ndjson');
    expect([refused.exitCode, refused.stderr]).toMatchObject([1, /not an intact export/]);
    expect(readdirSync(folder)).not.toContain('three.ndjson');
    expect(await exportTo('three.ndjson', '--after', 'one.ndjson', '--since', '1h')).toMatchObject({
      exitCode: 2,
    });
  });
});
