import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAuthority } from '../../scripts/receiver/authority.js';
import { type HttpsReceiver, openHttpsReceiver } from '../../scripts/receiver/https-receiver.js';
import { findingsTable, summaryOf } from '../../src/cli/show-findings.js';
import { CHECKS } from '../../src/doctor/checks.js';
import type { Finding } from '../../src/doctor/diagnose.js';
import { freePort } from '../../src/store/embedded/free-port.js';
import { createTestDatabase } from '../support/database.js';
import { runCli } from '../support/run-cli.js';

const { uri } = createTestDatabase();
const TOKEN = 'an-operators-token-of-this-test';
const SECRET_KEY = randomBytes(32).toString('base64');
let cwd: string;
let receiver: HttpsReceiver;
let env: Record<string, string>;

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'rollgate-cli-doctor-'));
  const authority = createAuthority();
  await writeFile(join(cwd, 'ca.pem'), authority.certificate);
  receiver = await openHttpsReceiver(authority.issue(['localhost', '127.0.0.1']));
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

/** With a receiver on loopback, for the way out. */
const doctor = (more: Record<string, string> = {}, ...words: readonly string[]) =>
  runCli(['doctor', '--egress-host', `127.0.0.1:${receiver.port}`, ...words], {
    cwd,
    env: { ...env, ...more },
  });

const findingsIn = (out: string) => JSON.parse(out) as readonly Finding[];

describe('doctor', () => {
  it('tells each check in a line, what to do below it, and ends with 1 for warnings only', async () => {
    const { exitCode, out, notes } = await doctor();
    expect({ exitCode, notes }).toEqual({ exitCode: 1, notes: '' });
    expect(out).toMatch(/^STATUS +CHECK +FINDING\nOK +node +Node\.js/);
    expect(out).toMatch(/\nOK +database +MongoDB at 127\.0\.0\.1:\d+ answers/);
    expect(out).toMatch(
      /\nWARN +webhook-ranges +Webhooks of every tenant may reach what is not public:\n? *127\.0\.0\.1\.\n +→ Keep plugins\.webhooks\.allow/,
    );
    expect(out).toMatch(/\n\n\d+ OK, 1 to look at, \d+ skipped\.\n$/);
  });

  it('ends with 0 where only names of the Internet are unknown here', async () => {
    const { ROLLGATE_WEBHOOKS_ALLOW: _allow, ROLLGATE_WEBHOOKS_CA: _ca, ...well } = env;
    const { exitCode, out } = await runCli(['doctor', '--json'], { cwd, env: well });
    // On a network with the Internet there is not even the one warning.
    const warned = findingsIn(out).filter(({ status }) => status === 'WARN');
    expect(warned.filter(({ check }) => check !== 'webhook-names')).toEqual([]);
    expect(exitCode).toBe(0);
  });

  it('gives an array to programs', async () => {
    const { exitCode, out } = await doctor({}, '--json');
    expect(exitCode).toBe(1);
    const findings = findingsIn(out);
    expect(findings.map(({ check }) => check)).toEqual(Object.keys(CHECKS));
    expect(findings.filter(({ status }) => status === 'WARN')).toEqual([
      {
        check: 'webhook-ranges',
        status: 'WARN',
        message: expect.any(String) as string,
        remedy: expect.any(String) as string,
        details: { allow: ['127.0.0.1'], opening: ['127.0.0.1'] },
      },
    ]);
  });

  it('names only what is amiss where quiet is wanted', async () => {
    expect((await doctor({}, '--quiet')).out).toBe('webhook-ranges\n');
  });

  it('ends with 2 where something fails, and still tells all the rest', async () => {
    const { exitCode, out } = await doctor({ ROLLGATE_RATE_LIMIT: 'many' }, '--json');
    expect(exitCode).toBe(2);
    expect(findingsIn(out)).toHaveLength(Object.keys(CHECKS).length);
    expect(findingsIn(out)[1]).toMatchObject({
      check: 'configuration',
      status: 'FAIL',
      details: { problems: [{ place: 'environment variable ROLLGATE_RATE_LIMIT' }] },
    });
  });

  it('looks at everything else where only a plugin or a secret is configured wrongly', async () => {
    const broken = {
      ROLLGATE_WEBHOOKS_ALLOW: '10.0.0.0/99',
      ROLLGATE_ADMIN_TOKEN: '',
      ROLLGATE_CONFIG: 'mine.yaml',
    };
    await writeFile(join(cwd, 'mine.yaml'), 'adminToken: { env: NOT_SET }\n');
    const findings = findingsIn((await doctor(broken, '--json')).out);
    const of = (name: string) => findings.find(({ check }) => check === name);
    expect(of('configuration')?.details?.problems).toHaveLength(2);
    expect(of('database')).toMatchObject({ status: 'OK' });
    expect(of('webhook-ranges')).toMatchObject({ status: 'SKIP' });
    expect(of('admin-token')).toMatchObject({ status: 'SKIP' });
  });

  it('takes the folder and the settings of a gateway that is started with the same options', async () => {
    await writeFile(join(cwd, 'other.yaml'), 'dataDir: from-file\nport: 1\n');
    const other = { ROLLGATE_MONGODB_URI: '', ROLLGATE_PORT: '' };
    const words = ['--config', 'other.yaml', '--data-dir', 'from-option', '--json'];
    const findings = findingsIn((await doctor(other, ...words)).out);
    expect(findings.find(({ check }) => check === 'data-folder')?.details).toEqual({
      path: join(cwd, 'from-option'),
    });
    expect(findings.find(({ check }) => check === 'gateway')?.message).toContain('127.0.0.1:1 ');
  });

  it('fails where --url names a gateway that is not there', async () => {
    const url = `http://127.0.0.1:${await freePort('127.0.0.1')}`;
    const findings = findingsIn((await doctor({}, '--url', url, '--json')).out);
    expect(findings.find(({ check }) => check === 'gateway')).toMatchObject({ status: 'FAIL' });
  });

  it('does not know the address of a gateway that takes a free port', async () => {
    const findings = findingsIn((await doctor({ ROLLGATE_PORT: '0' }, '--json')).out);
    expect(findings.find(({ check }) => check === 'gateway')).toMatchObject({
      status: 'SKIP',
      message: expect.stringContaining('--url') as string,
    });
  });

  it.each(['a b', 'https://hooks.test', 'hooks.test/path', 'user@hooks.test', ''])(
    'refuses the receiver "%s"',
    async (host) => {
      const { exitCode, notes } = await runCli(['doctor', '--egress-host', host], { cwd, env });
      expect(exitCode).toBe(2);
      expect(notes).toContain('host:port');
    },
  );

  it('shows no secret in any style, whatever is wrong', async () => {
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
        const { out, notes } = await doctor(more, ...style);
        for (const secret of secrets) expect(out + notes).not.toContain(secret);
      }
    }
  });
});

describe('the table of findings', () => {
  const finding = (status: Finding['status'], more: Partial<Finding> = {}): Finding => ({
    check: 'clock',
    status,
    message: 'It is late.',
    ...more,
  });

  it('has colours on a terminal, and wraps at its width', () => {
    const findings = [finding('FAIL', { message: 'word '.repeat(30).trim(), remedy: 'Hurry.' })];
    const table = findingsTable(findings, { hasColours: true, width: 80 });
    expect(table).toContain('\u001B[31mFAIL\u001B[39m');
    expect(table).toMatch(/\n +→ Hurry\.\n$/);
    const plain = findingsTable(findings, { hasColours: false, width: 80 });
    for (const line of plain.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });

  it('shows nothing that a terminal would obey', () => {
    const table = findingsTable([finding('OK', { message: 'a\u001B[2Jb' })], {
      hasColours: false,
      width: 80,
    });
    expect(table).not.toContain('\u001B');
  });

  it('is summed up', () => {
    const findings = (['OK', 'OK', 'WARN', 'FAIL', 'SKIP'] as const).map((status) =>
      finding(status),
    );
    expect(summaryOf(findings)).toBe('2 OK, 1 to look at, 1 failed, 1 skipped.');
    expect(summaryOf([finding('OK')])).toBe('1 OK.');
  });
});
