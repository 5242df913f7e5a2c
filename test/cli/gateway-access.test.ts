import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FakeOperatorsApi, openFakeOperatorsApi } from '../support/fake-operators-api.js';
import { runCli } from '../support/run-cli.js';

let api: FakeOperatorsApi;
let cwd: string;
beforeEach(async () => {
  api = await openFakeOperatorsApi();
  cwd = await mkdtemp(join(tmpdir(), 'rollgate-cli-'));
});
afterEach(async () => {
  await api.close();
  await rm(cwd, { recursive: true });
});

const list = ['tenant', 'list'];
const tokenSent = () => api.requests[0]?.headers.authorization;
const keepToken = async (folder: string): Promise<void> => {
  await mkdir(join(cwd, folder), { recursive: true });
  await writeFile(join(cwd, folder, 'admin-token'), `${api.token}\n`);
};

describe('the address', () => {
  it('is that of --url, with or without a slash at the end', async () => {
    const { exitCode } = await runCli([...list, '--url', `${api.url}/`, '--token', api.token]);
    expect(exitCode).toBe(0);
    expect(api.requests[0]?.path).toBe('/admin/v1/tenants?limit=100&offset=0');
  });

  it('is else that of ROLLGATE_URL', async () => {
    const env = { ROLLGATE_URL: api.url, ROLLGATE_ADMIN_TOKEN: api.token };
    expect((await runCli(list, { env })).exitCode).toBe(0);
  });

  it('is else where the configured gateway listens', async () => {
    const env = { ROLLGATE_PORT: new URL(api.url).port, ROLLGATE_HOST: '0.0.0.0' };
    const { exitCode } = await runCli([...list, '--token', api.token], { env });
    expect(exitCode).toBe(0);
  });

  it.each(['rollgate.example.com', 'ftp://rollgate.example.com', 'https://a:b@example.com'])(
    'is refused as %s',
    async (url) => {
      const { exitCode, notes } = await runCli([...list, '--url', url, '--token', 'x']);
      expect(exitCode).toBe(2);
      expect(notes).toContain('--url must');
    },
  );
});

describe('the admin token', () => {
  it('is that of --token before all others', async () => {
    const env = { ROLLGATE_ADMIN_TOKEN: 'another' };
    await runCli([...list, '--url', api.url, '--token', 'given'], { env });
    expect(tokenSent()).toBe('Bearer given');
  });

  it('is else that of ROLLGATE_ADMIN_TOKEN', async () => {
    const env = { ROLLGATE_ADMIN_TOKEN: 'of-the-environment' };
    await runCli([...list, '--url', api.url], { env });
    expect(tokenSent()).toBe('Bearer of-the-environment');
  });

  it('is else in the data folder that the settings file names', async () => {
    await keepToken('kept/here');
    await mkdir(join(cwd, 'config'));
    const port = new URL(api.url).port;
    await writeFile(join(cwd, 'config/rollgate.yaml'), `port: ${port}\ndataDir: kept/here\n`);
    expect((await runCli(list, { cwd })).exitCode).toBe(0);
    expect(tokenSent()).toBe(`Bearer ${api.token}`);
  });

  it('is else in the default data folder', async () => {
    await keepToken('.rollgate');
    expect((await runCli([...list, '--url', api.url], { cwd })).exitCode).toBe(0);
  });

  it.each(['two words', 'tökén', 'line\nbreak'])('is refused as %j', async (token) => {
    const { exitCode, notes } = await runCli([...list, '--url', api.url, '--token', token]);
    expect(exitCode).toBe(2);
    expect(notes).toContain('What --token holds is no bearer token');
    expect(notes).not.toContain(token);
  });

  it('is not taken from the data folder for another machine', async () => {
    await keepToken('.rollgate');
    const { exitCode, notes } = await runCli([...list, '--url', 'https://elsewhere.invalid'], {
      cwd,
    });
    expect(exitCode).toBe(4);
    expect(notes).toContain('not sent to https://elsewhere.invalid');
  });

  it('is not sent on to where a gateway redirects', async () => {
    const elsewhere = await openFakeOperatorsApi();
    api.answerOnce({ status: 302, headers: { location: `${elsewhere.url}/admin/v1/tenants` } });
    const { exitCode } = await runCli([...list, '--url', api.url, '--token', api.token]);
    expect(exitCode).toBe(3);
    expect(elsewhere.requests).toStrictEqual([]);
    await elsewhere.close();
  });

  it('travels unencrypted to another machine only with a warning', async () => {
    const words = [...list, '--url', 'http://rollgate.invalid', '--token', 'x'];
    const { notes } = await runCli(words);
    expect(notes).toContain('Warning: the admin token travels to rollgate.invalid unencrypted');
  });
});

describe('exit codes', () => {
  const run = () => runCli([...list, '--url', api.url, '--token', api.token]);

  it('is 1 with code, message, details and request id when the gateway refuses', async () => {
    const details = [{ path: 'limit', message: 'must be at most 500' }];
    api.answerOnce({
      status: 400,
      body: { error: 'INVALID_REQUEST', message: 'No.', details, request_id: 'r-17' },
    });
    const { exitCode, notes, out } = await run();
    expect({ exitCode, out }).toStrictEqual({ exitCode: 1, out: '' });
    expect(notes).toBe(
      'error: INVALID_REQUEST: No.\n  limit: must be at most 500\n  Request id: r-17\n',
    );
  });

  it('prints a refusal as the API gave it with --json, away from the results', async () => {
    api.answerOnce({ status: 409, body: '{"error":"SLUG_TAKEN","message":"Taken."}' });
    const words = ['tenant', 'create', 'acme', '--json', '--url', api.url, '--token', api.token];
    const { exitCode, out, notes } = await runCli(words);
    expect({ exitCode, out, notes }).toStrictEqual({
      exitCode: 1,
      out: '',
      notes: '{"error":"SLUG_TAKEN","message":"Taken."}\n',
    });
  });

  it('is 3 with what to check when nothing answers', async () => {
    const closed = createServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const { port } = closed.address() as { port: number };
    closed.close();
    await once(closed, 'close');
    const url = `http://127.0.0.1:${port}`;
    const { exitCode, notes } = await runCli([...list, '--url', url, '--token', 'x']);
    expect(exitCode).toBe(3);
    expect(notes).toContain(`No gateway answers at ${url}`);
    expect(notes).toContain('rollgate serve');
    expect(notes).toContain('ECONNREFUSED');
  });

  it.each([
    ['a page of something else', { status: 404, body: '<html>Not found</html>' }],
    ['a success that no gateway sends', { status: 200, body: { hello: 'world' } }],
  ])('is 3 when %s answers', async (_what, answer) => {
    api.answerOnce(answer);
    const { exitCode, notes } = await run();
    expect(exitCode).toBe(3);
    expect(notes).toContain('is not a Rollgate gateway');
  });

  it('is 4 and says whose token it was when it is refused', async () => {
    const env = { ROLLGATE_ADMIN_TOKEN: 'wrong' };
    const { exitCode, notes } = await runCli([...list, '--url', api.url], { env });
    expect(exitCode).toBe(4);
    expect(notes).toContain('UNAUTHENTICATED');
    expect(notes).toContain('comes from ROLLGATE_ADMIN_TOKEN');
  });

  it('is 4 and says where it looked when there is no token', async () => {
    const { exitCode, notes } = await runCli([...list, '--url', api.url], { cwd });
    expect(exitCode).toBe(4);
    expect(notes).toContain('.rollgate/admin-token');
  });

  it('is 2 when the settings file cannot be used', async () => {
    const { exitCode, notes } = await runCli(list, { cwd, env: { ROLLGATE_PORT: 'many' } });
    expect(exitCode).toBe(2);
    expect(notes).toContain('environment variable ROLLGATE_PORT');
  });
});
