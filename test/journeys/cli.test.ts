import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import got from 'got';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase } from '../support/database.js';
import { runCli } from '../support/run-cli.js';

const { uri } = createTestDatabase();
let dataDir: string;
let gateway: ChildProcess;
let url: string;

interface Started {
  readonly child: ChildProcess;
  /** Everything it has said to people so far. */
  readonly said: () => string;
  /** Resolves with what it had said when it ended. */
  readonly ended: Promise<readonly [number | null, string]>;
}

const serve = (env: NodeJS.ProcessEnv, ...words: string[]): Started => {
  const command = ['--import', 'tsx', 'src/cli.ts', 'serve', '--port', '0', ...words];
  const settings = { ROLLGATE_MONGODB_URI: uri, ROLLGATE_LOG_LEVEL: 'silent', ...env };
  const child = spawn(process.execPath, command, { env: { ...process.env, ...settings } });
  let said = '';
  child.stderr.on('data', (chunk) => (said += String(chunk)));
  const ended = once(child, 'close').then(([code]) => [code as number | null, said] as const);
  return { child, said: () => said, ended };
};

const ready = async ({ child, said, ended }: Started): Promise<string> => {
  const isUp = (async () => {
    while (!/ready at \S+/.test(said())) await once(child.stderr!, 'data');
  })();
  await Promise.race([isUp, ended]);
  const [, address] = /ready at (\S+)/.exec(said()) ?? [];
  if (address === undefined) throw new Error(`The gateway did not start: ${said()}`);
  return address;
};

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'rollgate-cli-journey-'));
  const started = serve({}, '--data-dir', dataDir);
  gateway = started.child;
  url = await ready(started);
});
afterAll(async () => {
  gateway.kill('SIGKILL');
  await rm(dataDir, { recursive: true });
});

/** Finds the token in the data folder, as an operator's shell in the gateway's folder does. */
const run = (...words: string[]) =>
  runCli([...words, '--url', url], { env: { ROLLGATE_DATA_DIR: dataDir } });

describe('the command and a gateway', () => {
  it('makes a tenant and a key that works, rolls the key and deletes the old one', async () => {
    expect((await run('tenant', 'create', 'acme', '--seats', '5')).exitCode).toBe(0);
    const first = (await run('key', 'create', 'acme', '--preset', 'read-only', '-q')).out.trim();
    const usage = (key: string) =>
      got(`${url}/v1/acme/usage`, {
        headers: { authorization: `Bearer ${key}` },
        throwHttpErrors: false,
      });
    expect(JSON.parse((await usage(first)).body)).toMatchObject({ seat_capacity: 5 });

    const prefix = first.slice(0, 11);
    const second = (await run('key', 'roll', 'acme', prefix, '-q')).out.trim();
    expect((await usage(first)).statusCode).toBe(200);
    expect((await usage(second)).statusCode).toBe(200);

    expect((await run('key', 'delete', 'acme', prefix, '--yes')).exitCode).toBe(0);
    expect((await usage(first)).statusCode).toBe(401);
    expect((await usage(second)).statusCode).toBe(200);
  });

  it('leaves its name in the provisioning log', async () => {
    await run('tenant', 'create', 'logged');
    const token = await tokenOf(dataDir);
    const log = await got(`${url}/admin/v1/tenants/logged/commands`, {
      headers: { authorization: `Bearer ${token}` },
    }).json<{ readonly commands: readonly { readonly source: string }[] }>();
    expect(log.commands.map(({ source }) => source)).toStrictEqual(['cli']);
  });

  it('prints what the gateway says when it refuses', async () => {
    await run('tenant', 'create', 'taken');
    const { exitCode, notes } = await run('tenant', 'create', 'taken');
    expect(exitCode).toBe(1);
    expect(notes).toMatch(/error: SLUG_TAKEN: .*\n {2}Request id: \S+/);
  });

  it('says that the token is another gateway’s', async () => {
    const { exitCode } = await runCli(['tenant', 'list', '--url', url, '--token', 'another']);
    expect(exitCode).toBe(4);
  });

  it('changes and deletes a tenant', async () => {
    await run('tenant', 'create', 'zenith');
    const set = await run('tenant', 'set', 'zenith', '--seats', '3', '--name', 'Zenith');
    expect(set.out).toMatch(/name +Zenith\nseats +3\n/);
    expect((await run('tenant', 'delete', 'zenith', '--yes')).exitCode).toBe(0);
    expect((await run('tenant', 'show', 'zenith')).notes).toContain('TENANT_NOT_FOUND');
  });
});

describe('a gateway that is told to stop', () => {
  it('ends with 0', async () => {
    const started = serve({}, '--data-dir', dataDir);
    await ready(started);
    started.child.kill('SIGTERM');
    expect((await started.ended)[0]).toBe(0);
  });
});

describe('a gateway that cannot start', () => {
  it('says why and ends with 2 when its settings are wrong', async () => {
    const [code, said] = await serve({ ROLLGATE_RATE_LIMIT: 'many' }).ended;
    expect(code).toBe(2);
    expect(said).toContain('environment variable ROLLGATE_RATE_LIMIT: rateLimit.perMinute');
  });

  it('says why and ends with 1, instead of hanging, when the database is not its own', async () => {
    const secretKey = randomBytes(32).toString('base64');
    const [code, said] = await serve({
      ROLLGATE_SECRET_KEY: secretKey,
      ROLLGATE_ADMIN_TOKEN: 'x'.repeat(32),
    }).ended;
    expect(code).toBe(1);
    expect(said).toContain('ROLLGATE_SECRET_KEY');
  });
});

const tokenOf = async (folder: string): Promise<string> =>
  (await readFile(join(folder, 'admin-token'), 'utf8')).trim();
