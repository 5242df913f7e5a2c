import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import type { EmbeddedLog } from './mongod-source.js';
import type { MongodProcess } from './mongod-process.js';
import { createServer, type AddressInfo } from 'node:net';
import { existsSync } from 'node:fs';
import { mkdir, rmdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { EMBEDDED_OPEN_FILES, openFilesProblem } from '../../process/open-files.js';
import { withDataFolder } from '../../secrets/private-file.js';
import { cacheFolder } from '../../process/cache-folder.js';
import { lockDataFolder } from './data-folder-lock.js';
import { mongodAddress, openMongodKey, HOST, REPLICA_SET } from './mongod-settings.js';
import { MONGOD_SOURCES, resolveMongod } from './resolve-mongod.js';
import { stopOrphan } from './running-process.js';

const MIN_DELAY_MS = 250;
const MAX_DELAY_MS = 30_000;
/** After a run of this length the delays start again at the minimum. */
const STABLE_MS = 60_000;

/**
 * Starts the process, and restarts it whenever it exits unexpectedly: out of memory, or because the
 * disk is full. It never gives up, so that the gateway recovers once the cause is removed; until
 * then it responds with 503. Rejects if the first start fails.
 * @internal
 */
export const keepRunning = async (
  start: () => Promise<MongodProcess>,
  log: EmbeddedLog,
): Promise<{ readonly stop: () => Promise<void> }> => {
  const first = await start();
  const stopping = new AbortController();
  const { signal } = stopping;
  const running = watch(first, start, { log, signal, stopped: once(signal, 'abort') });
  return {
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
};

interface WatchContext {
  readonly log: EmbeddedLog;
  readonly signal: AbortSignal;
  /** Resolves when the signal is aborted. */
  readonly stopped: Promise<unknown>;
}

/** Resolves when the process has ended after the signal. */
const watch = async (
  first: MongodProcess,
  start: () => Promise<MongodProcess>,
  context: WatchContext,
): Promise<void> => {
  let process: MongodProcess | undefined = first;
  let delayMs = MIN_DELAY_MS;
  while (!context.signal.aborted) {
    const since = Date.now();
    if (process !== undefined) await waitForExit(process, context);
    if (Date.now() - since > STABLE_MS) delayMs = MIN_DELAY_MS;
    process = await restart(start, delayMs, context);
    delayMs = Math.min(delayMs * 2, MAX_DELAY_MS);
  }
  await process?.stop();
};

/** Waits until it exits, or stops it on the signal. */
const waitForExit = async (
  process: MongodProcess,
  { log, signal, stopped }: WatchContext,
): Promise<void> => {
  await Promise.race([process.ended, stopped]);
  if (signal.aborted) await process.stop();
  else log.error({}, 'the embedded mongod exited unexpectedly; restarting it (see mongod.log)');
};

/** Undefined if it did not start, or is no longer wanted. */
const restart = async (
  start: () => Promise<MongodProcess>,
  delayMs: number,
  { log, signal }: WatchContext,
): Promise<MongodProcess | undefined> => {
  try {
    await wait(delayMs, undefined, { signal });
    return await start();
  } catch (error) {
    if (!signal.aborted) log.error({ err: error }, 'cannot restart the embedded mongod');
    return undefined;
  }
};

/** A port of this address that is free at the moment. @internal */
export const freePort = async (host: string): Promise<number> => {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
};

const PORT_ATTEMPTS = 3;

interface EmbeddedMongoOptions {
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
  await withDataFolder(dataDir, () => mkdir(dbPath, { recursive: true, mode: 0o700 }));
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
