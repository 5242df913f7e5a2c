import mongoose from 'mongoose';
import { startEmbeddedMongo } from '../../src/store/embedded/start-embedded-mongo.js';
import { type Cleanup, temporaryFolder } from './cleanup.js';

export interface Database {
  readonly uri: string;
  /** The connection string of another database on the same server. */
  readonly uriOf: (database: string) => string;
  readonly pid: number;
  readonly version: string;
}

/** A database, for as long as the program runs. */
export const openDatabase = (uri: string, cleanup: Cleanup): mongoose.mongo.Db => {
  const client = new mongoose.mongo.MongoClient(uri);
  cleanup.defer(() => client.close());
  return client.db();
};

/** Starts a mongod with its data in a temporary folder, as the gateway runs its embedded one. */
export const startDatabase = async (
  cleanup: Cleanup,
  report: (line: string) => void = () => undefined,
): Promise<Database> => {
  const dataDir = await temporaryFolder('database', cleanup);
  const log = (_fields: object, message: string): void => report(message);
  const { uri, stop } = await startEmbeddedMongo({
    dataDir,
    log: { info: log, warn: log, error: log },
  });
  cleanup.defer(stop);
  const client = await mongoose.mongo.MongoClient.connect(uri);
  const { pid, version } = await client.db().admin().serverStatus();
  await client.close();
  return {
    uri,
    uriOf: (database) => uri.replace(/\/[^/?]*\?/, `/${database}?`),
    pid: Number(pid),
    version: String(version),
  };
};
