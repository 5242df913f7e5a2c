import { mongo } from 'mongoose';
import { DatabaseError } from '../connect.js';
import { describeFault } from '../connection-fault.js';
import { hostsOf, withoutParameters } from '../connection-string.js';

/** A connection that only looks: for a doctor, not for a gateway. */
export interface InspectedDatabase {
  readonly client: mongo.MongoClient;
  readonly database: mongo.Db;
  /** Its addresses, fit to be shown. */
  readonly hosts: string;
  readonly close: () => Promise<void>;
}

/**
 * Whatever is wrong with a server is to be seen, not to be refused: any member will do where there
 * is no primary, and nobody is waited for. Nothing is ever written, so no write is retried.
 */
const OPTIONS = {
  appName: 'rollgate-doctor',
  maxPoolSize: 4,
  readPreference: 'primaryPreferred',
  readConcern: { level: 'local' },
  retryWrites: false,
  serverSelectionTimeoutMS: 3_000,
  connectTimeoutMS: 3_000,
} as const satisfies mongo.MongoClientOptions;

/** The driver lets the connection string win over options, so these are taken out of it. */
const OWN_PARAMETERS = [...Object.keys(OPTIONS), 'readConcernLevel', 'timeoutMS'];

/** Rejects with a DatabaseError that tells why and what to do, without secrets. */
export const inspectDatabase = async (uri: string): Promise<InspectedDatabase> => {
  const hosts = hostsOf(uri);
  try {
    const client = new mongo.MongoClient(withoutParameters(uri, OWN_PARAMETERS), OPTIONS);
    await client.connect().catch(async (error: unknown) => {
      await client.close();
      throw error;
    });
    return { client, database: client.db(), hosts, close: () => client.close() };
  } catch (cause) {
    throw new DatabaseError(`MongoDB at ${hosts} ${describeFault(cause)}`, { cause });
  }
};

/** A question to whichever server answers: commands else go to a primary, whatever the client says. */
export const ask = async (
  { client }: InspectedDatabase,
  command: mongo.BSON.Document,
): Promise<mongo.BSON.Document> =>
  client.db('admin').command(command, { readPreference: OPTIONS.readPreference });
