import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { runCli } from '../support/run-cli.js';
import { type FakeGateway, openFakeGateway } from './fake-gateway.js';

let gateway: FakeGateway;
let cwd: string;
beforeEach(async () => {
  gateway = await openFakeGateway();
  cwd = await mkdtemp(join(tmpdir(), 'rollgate-cli-'));
});
afterEach(async () => {
  await gateway.close();
  await rm(cwd, { recursive: true });
});

const list = ['tenant', 'list'];
const tokenSent = () => gateway.requests[0]?.headers.authorization;
const storeToken = async (folder: string): Promise<void> => {
  await mkdir(join(cwd, folder), { recursive: true });
  await writeFile(join(cwd, folder, 'admin-token'), `${gateway.token}\n`);
};

describe('an empty argument', () => {
  it.each([
    [['job', 'show', 'acme', ''], "argument 'job'"],
    [['delivery', 'show', 'acme', '', 'x'], "argument 'webhook'"],
    [['webhook', 'recovery', 'acme', 'x', ''], "argument 'recovery'"],
    [['connector', 'report', 'acme', 'hr', ''], "argument 'run'"],
    [['connector', 'plan', 'acme', 'hr', '--run', ''], "option '--run <id>'"],
  ])('is named before anything is sent: %j', async (words, name) => {
    const access = ['--url', gateway.url, '--token', gateway.token];
    const { exitCode, stderr } = await runCli([...words, ...access]);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(name) as unknown]);
    expect(stderr).toContain('It must not be empty.');
    expect(gateway.requests).toEqual([]);
  });
});

describe('a hostile gateway', () => {
  it('cannot control the terminal by its errors', async () => {
    gateway.respondOnce({
      status: 409,
      body: { error: 'X\u001B[2J', message: 'no\u0007', request_id: 'r\u001B[H' },
    });
    const access = ['--url', gateway.url, '--token', gateway.token];
    const { exitCode, stderr } = await runCli([...list, ...access]);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('X�[2J: no�')]);
    expect(stderr).not.toMatch(/[\u001B\u0007]/);
  });
});

describe('the address', () => {
  it('is taken from --url, with or without a trailing slash', async () => {
    const { exitCode } = await runCli([
      ...list,
      '--url',
      `${gateway.url}/`,
      '--token',
      gateway.token,
    ]);
    expect(exitCode).toBe(0);
    expect(gateway.requests[0]?.path).toBe('/admin/v1/tenants');
  });

  it('is otherwise taken from ROLLGATE_URL', async () => {
    const env = { ROLLGATE_URL: gateway.url, ROLLGATE_ADMIN_TOKEN: gateway.token };
    expect((await runCli(list, { env })).exitCode).toBe(0);
  });

  it('is otherwise that of the configured gateway', async () => {
    const env = { ROLLGATE_PORT: new URL(gateway.url).port, ROLLGATE_HOST: '0.0.0.0' };
    const { exitCode } = await runCli([...list, '--token', gateway.token], { env });
    expect(exitCode).toBe(0);
  });

  it.each(['rollgate.example.com', 'ftp://rollgate.example.com', 'https://a:b@example.com'])(
    'is refused if it is %s',
    async (url) => {
      const { exitCode, stderr } = await runCli([...list, '--url', url, '--token', 'x']);
      expect(exitCode).toBe(2);
      expect(stderr).toContain('--url must');
    },
  );
});

describe('the admin token', () => {
  it('is taken from --token first', async () => {
    const env = { ROLLGATE_ADMIN_TOKEN: 'another' };
    await runCli([...list, '--url', gateway.url, '--token', 'given'], { env });
    expect(tokenSent()).toBe('Bearer given');
  });

  it('is otherwise taken from ROLLGATE_ADMIN_TOKEN', async () => {
    const env = { ROLLGATE_ADMIN_TOKEN: 'from-the-environment' };
    await runCli([...list, '--url', gateway.url], { env });
    expect(tokenSent()).toBe('Bearer from-the-environment');
  });

  it('is otherwise read from the configured data folder', async () => {
    await storeToken('stored/here');
    await mkdir(join(cwd, 'config'));
    const port = new URL(gateway.url).port;
    await writeFile(join(cwd, 'config/rollgate.yaml'), `port: ${port}\ndataDir: stored/here\n`);
    expect((await runCli(list, { cwd })).exitCode).toBe(0);
    expect(tokenSent()).toBe(`Bearer ${gateway.token}`);
  });

  it('is otherwise read from the default data folder', async () => {
    await storeToken('.rollgate');
    expect((await runCli([...list, '--url', gateway.url], { cwd })).exitCode).toBe(0);
  });

  it.each(['two words', 'tökén', 'line\nbreak'])('is refused if it is %j', async (token) => {
    const { exitCode, stderr } = await runCli([...list, '--url', gateway.url, '--token', token]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('--token is not a valid bearer token');
    expect(stderr).not.toContain(token);
  });

  it('is not read from the data folder for another machine', async () => {
    await storeToken('.rollgate');
    const { exitCode, stderr } = await runCli([...list, '--url', 'https://elsewhere.invalid'], {
      cwd,
    });
    expect(exitCode).toBe(1);
    expect(stderr).toContain('not sent to https://elsewhere.invalid');
  });

  it('is not sent to the target of a redirect', async () => {
    const elsewhere = await openFakeGateway();
    gateway.respondOnce({
      status: 302,
      headers: { location: `${elsewhere.url}/admin/v1/tenants` },
    });
    const { exitCode } = await runCli([...list, '--url', gateway.url, '--token', gateway.token]);
    expect(exitCode).toBe(1);
    expect(elsewhere.requests).toStrictEqual([]);
    await elsewhere.close();
  });

  it('is sent unencrypted to another machine only with a warning', async () => {
    const words = [...list, '--url', 'http://rollgate.invalid', '--token', 'x'];
    const { stderr } = await runCli(words);
    expect(stderr).toContain('Warning: sending the admin token to rollgate.invalid unencrypted');
  });
});

describe('exit codes', () => {
  const run = () => runCli([...list, '--url', gateway.url, '--token', gateway.token]);

  it('is 1 with code, message, details and request id if the gateway refuses', async () => {
    const details = [{ path: 'limit', message: 'must be at most 500' }];
    gateway.respondOnce({
      status: 400,
      body: { error: 'INVALID_REQUEST', message: 'No.', details, request_id: 'r-17' },
    });
    const { exitCode, stderr, stdout } = await run();
    expect({ exitCode, stdout }).toStrictEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toBe(
      'error: INVALID_REQUEST: No.\n  limit: must be at most 500\n  Request id: r-17\n',
    );
  });

  it('is 1 with the JSON of the API on standard error with --json', async () => {
    gateway.respondOnce({ status: 409, body: '{"error":"SLUG_TAKEN","message":"Taken."}' });
    const words = [
      'tenant',
      'create',
      'acme',
      '--json',
      '--url',
      gateway.url,
      '--token',
      gateway.token,
    ];
    const { exitCode, stdout, stderr } = await runCli(words);
    expect({ exitCode, stdout, stderr }).toStrictEqual({
      exitCode: 1,
      stdout: '',
      stderr: '{"error":"SLUG_TAKEN","message":"Taken."}\n',
    });
  });

  it('is 1 with hints if the gateway is unreachable', async () => {
    const closed = createServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const { port } = closed.address() as { port: number };
    closed.close();
    await once(closed, 'close');
    const url = `http://127.0.0.1:${port}`;
    const { exitCode, stderr } = await runCli([...list, '--url', url, '--token', 'x']);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`Cannot reach the gateway at ${url}`);
    expect(stderr).toContain('rollgate serve');
    expect(stderr).toContain('ECONNREFUSED');
  });

  it.each([
    ['a web page', { status: 404, body: '<html>Not found</html>' }],
    ['an unknown success', { status: 200, body: { hello: 'world' } }],
  ])('is 1 if the response is %s', async (_what, answer) => {
    gateway.respondOnce(answer);
    const { exitCode, stderr } = await run();
    expect(exitCode).toBe(1);
    expect(stderr).toContain('is not a Rollgate gateway');
  });

  it('is 1 with the source of the token if it is not accepted', async () => {
    const env = { ROLLGATE_ADMIN_TOKEN: 'wrong' };
    const { exitCode, stderr } = await runCli([...list, '--url', gateway.url], { env });
    expect(exitCode).toBe(1);
    expect(stderr).toContain('UNAUTHENTICATED');
    expect(stderr).toContain('comes from ROLLGATE_ADMIN_TOKEN');
  });

  it('is 1 with the expected path if there is no token', async () => {
    const { exitCode, stderr } = await runCli([...list, '--url', gateway.url], { cwd });
    expect(exitCode).toBe(1);
    expect(stderr).toContain('.rollgate/admin-token');
    expect(stderr).toContain('start a gateway with a new ROLLGATE_ADMIN_TOKEN, which replaces it.');
  });

  it('is 2 if the settings are invalid', async () => {
    const { exitCode, stderr } = await runCli(list, { cwd, env: { ROLLGATE_PORT: 'many' } });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('environment variable ROLLGATE_PORT');
  });
});
