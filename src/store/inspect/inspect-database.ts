import * as mongo from 'mongodb';
import { DatabaseError, describeFault, hostsOf, withoutParameters } from '../connect.js';
import { collectionsOf } from '../tables/collections.js';
import { readBacklog } from '../stream/read-backlog.js';
import { tenants } from '../tables/tenants.js';

/** A read-only connection, for `rollgate doctor`. */
export interface InspectedDatabase {
  readonly client: mongo.MongoClient;
  readonly database: mongo.Db;
  /** Its addresses, without secrets. */
  readonly hosts: string;
  /** Members of its replica set to which connections fail. */
  readonly unreachable: () => readonly string[];
  readonly close: () => Promise<void>;
}

/**
 * Problems of a server are to be reported, not to prevent the connection: any member will do if
 * there is no primary, and time-outs are short. Nothing is ever written.
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

/** The driver prefers the connection string to options, so these are removed from it. */
const OWN_PARAMETERS = [...Object.keys(OPTIONS), 'readConcernLevel', 'timeoutMS'];

/** Rejects with a DatabaseError that says why and what to do, without secrets. */
export const inspectDatabase = async (uri: string): Promise<InspectedDatabase> => {
  const hosts = hostsOf(uri);
  try {
    const client = new mongo.MongoClient(withoutParameters(uri, OWN_PARAMETERS), OPTIONS);
    let servers: readonly mongo.ServerDescription[] = [];
    client.on('topologyDescriptionChanged', ({ newDescription }) => {
      servers = [...newDescription.servers.values()];
    });
    await client.connect().catch(async (error: unknown) => {
      await client.close();
      throw error;
    });
    return {
      client,
      database: client.db(),
      hosts,
      unreachable: () =>
        servers.filter(({ error }) => error !== null).map(({ address }) => address),
      close: () => client.close(),
    };
  } catch (cause) {
    throw new DatabaseError(`MongoDB at ${hosts} ${describeFault(cause)}`, { cause });
  }
};

/**
 * Runs a command on any available server: the driver sends commands to a primary otherwise,
 * whatever the client's options say.
 */
export const runCommand = async (
  { client }: InspectedDatabase,
  command: mongo.BSON.Document,
): Promise<mongo.BSON.Document> =>
  client.db('admin').command(command, { readPreference: OPTIONS.readPreference });

interface PendingDeliveries {
  readonly pending: number;
  /** How long the most overdue of them has been due, by the database's clock; 0 if none is. */
  readonly overdueMs: number;
}

/** Of all plugins. */
export const readPendingDeliveries = async ({
  client,
}: Pick<InspectedDatabase, 'client'>): Promise<PendingDeliveries> => {
  const { pending, overdueMs } = await readBacklog(collectionsOf(client));
  return {
    pending: [...pending.values()].reduce((sum, count) => sum + count, 0),
    overdueMs: Math.max(0, ...overdueMs.values()),
  };
};

/** Those of the slugs that tenants have; a deleted tenant has none. */
export const readSlugs = async (
  { database }: InspectedDatabase,
  slugs: readonly string[],
): Promise<ReadonlySet<string>> => {
  const found = await tenants
    .in(database)
    .find({ slug: { $in: [...slugs] } }, { projection: { slug: 1 } })
    .toArray();
  return new Set(found.flatMap(({ slug }) => slug ?? []));
};
