import { existsSync } from 'node:fs';
import { mkdir, rmdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { EMBEDDED_OPEN_FILES, openFilesProblem } from '../../process/open-files.js';
import { cacheFolder } from './cache-folder.js';
import { lockDataFolder } from './data-folder-lock.js';
import type { EmbeddedLog } from './embedded-log.js';
import { freePort } from './free-port.js';
import { keepRunning } from './keep-running.js';
import { mongodAddress, openMongodKey } from './mongod-key.js';
import { HOST, REPLICA_SET } from './mongod-options.js';
import type { MongodProcess } from './mongod-process.js';
import { MONGOD_SOURCES, resolveMongod } from './resolve-mongod.js';
import { stopOrphan } from './serving-mongod.js';

const PORT_ATTEMPTS = 3;

export interface EmbeddedMongoOptions {
  /** Holds the database (`db`), its key, its log and the lock; created if missing. */
  readonly dataDir: string;
  readonly log: EmbeddedLog;
  readonly env?: NodeJS.ProcessEnv;
}

export interface EmbeddedMongo {
  /** Contains the key to the database: not to be logged. */
  readonly uri: string;
  /** Shuts mongod down and unlocks the data folder. */
  readonly stop: () => Promise<void>;
}

/**
 * Runs a mongod as a replica set of one, because transactions need a set. The data folder is kept
 * between runs, also after a crash; a mongod that exits is restarted. Rejects with a
 * DataFolderInUseError, a NoMongodError, or an Error that says where to look.
 */
export const startEmbeddedMongo = async (options: EmbeddedMongoOptions): Promise<EmbeddedMongo> => {
  const problem = openFilesProblem('The embedded database', EMBEDDED_OPEN_FILES);
  if (problem !== undefined) throw new Error(problem);
  const isNew = !existsSync(options.dataDir);
  const unlock = await lockDataFolder(options.dataDir);
  try {
    const { uri, stop } = await start(options);
    return { uri, stop: () => stop().finally(unlock) };
  } catch (error) {
    await unlock();
    // Only if it is still empty.
    if (isNew) await rmdir(options.dataDir).catch(() => undefined);
    throw error;
  }
};

const start = async ({
  dataDir: folder,
  log,
  env = process.env,
}: EmbeddedMongoOptions): Promise<EmbeddedMongo> => {
  const [binary, { startPrimary }] = await Promise.all([
    resolveMongod({ env, log, cacheDir: cacheFolder(env) }, MONGOD_SOURCES),
    // Imported only here: the library takes a quarter of a second to load, which an external
    // database does not need. At the same time another thread verifies the cached mongod.
    import('./start-primary.js'),
  ]);
  const dataDir = resolve(folder);
  const dbPath = join(dataDir, 'db');
  await mkdir(dbPath, { recursive: true, mode: 0o700 });
  await stopOrphan(dbPath, log);
  const key = await openMongodKey(dataDir, log);
  const place = { binary, dataDir, dbPath, key };
  const { port, stop } = await startOnFreePort((at) => startPrimary(place, at), log);
  const address = mongodAddress(`${HOST}:${port}`, key);
  return { uri: `${address}/rollgate?authSource=local&replicaSet=${REPLICA_SET}`, stop };
};

interface Server {
  readonly port: number;
  readonly stop: () => Promise<void>;
}

/** A port that was free may be taken a moment later, even by an outgoing connection. */
const startOnFreePort = async (
  startAt: (port: number) => Promise<MongodProcess>,
  log: EmbeddedLog,
  attempt = 1,
): Promise<Server> => {
  const port = await freePort(HOST);
  try {
    const { stop } = await keepRunning(() => startAt(port), log);
    return { port, stop };
  } catch (error) {
    if (attempt === PORT_ATTEMPTS || !/already in use/.test(String(error))) throw error;
    return startOnFreePort(startAt, log, attempt + 1);
  }
};
