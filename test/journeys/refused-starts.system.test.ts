import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { mongo } from 'mongoose';
import pino from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from '../../config/load-config.js';
import { startGateway } from '../../src/start/compose.js';
import { createTestDatabase } from '../support/database.js';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const { uri } = createTestDatabase();

let parent: string;
let dataDir: string;
let taken: Server;
let client: mongo.MongoClient;
beforeAll(async () => {
  client = new mongo.MongoClient(uri);
  taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
});
afterAll(async () => {
  taken.close();
  await client.close();
});
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'rollgate-refused-'));
  dataDir = join(parent, 'data');
  await client.db().dropDatabase();
});
afterEach(() => rm(parent, { recursive: true, force: true }));

const start = (more: Record<string, string> = {}) => {
  const env = {
    ROLLGATE_PORT: '0',
    ROLLGATE_DATA_DIR: dataDir,
    ROLLGATE_MONGODB_URI: uri,
    ...more,
  };
  const loaded = loadConfig({ env, cwd: parent });
  return startGateway({ loaded, log: pino({ level: 'silent' }), env });
};

/** Runs the program as an operator does. */
const run = async (env: Record<string, string>) => {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, ['--import', 'tsx', MAIN], {
    env: { PATH, HOME, ROLLGATE_PORT: '0', ROLLGATE_DATA_DIR: dataDir, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.on('data', (chunk) => (stderr += String(chunk)));
  const [exitCode] = (await once(child, 'close')) as [number | null];
  return { exitCode, stderr };
};

const dataFiles = async (): Promise<readonly string[]> =>
  existsSync(dataDir) ? readdir(dataDir) : [];

const takenPort = (): string => String((taken.address() as AddressInfo).port);

describe('a failed start leaves no new secrets behind', () => {
  it('if the port is in use; the next start is like the first', async () => {
    await expect(start({ ROLLGATE_PORT: takenPort() })).rejects.toThrow(
      /the port is already in use/,
    );
    expect(await dataFiles()).toEqual([]);
    expect(await client.db().collection('settings').countDocuments()).toBe(0);
    const gateway = await start();
    expect(gateway.isNewToken).toBe(true);
    await gateway.stop();
    expect([...(await dataFiles())].sort()).toEqual(['admin-token', 'secret-key', 'setup-link']);
  });

  it('if the port is in use and the database is embedded', async () => {
    const env = { ROLLGATE_PORT: takenPort(), ROLLGATE_MONGODB_URI: '' };
    await expect(start(env)).rejects.toThrow(/the port is already in use/);
    expect(existsSync(dataDir)).toBe(false);
  });

  it('if the mongod of the embedded database does not run', async () => {
    const env = { ROLLGATE_MONGODB_URI: '', MONGOMS_SYSTEM_BINARY: '/nowhere/mongod' };
    await expect(start(env)).rejects.toThrow(/MONGOMS_SYSTEM_BINARY/);
    expect(existsSync(dataDir)).toBe(false);
  });

  it('if the secrets in the database are encrypted with another key', async () => {
    await (await start()).stop();
    dataDir = join(parent, 'other');
    await expect(start()).rejects.toThrow(/encrypted with another key/);
    expect(await dataFiles()).toEqual([]);
  });

  it('if its settings are invalid', async () => {
    const { exitCode, stderr } = await run({ ROLLGATE_ADMIN_TOKEN: 'x' });
    expect(exitCode).toBe(2);
    expect(stderr).toContain(
      'environment variable ROLLGATE_ADMIN_TOKEN: adminToken: has fewer than 16 characters',
    );
    expect(await dataFiles()).toEqual([]);
  });

  it('if the database rejects its credentials', async () => {
    const refusing = new URL(uri);
    refusing.username = 'unknown';
    refusing.password = 'hunter2';
    const { exitCode, stderr } = await run({ ROLLGATE_MONGODB_URI: refusing.href });
    expect(exitCode).toBe(1);
    expect(stderr).toContain('cannot be used: Authentication failed');
    expect(stderr).not.toContain('hunter2');
    expect(await dataFiles()).toEqual([]);
  });

  it('if the replica set has another name', async () => {
    const other = new URL(uri);
    other.searchParams.delete('directConnection');
    other.searchParams.set('replicaSet', 'not-this-one');
    const { exitCode, stderr } = await run({ ROLLGATE_MONGODB_URI: other.href });
    expect(exitCode).toBe(1);
    expect(stderr).toContain('is not a member of the replica set in the connection string');
    expect(await dataFiles()).toEqual([]);
  });
});

describe('a misspelt environment variable', () => {
  it('prevents the start, with a suggestion, instead of starting an embedded database', async () => {
    const { exitCode, stderr } = await run({
      ROLLGATE_MONGO_URI: uri,
      ROLLGATE_WEBHOOKS_TIMOUT: '5s',
    });
    expect(exitCode).toBe(2);
    expect(stderr).toContain(
      'ROLLGATE_MONGO_URI: matches no setting; did you mean ROLLGATE_MONGODB_URI?',
    );
    expect(stderr).toContain(
      'ROLLGATE_WEBHOOKS_TIMOUT: matches no setting; did you mean ROLLGATE_WEBHOOKS_TIMEOUT?',
    );
    expect(await dataFiles()).toEqual([]);
  });
});
