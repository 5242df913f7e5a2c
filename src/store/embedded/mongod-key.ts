import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readOrCreatePrivateFile, type WarningLog } from '../../secrets/private-file.js';

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
