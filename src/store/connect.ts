import { setTimeout as wait } from 'node:timers/promises';
import * as mongo from 'mongodb';
import { describeFault, isOtherReplicaSet } from './connection-fault.js';
import { hostsOf, withoutParameters } from './connection-string.js';
import { isSupported, MIN_VERSION } from './supported-version.js';

/** The database cannot be used. The message says why and what to do, and contains no secrets. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError';
}

export interface ConnectSettings {
  /** How long to retry while the database is starting. */
  readonly timeoutMs?: number;
  /** For tests that observe the driver's commands. */
  readonly monitorCommands?: boolean;
}

/** Not configurable: an acknowledged change is on a majority's disks. */
const SAFETY = {
  writeConcern: { w: 'majority', journal: true },
  readConcern: { level: 'majority' },
  readPreference: 'primary',
  retryWrites: true,
  retryReads: true,
} as const satisfies mongo.MongoClientOptions;

/** The driver prefers the connection string to options, so these are removed from it. */
const SAFETY_PARAMETERS = [
  'w',
  'journal',
  'j',
  'readConcernLevel',
  'readPreference',
  'retryWrites',
  'retryReads',
];

/**
 * Defaults that the connection string may override. An absent database is a 503 within two seconds,
 * one that hangs within four: the monitor checks every second and waits two and a half.
 */
const TUNING = {
  appName: 'rollgate',
  maxPoolSize: 50,
  serverSelectionTimeoutMS: 2_000,
  connectTimeoutMS: 2_500,
  heartbeatFrequencyMS: 1_000,
  // One command a second instead of two: streaming also sends pings. A change of the primary is
  // noticed by the first command that fails, as before, and within a second without one.
  serverMonitoringMode: 'poll',
} as const satisfies mongo.MongoClientOptions;

const TIMEOUT_MS = 15_000;
const RETRY_DELAY_MS = 250;

/**
 * Connects to a database that has transactions: a replica set or a sharded cluster. Rejects with a
 * DatabaseError.
 */
export const connect = async (
  uri: string,
  settings: ConnectSettings = {},
): Promise<mongo.MongoClient> => {
  const client = await connectWithRetries(uri, settings);
  try {
    await checkServer(client, uri);
    return client;
  } catch (error) {
    await client.close();
    throw error;
  }
};

const connectWithRetries = async (
  uri: string,
  settings: ConnectSettings,
): Promise<mongo.MongoClient> => {
  const patienceMs = settings.timeoutMs ?? TIMEOUT_MS;
  const options = optionsFor(uri, settings);
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const client = openClient(uri, options);
    try {
      return await client.connect();
    } catch (error) {
      await client.close();
      if (!isUnreachable(error) || isOtherReplicaSet(error)) throw unusable(uri, error);
      if (Date.now() >= deadline) throw unreachable(uri, patienceMs, error);
    }
    await wait(RETRY_DELAY_MS);
  }
};

/** The driver reads the connection string before it connects. */
const openClient = (uri: string, options: mongo.MongoClientOptions): mongo.MongoClient => {
  try {
    const client = new mongo.MongoClient(withoutParameters(uri, SAFETY_PARAMETERS), options);
    checkPoolRarely(client);
    return client;
  } catch (error) {
    throw unusable(uri, error);
  }
};

/**
 * How often the driver looks for connections to drop or to add. It need not: a broken one is dropped
 * when a command would use it, and none is kept in advance. Its default of 100 ms was most of what
 * woke an idle gateway. The driver's pool has the option, but only tests of the driver can pass it.
 */
const POOL_CHECK_MS = 5_000;

const checkPoolRarely = ({ options }: mongo.MongoClient): void => {
  // Its checks are what opens the connections that a connection string asks for.
  if (!options.minPoolSize) Object.assign(options, { minPoolSizeCheckFrequencyMS: POOL_CHECK_MS });
};

const optionsFor = (
  uri: string,
  { monitorCommands }: ConnectSettings,
): mongo.MongoClientOptions => {
  const pattern = new RegExp(`[?&](${Object.keys(TUNING).join('|')})=`, 'gi');
  const inUri = new Set([...uri.matchAll(pattern)].map((match) => match[1]?.toLowerCase()));
  const tuning = Object.entries(TUNING).filter(([name]) => !inUri.has(name.toLowerCase()));
  return { ...Object.fromEntries(tuning), ...SAFETY, monitorCommands: monitorCommands ?? false };
};

const isUnreachable = (error: unknown): boolean =>
  error instanceof mongo.MongoServerSelectionError || error instanceof mongo.MongoNetworkError;

const unreachable = (uri: string, timeoutMs: number, cause: unknown): DatabaseError =>
  new DatabaseError(
    `MongoDB at ${hostsOf(uri)} ${describeFault(cause)} Gave up after ` +
      `${Math.round(timeoutMs / 1000)} s. Start it, or correct ROLLGATE_MONGODB_URI ` +
      '(mongodb.uri in the configuration).',
    { cause },
  );

const unusable = (uri: string, cause: unknown): DatabaseError =>
  new DatabaseError(
    `MongoDB at ${hostsOf(uri)} ${describeFault(cause)} ` +
      'Correct ROLLGATE_MONGODB_URI (mongodb.uri in the configuration).',
    { cause },
  );

const checkServer = async (client: mongo.MongoClient, uri: string): Promise<void> => {
  const admin = client.db('admin').admin();
  const hello = await admin.command({ hello: 1 });
  if (hello.setName === undefined && hello.msg !== 'isdbgrid') {
    throw new DatabaseError(
      `MongoDB at ${hostsOf(uri)} is a standalone server, which has no transactions. Run it as ` +
        'a replica set, which may have one member: mongod --replSet rs0, then rs.initiate() in mongosh.',
    );
  }
  await checkVersion(admin, uri);
};

const checkVersion = async (admin: mongo.Admin, uri: string): Promise<void> => {
  const version = String((await admin.command({ buildInfo: 1 })).version);
  if (isSupported(version)) return;
  throw new DatabaseError(
    `MongoDB at ${hostsOf(uri)} is version ${version}. Rollgate requires ${MIN_VERSION} or later.`,
  );
};
