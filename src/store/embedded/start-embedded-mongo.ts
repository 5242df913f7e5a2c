import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { cacheFolder } from './cache-folder.js';
import { lockDataFolder } from './data-folder-lock.js';
import type { EmbeddedLog } from './embedded-log.js';
import { endOrphan } from './end-orphan.js';
import { freePort } from './free-port.js';
import { HOST, REPLICA_SET, startMongodProcess } from './mongod-process.js';
import { becomePrimary } from './replica-set.js';
import { resolveMongod } from './resolve-mongod.js';

export interface EmbeddedMongoOptions {
  /** Holds the database (`db`), its log and the lock; made where it is missing. */
  readonly dataDir: string;
  readonly log: EmbeddedLog;
  readonly env?: NodeJS.ProcessEnv;
}

export interface EmbeddedMongo {
  readonly uri: string;
  /** Ends mongod in order and frees the data folder. */
  readonly stop: () => Promise<void>;
}

/**
 * Runs a mongod of our own as a replica set of one, because transactions need a set. The data
 * stays in the folder between runs, also after a crash.
 */
export const startEmbeddedMongo = async (options: EmbeddedMongoOptions): Promise<EmbeddedMongo> => {
  const unlock = await lockDataFolder(options.dataDir);
  try {
    const { log, env = process.env } = options;
    const dataDir = resolve(options.dataDir);
    const dbPath = join(dataDir, 'db');
    const binary = await resolveMongod({ env, log, cacheDir: cacheFolder(env) });
    await mkdir(dbPath, { recursive: true, mode: 0o700 });
    await endOrphan(dbPath, log);
    const port = await freePort(HOST);
    const instance = await startMongodProcess({ binary, dataDir, dbPath, port });
    await becomePrimary(port);
    return {
      uri: `mongodb://${HOST}:${port}/rollgate?replicaSet=${REPLICA_SET}`,
      stop: async () => {
        await instance.stop();
        await unlock();
      },
    };
  } catch (error) {
    await unlock();
    throw error;
  }
};
