import { mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mongo } from 'mongoose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../config/load-config.js';
import { diagnose, type Finding } from '../../src/doctor/diagnose.js';
import {
  type EmbeddedMongo,
  startEmbeddedMongo,
} from '../../src/store/embedded/start-embedded-mongo.js';

let dataDir: string;
let running: EmbeddedMongo;
let client: mongo.MongoClient;

const diagnoseHere = (): Promise<readonly Finding[]> => {
  const env = { ROLLGATE_DATA_DIR: dataDir };
  return diagnose({
    env,
    cwd: dataDir,
    problems: [],
    config: loadConfig({ env, cwd: dataDir }).config,
    gateway: { address: { missing: 'nowhere' }, token: { missing: 'none' } },
    resolve: () => Promise.resolve(['192.0.2.1']),
  });
};

const statuses = (findings: readonly Finding[]) =>
  Object.fromEntries(findings.map(({ check, status }) => [check, status]));

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'rollgate-doctor-'));
  const quiet = () => undefined;
  running = await startEmbeddedMongo({
    dataDir,
    log: { info: quiet, warn: quiet, error: quiet },
  });
  client = new mongo.MongoClient(running.uri);
  await client.db().collection<{ _id: string }>('marks').insertOne({ _id: 'here' });
});
afterAll(async () => {
  await client.close();
  await running.stop();
  await rm(dataDir, { recursive: true });
});

/** The folder without the files of mongod, and a hash of the data. */
const snapshot = async () => {
  const names = (await readdir(dataDir)).filter((name) => !/^db$|^mongod\.log/.test(name)).sort();
  const files = names.map(async (name) => {
    const { mode, mtimeMs, size } = await stat(join(dataDir, name));
    return { name, mode, mtimeMs, size };
  });
  const { collections } = await client.db().command({ dbHash: 1 });
  return { files: await Promise.all(files), collections: collections as unknown };
};

describe('the embedded database of a running gateway', () => {
  it('is checked through its mongod', async () => {
    const findings = await diagnoseHere();
    expect(statuses(findings)).toMatchObject({
      'data-folder': 'OK',
      'secret-files': 'OK',
      'folder-lock': 'OK',
      database: 'OK',
      topology: 'OK',
      // A warning if this machine is busy: it measures how long a write takes.
      majority: expect.stringMatching(/^(OK|WARN)$/) as string,
      transactions: 'OK',
      clock: 'OK',
      gateways: 'OK',
      deliveries: 'OK',
    });
    const lock = findings.find(({ check }) => check === 'folder-lock');
    const mongod = Number(await readFile(join(dataDir, 'db/mongod.lock'), 'utf8'));
    expect(lock?.details).toMatchObject({ gateway_pid: process.pid, mongod_pid: mongod });
  });

  it('is not changed', async () => {
    const before = await snapshot();
    await diagnoseHere();
    expect(await snapshot()).toEqual(before);
  });

  it('does not reveal its key', async () => {
    const key = (await readFile(join(dataDir, 'mongod-key'), 'utf8')).trim();
    expect(key).toHaveLength(64);
    expect(JSON.stringify(await diagnoseHere())).not.toContain(key);
  });

  it('warns if its mongod has outlived the gateway', async () => {
    const name = (await readdir(dataDir)).find((file) => file.endsWith('.lock')) ?? '';
    await rename(join(dataDir, name), join(dataDir, 'away'));
    const findings = await diagnoseHere().finally(() =>
      rename(join(dataDir, 'away'), join(dataDir, name)),
    );
    expect(findings.find(({ check }) => check === 'folder-lock')).toMatchObject({
      status: 'WARN',
      message: expect.stringContaining('left behind by a killed gateway') as string,
    });
    expect(statuses(findings)).toMatchObject({ database: 'OK' });
  });
});
