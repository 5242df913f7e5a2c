import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { checkAdminToken } from '../../src/doctor/checks/admin-token.js';
import { checkGateway } from '../../src/doctor/checks/gateway.js';
import type { Check } from '../../src/doctor/verdict.js';
import { lockDataFolder } from '../../src/store/embedded/data-folder-lock.js';
import { freePort } from '../../src/store/embedded/free-port.js';
import { examine } from '../support/doctor.js';

const TOKEN = 'an-operators-token-for-tests';

interface FakeGateway {
  readonly url: string;
  /** What it was asked: the path, and the token that came with it. */
  readonly asked: (readonly [string, string | undefined])[];
}

const open = async (listener: RequestListener): Promise<FakeGateway> => {
  const asked: FakeGateway['asked'] = [];
  const server = createServer((request, response) => {
    asked.push([request.url ?? '', request.headers.authorization]);
    listener(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
};

const answering = (status: number, body: unknown, headers = {}) =>
  open((_request, response) => {
    response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
  });

const WITH_DATABASE = { ROLLGATE_MONGODB_URI: 'mongodb://db.example/x?replicaSet=rs' };

const look = (
  check: Check,
  url: string,
  more = {},
  env: Readonly<Record<string, string>> = WITH_DATABASE,
) =>
  examine(check, {
    env,
    gateway: {
      address: { url, isGiven: false, isConfidential: true, ...more },
      token: { value: TOKEN, from: '.rollgate/admin-token' },
    },
  });

const nowhere = async (): Promise<string> => `http://127.0.0.1:${await freePort('127.0.0.1')}`;

describe('the gateway', () => {
  it('is ready', async () => {
    const { url, asked } = await answering(200, { status: 'ok' });
    expect(await look(checkGateway, url)).toMatchObject({ status: 'OK' });
    expect(asked).toEqual([['/readyz', undefined]]);
  });

  it('is not the one of a data folder that nobody uses', async () => {
    const { url } = await answering(200, { status: 'ok' });
    const env = { ROLLGATE_DATA_DIR: '/nowhere/at-all' };
    expect(await look(checkGateway, url, {}, env)).toMatchObject({
      status: 'WARN',
      message: `The gateway at ${url} is ready, but it is not that of /nowhere/at-all.`,
      remedy: expect.stringContaining('--data-dir') as string,
    });
    expect(await look(checkGateway, url, { isGiven: true }, env)).toMatchObject({ status: 'OK' });
  });

  it('is the one that holds the data folder', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'rollgate-held-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const unlock = await lockDataFolder(folder);
    onTestFinished(unlock);
    const { url } = await answering(200, { status: 'ok' });
    const found = await look(checkGateway, url, {}, { ROLLGATE_DATA_DIR: folder });
    expect(found).toMatchObject({ status: 'OK' });
  });

  it('fails where it runs and is not ready', async () => {
    const { url } = await answering(503, {
      error: 'UNAVAILABLE',
      message: 'This gateway is not ready to serve.',
      request_id: 'request-1',
    });
    expect(await look(checkGateway, url)).toMatchObject({
      status: 'FAIL',
      message: `The gateway at ${url} runs, but is not ready.`,
    });
  });

  it.each([
    [200, '<html>Hello</html>'],
    [404, { error: 'NOT_FOUND' }],
    [200, { status: 'healthy' }],
  ])('is not what answers %d %j', async (status, body) => {
    const { url } = await answering(status, body);
    expect(await look(checkGateway, url)).toMatchObject({
      status: 'FAIL',
      message: `What answers at ${url} is not a Rollgate gateway.`,
    });
  });

  it('need not run where nobody said so', async () => {
    const url = await nowhere();
    expect(await look(checkGateway, url)).toMatchObject({
      status: 'SKIP',
      message: `No gateway answers at ${url} (ECONNREFUSED).`,
    });
  });

  it('fails where somebody named it and it does not answer', async () => {
    const found = await look(checkGateway, await nowhere(), { isGiven: true });
    expect(found).toMatchObject({ status: 'FAIL' });
  });

  it('has no address where none is known', async () => {
    expect(await examine(checkGateway)).toMatchObject({ status: 'SKIP', message: 'nowhere' });
  });
});

describe('the admin token', () => {
  it('is tried on the gateway', async () => {
    const { url, asked } = await answering(200, { tenants: [] });
    expect(await look(checkAdminToken, url)).toMatchObject({ status: 'OK' });
    expect(asked).toEqual([['/admin/v1/tenants?limit=1', `Bearer ${TOKEN}`]]);
  });

  it('fails where it is another gateway’s', async () => {
    const { url } = await answering(401, { error: 'UNAUTHENTICATED' });
    expect(await look(checkAdminToken, url)).toMatchObject({
      status: 'FAIL',
      message: expect.stringContaining('.rollgate/admin-token') as string,
      remedy: expect.stringContaining('ROLLGATE_ADMIN_TOKEN') as string,
    });
  });

  it('is a warning where the gateway answers something else', async () => {
    const { url } = await answering(503, { error: 'UNAVAILABLE' });
    expect(await look(checkAdminToken, url)).toMatchObject({ status: 'WARN' });
  });

  it('is not carried on to where the gateway redirects', async () => {
    const elsewhere = await answering(200, { tenants: [] });
    const { url } = await answering(302, '', { location: `${elsewhere.url}/admin/v1/tenants` });
    expect(await look(checkAdminToken, url)).toMatchObject({ status: 'WARN' });
    expect(elsewhere.asked).toEqual([]);
  });

  it('is not sent unencrypted to another machine', async () => {
    const { url, asked } = await answering(200, { tenants: [] });
    const found = await look(checkAdminToken, url, { isConfidential: false });
    expect(found).toMatchObject({
      status: 'OK',
      message: expect.stringContaining('not sent unencrypted') as string,
    });
    expect(asked).toEqual([]);
  });

  it('is there, where no gateway runs to try it on', async () => {
    expect(await look(checkAdminToken, await nowhere())).toMatchObject({
      status: 'OK',
      message: expect.stringContaining('not tried') as string,
    });
  });

  it('fails where it may be guessed, for no gateway takes it', async () => {
    const token = { value: 'admin', from: 'ROLLGATE_ADMIN_TOKEN' };
    const gateway = { address: { missing: 'nowhere' }, token };
    expect(await examine(checkAdminToken, { gateway })).toMatchObject({
      status: 'FAIL',
      message: expect.stringContaining('fewer than 16 characters') as string,
    });
  });

  it('may be missing before the first start', async () => {
    expect(await examine(checkAdminToken)).toMatchObject({ status: 'SKIP', message: 'none' });
  });
});
