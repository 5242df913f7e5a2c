import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import mongoose from 'mongoose';
import type { TestProject } from 'vitest/node';
import type { EmbeddedLog } from '../../src/store/embedded/mongod-source.js';
import { startEmbeddedMongo } from '../../src/store/embedded/start-embedded-mongo.js';

declare module 'vitest' {
  interface ProvidedContext {
    readonly mongodbUri: string;
    /** A folder for this run, which is removed at its end. */
    readonly runFolder: string;
  }
}

const print = (_fields: object, message: string): void => void process.stderr.write(`${message}\n`);
const log: EmbeddedLog = { info: print, warn: print, error: print };

/**
 * Tests run on injected clocks, often on a fixed date; the TTL monitor runs on the real one and
 * would delete what such a test has stored (seen in a run of more than a minute). And mongod keeps
 * the files of dropped collections open for five minutes, for reads of older snapshots: with a database
 * per test file, it reached the limit of open files and exited.
 */
const configure = async (uri: string): Promise<void> => {
  const client = new mongoose.mongo.MongoClient(uri);
  try {
    await client.db('admin').command({
      setParameter: 1,
      ttlMonitorEnabled: false,
      minSnapshotHistoryWindowInSeconds: 0,
    });
  } finally {
    await client.close();
  }
};

/** One mongod for the whole run; `createTestDatabase` gives each test file its own database. */
export default async (project: TestProject): Promise<() => Promise<void>> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'rollgate-test-'));
  const mongo = await startEmbeddedMongo({ dataDir, log });
  await configure(mongo.uri);
  project.provide('mongodbUri', mongo.uri);
  project.provide('runFolder', dataDir);
  return async () => {
    await mongo.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
};
