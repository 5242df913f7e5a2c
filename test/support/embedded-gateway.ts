import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import mongoose from 'mongoose';
import { startEmbeddedMongo } from '../../src/store/embedded/start-embedded-mongo.js';

/**
 * Runs an embedded mongod as the gateway does, for tests that kill the process. On SIGINT it writes
 * to the database, records which mongod served the write, and stops. Usage:
 * `node --import tsx embedded-gateway.ts <data folder>`.
 */
const [, , dataDir = ''] = process.argv;
const log = { info: () => {}, warn: () => {}, error: () => {} };
const DRAIN_MS = 300;

const mongo = await startEmbeddedMongo({ dataDir, log });
const connection = await mongoose.createConnection(mongo.uri).asPromise();

const write = (_id: string) => connection.collection<{ _id: string }>('marks').insertOne({ _id });

process.once('SIGINT', () => {
  void (async () => {
    await wait(DRAIN_MS);
    await write('drained');
    await write(`served by ${(await readFile(join(dataDir, 'db/mongod.lock'), 'utf8')).trim()}`);
    await connection.close();
    await mongo.stop();
    process.exit(0);
  })();
});

await write('started');
process.send?.('ready');
