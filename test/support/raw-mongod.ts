import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mongo } from 'mongoose';
import { cacheFolder } from '../../src/process/cache-folder.js';
import { freePort } from '../../src/store/embedded/start-embedded-mongo.js';
import { MONGOD_SOURCES, resolveMongod } from '../../src/store/embedded/resolve-mongod.js';

/** A mongod with arbitrary options, as an operator might run it. */
export interface RawMongod {
  readonly port: number;
  /** `127.0.0.1:27017` */
  readonly host: string;
  /** Runs an admin command on this server, whatever its state. */
  readonly command: (command: mongo.BSON.Document) => Promise<mongo.BSON.Document>;
  readonly kill: () => Promise<void>;
}

const log = { info: () => {}, warn: () => {}, error: () => {} };
const SMALL = ['--wiredTigerCacheSizeGB', '0.25', '--oplogSize', '10', '--nounixsocket'];

/** Resolves once the server accepts commands. */
export const startRawMongod = async (...words: readonly string[]): Promise<RawMongod> => {
  const { env } = process;
  const { path } = await resolveMongod({ env, cacheDir: cacheFolder(env), log }, MONGOD_SOURCES);
  const dbPath = await mkdtemp(join(tmpdir(), 'rollgate-raw-mongod-'));
  const port = await freePort('127.0.0.1');
  const host = `127.0.0.1:${port}`;
  const place = ['--dbpath', dbPath, '--port', String(port), '--bind_ip', '127.0.0.1'];
  const child = spawn(path, [...place, ...SMALL, ...words], { stdio: 'ignore' });
  const client = new mongo.MongoClient(`mongodb://${host}/?directConnection=true`);
  const command = (document: mongo.BSON.Document) => client.db('admin').command(document);
  const kill = async (): Promise<void> => {
    await client.close();
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    await rm(dbPath, { recursive: true, force: true });
  };
  await command({ ping: 1 });
  return { port, host, command, kill };
};
