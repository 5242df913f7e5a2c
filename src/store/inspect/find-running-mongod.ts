import { access, constants } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { mongodAddress, readMongodKey, HOST } from '../embedded/mongod-settings.js';
import { findServingMongod } from '../embedded/running-process.js';

/** The embedded mongod that a gateway is running in the data folder. */
export interface RunningMongod {
  readonly pid: number;
  /** Contains the key to the database: not to be shown. */
  readonly uri: string;
}

/**
 * Undefined if none runs. Rejects if the folder is not readable because it belongs to another
 * account.
 */
export const findRunningMongod = async (dataDir: string): Promise<RunningMongod | undefined> => {
  const folder = resolve(dataDir);
  const dbPath = join(folder, 'db');
  if (!(await isReadable(dbPath))) return undefined;
  const serving = await findServingMongod(dbPath);
  if (serving?.port === undefined) return undefined;
  const address = mongodAddress(`${HOST}:${serving.port}`, await readMongodKey(folder));
  const uri = `${address}/rollgate?authSource=local&directConnection=true`;
  return { pid: serving.pid, uri };
};

/** False if it does not exist; rejects if it is not accessible. */
const isReadable = async (folder: string): Promise<boolean> => {
  try {
    await access(folder, constants.R_OK | constants.X_OK);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
};
