import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { checkAdminToken } from '../../src/doctor/checks/secrets.js';
import { checkGateway } from '../../src/doctor/checks/gateways.js';
import type { Check } from '../../src/doctor/check.js';
import { lockDataFolder } from '../../src/store/embedded/data-folder-lock.js';
import { freePort } from '../../src/store/embedded/start-embedded-mongo.js';
import { runCheck } from '../support/doctor.js';

const TOKEN = 'an-operators-token-for-tests';

interface FakeGateway {
  readonly url: string;
  /** Path and Authorization header of each request. */
  readonly requests: (readonly [string, string | undefined])[];
}

const open = async (listener: RequestListener): Promise<FakeGateway> => {
  const requests: FakeGateway['requests'] = [];
  const server = createServer((request, response) => {
    requests.push([request.url ?? '', request.headers.authorization]);
    listener(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
};

const responding = (status: number, body: unknown, headers = {}) =>
  open((_request, response) => {
    response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
  });

const WITH_DATABASE = {
  ROLLGATE_MONGODB_URI: 'mongodb://db.example/x?replicaSet=rs',
  ROLLGATE_PORT: '0',
};

const look = (
  check: Check,
  url: string,
  more = {},
  env: Readonly<Record<string, string>> = WITH_DATABASE,
) =>
  runCheck(check, {
    env,
    gateway: {
      address: { url, isGiven: false, isConfidential: true, ...more },
      token: { value: TOKEN, from: '.rollgate/admin-token' },
    },
  });

const nowhere = async (): Promise<string> => `http://127.0.0.1:${await freePort('127.0.0.1')}`;

describe('the check "gateway"', () => {
  it('passes if the gateway is ready', async () => {
    const { url, requests } = await responding(200, { status: 'ok' });
    expect(await look(checkGateway, url)).toMatchObject({ status: 'OK' });
    expect(requests).toEqual([['/readyz', undefined]]);
  });

  it('warns if the gateway does not use the data folder', async () => {
    const { url } = await responding(200, { status: 'ok' });
    const env = { ROLLGATE_DATA_DIR: '/nowhere/at-all' };
    expect(await look(checkGateway, url, {}, env)).toMatchObject({
      status: 'WARN',
      message: `The gateway at ${url} is ready, but does not use /nowhere/at-all.`,
      remedy: expect.stringContaining('--data-dir') as string,
    });
    expect(await look(checkGateway, url, { isGiven: true }, env)).toMatchObject({ status: 'OK' });
  });

  it('passes if the gateway has locked the data folder', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'rollgate-held-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const unlock = await lockDataFolder(folder);
    onTestFinished(unlock);
    const { url } = await responding(200, { status: 'ok' });
    const found = await look(checkGateway, url, {}, { ROLLGATE_DATA_DIR: folder });
    expect(found).toMatchObject({ status: 'OK' });
  });

  it('fails if the gateway is not ready', async () => {
    const { url } = await responding(503, {
      error: 'UNAVAILABLE',
      message: 'This gateway is not ready.',
      request_id: 'request-1',
    });
    expect(await look(checkGateway, url)).toMatchObject({
      status: 'FAIL',
      message: `The gateway at ${url} is running but not ready.`,
    });
  });

  it.each([
    [200, '<html>Hello</html>'],
    [404, { error: 'NOT_FOUND' }],
    [200, { status: 'healthy' }],
  ])('fails if another server responds with %d %j', async (status, body) => {
    const { url } = await responding(status, body);
    expect(await look(checkGateway, url)).toMatchObject({
      status: 'FAIL',
      message: `The server at ${url} is not a Rollgate gateway.`,
    });
  });

  it('is skipped if no gateway runs at the configured address', async () => {
    const url = await nowhere();
    expect(await look(checkGateway, url)).toMatchObject({
      status: 'SKIP',
      message: `No gateway at ${url} (ECONNREFUSED).`,
    });
  });

  it('fails if no gateway can start at the configured address', async () => {
    const mute = createTcpServer((socket) => void socket.destroy()).listen(0, '127.0.0.1');
    await once(mute, 'listening');
    onTestFinished(() => void mute.close());
    const { port } = mute.address() as AddressInfo;
    const env = { ...WITH_DATABASE, ROLLGATE_PORT: String(port) };
    expect(await look(checkGateway, `http://127.0.0.1:${port}`, {}, env)).toMatchObject({
      status: 'FAIL',
      message: expect.stringContaining('None can start.') as string,
      remedy: expect.stringContaining('the port is already in use') as string,
    });
  });

  it('fails if no gateway runs at the given address', async () => {
    const found = await look(checkGateway, await nowhere(), { isGiven: true });
    expect(found).toMatchObject({ status: 'FAIL' });
  });

  it('is skipped without an address', async () => {
    expect(await runCheck(checkGateway)).toMatchObject({ status: 'SKIP', message: 'nowhere' });
  });
});

describe('the check "admin-token"', () => {
  it('passes if the gateway accepts the token', async () => {
    const { url, requests } = await responding(200, { tenants: [] });
    expect(await look(checkAdminToken, url)).toMatchObject({ status: 'OK' });
    expect(requests).toEqual([['/admin/v1/tenants?limit=1', `Bearer ${TOKEN}`]]);
  });

  it('fails if the gateway does not accept the token', async () => {
    const { url } = await responding(401, { error: 'UNAUTHENTICATED' });
    expect(await look(checkAdminToken, url)).toMatchObject({
      status: 'FAIL',
      message: expect.stringContaining('.rollgate/admin-token') as string,
      remedy: expect.stringContaining('ROLLGATE_ADMIN_TOKEN') as string,
    });
  });

  it('warns about any other response', async () => {
    const { url } = await responding(503, { error: 'UNAVAILABLE' });
    expect(await look(checkAdminToken, url)).toMatchObject({ status: 'WARN' });
  });

  it('does not follow redirects with the token', async () => {
    const elsewhere = await responding(200, { tenants: [] });
    const { url } = await responding(302, '', { location: `${elsewhere.url}/admin/v1/tenants` });
    expect(await look(checkAdminToken, url)).toMatchObject({ status: 'WARN' });
    expect(elsewhere.requests).toEqual([]);
  });

  it('does not send the token unencrypted to another machine', async () => {
    const { url, requests } = await responding(200, { tenants: [] });
    const found = await look(checkAdminToken, url, { isConfidential: false });
    expect(found).toMatchObject({
      status: 'OK',
      message: expect.stringContaining('not sent unencrypted') as string,
    });
    expect(requests).toEqual([]);
  });

  it('passes without a running gateway, saying that the token is not verified', async () => {
    expect(await look(checkAdminToken, await nowhere())).toMatchObject({
      status: 'OK',
      message: expect.stringContaining('not verified') as string,
    });
  });

  it('fails if the token is too short', async () => {
    const token = { value: 'admin', from: 'ROLLGATE_ADMIN_TOKEN' };
    const gateway = { address: { missing: 'nowhere' }, token };
    expect(await runCheck(checkAdminToken, { gateway })).toMatchObject({
      status: 'FAIL',
      message: expect.stringContaining('fewer than 16 characters') as string,
    });
  });

  it('is skipped before the first start', async () => {
    expect(await runCheck(checkAdminToken)).toMatchObject({ status: 'SKIP', message: 'none' });
  });
});
