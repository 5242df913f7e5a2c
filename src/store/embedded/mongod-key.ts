import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { openPrivateFile, type WarningLog } from '../../private-file.js';

/** What protects the embedded database from other users of the machine. */
export interface MongodKey {
  readonly path: string;
  readonly key: string;
}

/**
 * Members of a replica set prove themselves by a shared key file, and who holds the key may do
 * what a member may (`__system`). Ours has one member and one client, who both can read the file:
 * so there is no user to make at first start, and no moment without protection.
 */
export const openMongodKey = async (dataDir: string, log: WarningLog): Promise<MongodKey> => {
  const path = join(dataDir, 'mongod-key');
  const make = (): string => randomBytes(32).toString('hex');
  const { text } = await openPrivateFile(path, make, log);
  return { path, key: text };
};

/** The start of a connection string to the embedded mongod; ask for `authSource=local` with it. */
export const mongodAddress = (host: string, { key }: MongodKey): string =>
  `mongodb://__system:${key}@${host}`;
