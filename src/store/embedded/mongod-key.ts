import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openPrivateFile, type WarningLog } from '../../private-file.js';

/** What protects the embedded database from other users of the machine. */
export interface MongodKey {
  readonly path: string;
  readonly key: string;
}

/** Its file in the data folder. */
export const MONGOD_KEY_FILE = 'mongod-key';

/**
 * Members of a replica set prove themselves by a shared key file, and who holds the key may do
 * what a member may (`__system`). Ours has one member and one client, who both can read the file:
 * so there is no user to make at first start, and no moment without protection.
 */
export const openMongodKey = async (dataDir: string, log: WarningLog): Promise<MongodKey> => {
  const path = join(dataDir, MONGOD_KEY_FILE);
  const make = (): string => randomBytes(32).toString('hex');
  const text = await openPrivateFile(path, make, log);
  return { path, key: text };
};

/** The key as it is, for those who only look; rejects where it cannot be read. */
export const readMongodKey = async (dataDir: string): Promise<MongodKey> => {
  const path = join(dataDir, MONGOD_KEY_FILE);
  return { path, key: (await readFile(path, 'utf8')).trim() };
};

/** The start of a connection string to the embedded mongod; ask for `authSource=local` with it. */
export const mongodAddress = (host: string, { key }: MongodKey): string =>
  `mongodb://__system:${key}@${host}`;
