import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mongo } from 'mongoose';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../config/load-config.js';
import { startGateway } from '../../src/start/compose.js';
import { freePort } from '../../src/store/embedded/start-embedded-mongo.js';
import { createTestDatabase } from '../support/database.js';

const { uri } = createTestDatabase();

let dataDir: string;
let client: mongo.MongoClient;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'rollgate-starting-'));
  client = new mongo.MongoClient(uri);
});
afterAll(async () => {
  await client.close();
  await rm(dataDir, { recursive: true, force: true });
});

const start = (adminToken: string, port: number) => {
  const env = {
    ROLLGATE_PORT: String(port),
    ROLLGATE_DATA_DIR: dataDir,
    ROLLGATE_MONGODB_URI: uri,
    ROLLGATE_ADMIN_TOKEN: adminToken,
  };
  const loaded = loadConfig({ env, cwd: dataDir });
  return startGateway({ loaded, log: pino({ level: 'silent' }), env });
};

/** Keeps the next start from setting its admin token until the transaction ends. */
const lockAdminToken = async (): Promise<mongo.ClientSession> => {
  const session = client.startSession();
  session.startTransaction();
  const settings = client.db().collection<{ _id: string }>('settings');
  await settings.updateOne({ _id: 'admin-token' }, { $set: { setAt: new Date() } }, { session });
  return session;
};

const call = (url: string, headers: Record<string, string> = {}) =>
  fetch(url, { headers, signal: AbortSignal.timeout(2_000) });

/** A start first finds out whether it can listen, for a moment. */
const NOT_OPEN = ['ECONNREFUSED', 'ECONNRESET', 'UND_ERR_SOCKET'];

/** The first response of a port that is about to be opened. */
const firstResponse = async (url: string): Promise<Response> => {
  for (;;) {
    try {
      return await call(url);
    } catch (error) {
      const { cause } = error as { readonly cause?: { readonly code?: string } };
      if (!NOT_OPEN.includes(cause?.code ?? '')) throw error;
    }
  }
};

const [FIRST, SECOND] = ['first-admin-token-0123456789', 'second-admin-token-0123456789'];

describe('a gateway that listens but has not started completely', () => {
  it('responds to probes, refuses requests with 503, and serves them once it has started', async () => {
    const port = await freePort('127.0.0.1');
    const url = `http://127.0.0.1:${port}`;
    await (await start(FIRST, port)).stop();
    const lock = await lockAdminToken();
    const starting = start(SECOND, port);

    const health = await firstResponse(`${url}/healthz`);
    expect(health.status).toBe(200);
    expect((await call(`${url}/readyz`)).status).toBe(503);
    const early = await call(`${url}/admin/v1/tenants`, { Authorization: `Bearer ${SECOND}` });
    expect(early.status).toBe(503);
    expect(early.headers.get('Retry-After')).toBe('1');
    expect(await early.json()).toMatchObject({ error: 'UNAVAILABLE' });

    await lock.abortTransaction();
    await lock.endSession();
    const gateway = await starting;
    const served = await call(`${url}/admin/v1/tenants`, { Authorization: `Bearer ${SECOND}` });
    expect(served.status).toBe(200);
    expect((await call(`${url}/readyz`)).status).toBe(200);
    await gateway.stop();
  });
});
