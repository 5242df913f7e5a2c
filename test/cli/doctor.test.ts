import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAuthority } from '../../tools/shared/authority.js';
import { type HttpsReceiver, openHttpsReceiver } from '../../tools/shared/https-receiver.js';
import { findingsSummary, findingsTable } from '../../src/cli/commands/doctor.js';
import { BUILT_IN_PLUGINS } from '../../plugins/index.js';
import { CHECKS, type Finding } from '../../src/doctor/diagnose.js';
import { freePort } from '../../src/store/embedded/start-embedded-mongo.js';
import { createTestDatabase } from '../support/database.js';
import { runCli } from '../support/run-cli.js';

const { uri } = createTestDatabase({ isEmpty: true });
const TOKEN = 'an-operators-token-of-this-test';
const SECRET_KEY = randomBytes(32).toString('base64');
let cwd: string;
let receiver: HttpsReceiver;
let env: Record<string, string>;

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'rollgate-cli-doctor-'));
  const authority = await createAuthority();
  await writeFile(join(cwd, 'ca.pem'), authority.certificate);
  receiver = await openHttpsReceiver(await authority.issue(['localhost', '127.0.0.1']));
  env = {
    ROLLGATE_PORT: String(await freePort('127.0.0.1')),
    ROLLGATE_MONGODB_URI: uri,
    ROLLGATE_ADMIN_TOKEN: TOKEN,
    ROLLGATE_SECRET_KEY: SECRET_KEY,
    ROLLGATE_WEBHOOKS_ALLOW: '127.0.0.1',
    ROLLGATE_WEBHOOKS_CA: 'ca.pem',
  };
});
afterAll(async () => {
  await receiver.close();
  await rm(cwd, { recursive: true });
});

/** With a receiver on loopback, for the outbound connection. */
const doctor = (more: Record<string, string> = {}, ...words: readonly string[]) =>
  runCli(['doctor', '--egress-host', `127.0.0.1:${receiver.port}`, ...words], {
    cwd,
    env: { ...env, ...more },
  });

/** Those of the core and of the built-in plugins. */
const ALL_CHECKS = [
  ...Object.keys(CHECKS),
  ...BUILT_IN_PLUGINS.flatMap(({ doctor = [] }) => doctor.map(({ name }) => name)),
];

const findingsIn = (stdout: string) => JSON.parse(stdout) as readonly Finding[];

describe('doctor', () => {
  it('prints a line per check with its remedy, and exits with 0 for warnings only', async () => {
    const { exitCode, stdout, stderr } = await doctor();
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toMatch(/^STATUS +CHECK +FINDING\nOK +node +Node\.js/);
    expect(stdout).toMatch(/\nOK +database +MongoDB at 127\.0\.0\.1:\d+ responds/);
    expect(stdout).toMatch(
      /\nWARN +webhook-allowlist +Webhooks of every tenant can reach non-public addresses:\s+127\.0\.0\.1\.\n +→ Keep plugins\.webhooks\.allow/,
    );
    expect(stdout).toMatch(/\n\n\d+ OK, 1 warning, \d+ skipped\.\n$/);
  });

  it('exits with 0 if only public names cannot be resolved', async () => {
    const { ROLLGATE_WEBHOOKS_ALLOW: _allow, ROLLGATE_WEBHOOKS_CA: _ca, ...well } = env;
    const { exitCode, stdout } = await runCli(['doctor', '--json'], { cwd, env: well });
    // With Internet access, there are no warnings at all.
    const warned = findingsIn(stdout).filter(({ status }) => status === 'WARN');
    expect(warned.filter(({ check }) => check !== 'webhook-dns')).toEqual([]);
    expect(exitCode).toBe(0);
  });

  it('prints an array with --json', async () => {
    const { exitCode, stdout } = await doctor({}, '--json');
    expect(exitCode).toBe(0);
    const findings = findingsIn(stdout);
    expect(findings.map(({ check }) => check)).toEqual(ALL_CHECKS);
    expect(findings.filter(({ status }) => status === 'WARN')).toEqual([
      {
        check: 'webhook-allowlist',
        status: 'WARN',
        message: expect.any(String) as string,
        remedy: expect.any(String) as string,
        details: { allow: ['127.0.0.1'], opening: ['127.0.0.1'] },
      },
    ]);
  });

  it('prints only the names of problems with --quiet', async () => {
    expect((await doctor({}, '--quiet')).stdout).toBe('webhook-allowlist\n');
  });

  it('exits with 1 if a check fails, and still runs the others', async () => {
    const { exitCode, stdout } = await doctor({ ROLLGATE_RATE_LIMIT: 'many' }, '--json');
    expect(exitCode).toBe(1);
    expect(findingsIn(stdout)).toHaveLength(ALL_CHECKS.length);
    expect(findingsIn(stdout)[1]).toMatchObject({
      check: 'configuration',
      status: 'FAIL',
      details: { problems: [{ place: 'environment variable ROLLGATE_RATE_LIMIT' }] },
    });
  });

  it('runs all other checks if only a plugin or a secret is misconfigured', async () => {
    const broken = {
      ROLLGATE_WEBHOOKS_ALLOW: '10.0.0.0/99',
      ROLLGATE_ADMIN_TOKEN: '',
      ROLLGATE_CONFIG: 'mine.yaml',
    };
    await writeFile(join(cwd, 'mine.yaml'), 'adminToken: { env: NOT_SET }\n');
    const findings = findingsIn((await doctor(broken, '--json')).stdout);
    const of = (name: string) => findings.find(({ check }) => check === name);
    expect(of('configuration')?.details?.problems).toHaveLength(2);
    expect(of('database')).toMatchObject({ status: 'OK' });
    expect(of('webhook-allowlist')).toMatchObject({ status: 'SKIP' });
    expect(of('admin-token')).toMatchObject({ status: 'SKIP' });
  });

  it('uses the data folder and settings given as options', async () => {
    await writeFile(join(cwd, 'other.yaml'), 'dataDir: from-file\nport: 1\n');
    const other = { ROLLGATE_MONGODB_URI: '', ROLLGATE_PORT: '' };
    const words = ['--config', 'other.yaml', '--data-dir', 'from-option', '--json'];
    const findings = findingsIn((await doctor(other, ...words)).stdout);
    expect(findings.find(({ check }) => check === 'data-folder')?.details).toEqual({
      path: join(cwd, 'from-option'),
    });
    expect(findings.find(({ check }) => check === 'gateway')?.message).toContain('127.0.0.1:1 ');
  });

  it('fails if --url names an unreachable gateway', async () => {
    const url = `http://127.0.0.1:${await freePort('127.0.0.1')}`;
    const findings = findingsIn((await doctor({}, '--url', url, '--json')).stdout);
    expect(findings.find(({ check }) => check === 'gateway')).toMatchObject({ status: 'FAIL' });
  });

  it('skips the gateway if its port is random', async () => {
    const findings = findingsIn((await doctor({ ROLLGATE_PORT: '0' }, '--json')).stdout);
    expect(findings.find(({ check }) => check === 'gateway')).toMatchObject({
      status: 'SKIP',
      message: expect.stringContaining('--url') as string,
    });
  });

  it.each(['a b', 'https://hooks.test', 'hooks.test/path', 'user@hooks.test', ''])(
    'refuses "%s" as a receiver',
    async (host) => {
      const { exitCode, stderr } = await runCli(['doctor', '--egress-host', host], { cwd, env });
      expect(exitCode).toBe(2);
      expect(stderr).toContain('host:port');
    },
  );

  it('shows no secret in any output style, whatever is wrong', async () => {
    const away = new URL(uri);
    away.username = 'operator';
    away.password = 'hunter2-of-the-database';
    away.search = '';
    const cases: Record<string, string>[] = [
      {},
      { ROLLGATE_MONGODB_URI: away.href },
      { ROLLGATE_MONGODB_URI: 'mongodb://operator:hunter2-of-the-database@:/x' },
      { ROLLGATE_RATE_LIMIT: 'many' },
    ];
    const secrets = [
      TOKEN,
      SECRET_KEY,
      'hunter2-of-the-database',
      decodeURIComponent(new URL(uri).password),
    ];
    for (const more of cases) {
      for (const style of [[], ['--json'], ['--quiet']]) {
        const { stdout, stderr } = await doctor(more, ...style);
        for (const secret of secrets) expect(stdout + stderr).not.toContain(secret);
      }
    }
  });
});

describe('the table of findings', () => {
  const finding = (status: Finding['status'], more: Partial<Finding> = {}): Finding => ({
    check: 'clock',
    status,
    message: 'The clock is late.',
    ...more,
  });

  it('has colours on a terminal and wraps at its width', () => {
    const findings = [finding('FAIL', { message: 'word '.repeat(30).trim(), remedy: 'Set it.' })];
    const table = findingsTable(findings, { hasColours: true, width: 80 });
    expect(table).toContain('\u001B[31mFAIL\u001B[39m');
    expect(table).toMatch(/\n +→ Set it\.\n$/);
    const plain = findingsTable(findings, { hasColours: false, width: 80 });
    for (const line of plain.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });

  it('contains no control characters', () => {
    const table = findingsTable([finding('OK', { message: 'a\u001B[2Jb' })], {
      hasColours: false,
      width: 80,
    });
    expect(table).not.toContain('\u001B');
  });

  it('has a summary', () => {
    const findings = (['OK', 'OK', 'WARN', 'FAIL', 'SKIP'] as const).map((status) =>
      finding(status),
    );
    expect(findingsSummary(findings)).toBe('2 OK, 1 warning, 1 failed, 1 skipped.');
    expect(findingsSummary([finding('OK')])).toBe('1 OK.');
  });
});
