import { totalmem } from 'node:os';
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readOrCreatePrivateFile, type WarningLog } from '../../secrets/private-file.js';

export const HOST = '127.0.0.1';
export const REPLICA_SET = 'rollgate';

const GIGABYTE = 1024 ** 3;
const MIN_CACHE_GB = 0.25;
const MAX_CACHE_GB = 2;

/** Options of the embedded mongod, besides its address and files. */
export const mongodOptions = (memory: number = availableMemory()): readonly string[] => [
  ...['--wiredTigerCacheSizeGB', cacheGigabytes(memory).toFixed(2)],
  // There is no other member that reads the oplog, which grows to 5 % of the disk otherwise.
  ...['--oplogSize', '990'],
  // zlib compression leaks memory before 6.0.27 (CVE-2025-14847), and loopback needs none.
  ...['--networkMessageCompressors', 'disabled'],
  '--nounixsocket',
  '--quiet',
  // Slow operations would be logged with the e-mail addresses and numbers in them.
  ...['--slowms', '3600000'],
  // After a kill -9 an open transaction blocks its tenant until this limit (reliability.md 4).
  ...['--setParameter', 'transactionLifetimeLimitSeconds=15'],
  ...['--setParameter', 'diagnosticDataCollectionEnabled=false'],
];

/** A quarter of the memory, within limits, because the gateway runs on the same machine. */
const cacheGigabytes = (memory: number): number =>
  Math.min(MAX_CACHE_GB, Math.max(MIN_CACHE_GB, memory / 4 / GIGABYTE));

/** In a container its limit applies instead of the machine's memory. */
const availableMemory = (): number => {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
};

/** The key file that protects the embedded database from other users of the machine. */
export interface MongodKey {
  readonly path: string;
  readonly key: string;
}

/** Its name in the data folder. */
export const MONGOD_KEY_FILE = 'mongod-key';

/**
 * Members of a replica set authenticate with a shared key file, and a client with the key has the
 * rights of a member (`__system`). Ours has one member and one client, and both can read the file:
 * no user has to be created at first start, and the database is never unprotected.
 */
export const openMongodKey = async (dataDir: string, log: WarningLog): Promise<MongodKey> => {
  const path = join(dataDir, MONGOD_KEY_FILE);
  const make = (): string => randomBytes(32).toString('hex');
  const text = await readOrCreatePrivateFile(path, make, log);
  return { path, key: text };
};

/** Reads an existing key, for `rollgate doctor`; rejects if it is not readable. */
export const readMongodKey = async (dataDir: string): Promise<MongodKey> => {
  const path = join(dataDir, MONGOD_KEY_FILE);
  return { path, key: (await readFile(path, 'utf8')).trim() };
};

/** The start of a connection string to the embedded mongod; use it with `authSource=local`. */
export const mongodAddress = (host: string, { key }: MongodKey): string =>
  `mongodb://__system:${key}@${host}`;

/**
 * The version of the mongod that last opened the data: mongod upgrades by one release at a time and
 * never downgrades.
 */
const versionFile = (dataDir: string): string => join(dataDir, 'mongod-version');

export const noteDataVersion = (dataDir: string, version: string): Promise<void> =>
  writeFile(versionFile(dataDir), `${version}\n`, { mode: 0o600 });

/** `6.0.5`; undefined if no mongod has opened the data, or the file is not readable. */
export const readDataVersion = (dataDir: string): Promise<string | undefined> =>
  readFile(versionFile(dataDir), 'utf8').then(
    (text) => text.trim(),
    () => undefined,
  );

/** `6.0` */
export const seriesOf = (version: string): string => version.split('.').slice(0, 2).join('.');
