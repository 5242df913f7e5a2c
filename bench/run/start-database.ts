import mongoose from 'mongoose';
import type { Cleanup } from '../../tooling/cleanup.js';
import { startEmbeddedMongo } from '../../src/store/embedded/start-embedded-mongo.js';

export interface Database {
  readonly pid: number;
  readonly version: string;
  /** The connection string of a database of this name. */
  readonly uriOf: (database: string) => string;
}

const silence = (): void => undefined;

/** A mongod of the benchmark's own, run as the gateway runs its embedded one. */
export const startDatabase = async (folder: string, cleanup: Cleanup): Promise<Database> => {
  const log = { info: silence, warn: silence, error: silence };
  const { uri, stop } = await startEmbeddedMongo({ dataDir: folder, log });
  cleanup.defer(stop);
  const client = await mongoose.mongo.MongoClient.connect(uri);
  const { pid, version } = await client.db().admin().serverStatus();
  await client.close();
  return {
    pid: Number(pid),
    version: String(version),
    uriOf: (database) => uri.replace(/\/[^/?]*\?/, `/${database}?`),
  };
};
