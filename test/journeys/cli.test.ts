import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createTestDatabase } from '../support/database.js';
import { runCli } from '../support/run-cli.js';

const { uri } = createTestDatabase();
let dataDir: string;
let gateway: ChildProcess;
let startMessage: () => string;
let url: string;

interface Started {
  readonly child: ChildProcess;
  /** Its standard error so far. */
  readonly stderr: () => string;
  /** Resolves with exit code and standard error. */
  readonly ended: Promise<readonly [number | null, string]>;
}

const serve = (env: NodeJS.ProcessEnv, ...words: string[]): Started => {
  const command = ['--import', 'tsx', 'src/cli.ts', 'serve', '--port', '0', ...words];
  const settings = { ROLLGATE_MONGODB_URI: uri, ROLLGATE_LOG_LEVEL: 'silent', ...env };
  const child = spawn(process.execPath, command, { env: { ...process.env, ...settings } });
  let output = '';
  child.stderr.on('data', (chunk) => (output += String(chunk)));
  const ended = once(child, 'close').then(([code]) => [code as number | null, output] as const);
  return { child, stderr: () => output, ended };
};

const ready = async ({ child, stderr, ended }: Started): Promise<string> => {
  const isUp = (async () => {
    while (!/ready at \S+/.test(stderr())) await once(child.stderr!, 'data');
  })();
  await Promise.race([isUp, ended]);
  const [, address] = /ready at (\S+)/.exec(stderr()) ?? [];
  if (address === undefined) throw new Error(`The gateway did not start: ${stderr()}`);
  return address;
};

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'rollgate-cli-journey-'));
  const started = serve({}, '--data-dir', dataDir);
  gateway = started.child;
  url = await ready(started);
  startMessage = started.stderr;
});
afterAll(async () => {
  gateway.kill('SIGKILL');
  await rm(dataDir, { recursive: true });
});

/** Runs the CLI, which reads the admin token from the data folder. */
const run = (...words: string[]) =>
  runCli([...words, '--url', url], { env: { ROLLGATE_DATA_DIR: dataDir } });

describe('the start message', () => {
  it('has the addresses, and where the secrets are', async () => {
    await vi.waitFor(() => expect(startMessage()).toContain('Next:'));
    // Browsers have no passkeys on addresses that are no names.
    const site = url.replace('127.0.0.1', 'localhost');
    expect(startMessage()).toContain(`  Dashboard      ${site}/dashboard/\n`);
    expect(startMessage()).toContain(`  API reference  ${url}/docs/\n`);
    expect(startMessage()).toContain(`  Admin token    in ${join(dataDir, 'admin-token')}\n`);
  });

  it('has a command that works as it is printed, without what the gateway was started with', async () => {
    await vi.waitFor(() => expect(startMessage()).toContain('Next:'));
    const [, next = ''] = / {2}Next: (.+)\n/.exec(startMessage()) ?? [];
    for (const command of next.split(' && ')) {
      const [, variables = '', words = ''] =
        /^((?:\w+=\S+ )*)(?:.*\brollgate(?:\.js)?) (.+)$/.exec(command) ?? [];
      const env: Record<string, string> = {};
      for (const [, name = '', value = ''] of variables.matchAll(/(\w+)=(\S+)/g)) env[name] = value;
      expect(env).toEqual({ ROLLGATE_DATA_DIR: dataDir, ROLLGATE_URL: url });
      const { exitCode } = await runCli(words.replaceAll('"', '').split(' '), { env });
      expect(exitCode).toBe(0);
    }
    expect((await run('tenant', 'delete', 'acme', '--yes')).exitCode).toBe(0);
  });

  it('has no dashboard if it is disabled', async () => {
    const other = serve({ ROLLGATE_PLUGINS_DASHBOARD_ENABLED: 'false' }, '--data-dir', dataDir);
    await ready(other);
    await vi.waitFor(() => expect(other.stderr()).toContain('Next:'));
    expect(other.stderr()).not.toContain('Dashboard');
    other.child.kill('SIGTERM');
    await other.ended;
  });
});

describe('rollgate serve', () => {
  it('exits with 0 on SIGTERM', async () => {
    const started = serve({}, '--data-dir', dataDir);
    await ready(started);
    started.child.kill('SIGTERM');
    expect((await started.ended)[0]).toBe(0);
  });
});

describe('rollgate serve that cannot start', () => {
  it('prints the reason and exits with 2 if settings are invalid', async () => {
    const [code, stderr] = await serve({ ROLLGATE_RATE_LIMIT: 'many' }).ended;
    expect(code).toBe(2);
    expect(stderr).toContain('environment variable ROLLGATE_RATE_LIMIT: rateLimit.perMinute');
  });

  it('prints the reason and exits with 1 if the secret key does not fit the database', async () => {
    const secretKey = randomBytes(32).toString('base64');
    const [code, stderr] = await serve({
      ROLLGATE_SECRET_KEY: secretKey,
      ROLLGATE_ADMIN_TOKEN: 'x'.repeat(32),
    }).ended;
    expect(code).toBe(1);
    expect(stderr).toContain('ROLLGATE_SECRET_KEY');
  });
});
