import * as mongo from 'mongodb';
import { setTimeout as wait } from 'node:timers/promises';
import { DRIVER_TIMEOUT_MS } from './concerns.js';

/** $$NOW in reads and killSessions need it; older servers are no longer maintained. */
const MIN_MAJOR = 5;

/** The oldest MongoDB that Rollgate runs on. */
export const MIN_VERSION = `${MIN_MAJOR}.0`;

/** `version`: as in `6.0.5`. */
export const isSupported = (version: string): boolean => Number.parseInt(version, 10) >= MIN_MAJOR;

/** The addresses of a connection string: the part that may be shown. */
export const hostsOf = (uri: string): string => {
  const authority = uri.replace(/^[^:]*:\/\//, '').replace(/\?.*$/s, '');
  const hosts = authority.slice(authority.lastIndexOf('@') + 1).replace(/\/.*$/s, '');
  return hosts || 'the configured address';
};

/** The connection string without these parameters, in any letter case. */
export const withoutParameters = (uri: string, names: readonly string[]): string => {
  const dropped = new Set(names.map((name) => name.toLowerCase()));
  const [base = '', query = ''] = uri.split('?', 2);
  const isKept = (pair: string): boolean =>
    !dropped.has((pair.split('=', 1)[0] ?? '').toLowerCase());
  return `${base}?${query.split('&').filter(isKept).join('&')}`;
};

/** What the driver says about options, without their values. */
const OPTION_FAULT =
  /^(options? [\w, ]+ (is|are) not supported|Expected \w+ to be stringified int value|[\w/]+ (must be either "true" or "false"|can only be a positive int value))/;

/**
 * Why a connection failed. The driver repeats a string that it cannot parse, including the
 * password.
 */
const reasonOf = (cause: unknown): string => {
  if (!(cause instanceof Error)) return 'for an unknown reason';
  if (cause.name !== 'MongoParseError') return cause.message;
  const [fault] = OPTION_FAULT.exec(cause.message) ?? [];
  return `the connection string is malformed${fault === undefined ? '' : ` (${fault})`}`;
};

/** The driver found no suitable server. */
const isSelectionError = (cause: unknown): cause is mongo.MongoServerSelectionError =>
  cause instanceof mongo.MongoServerSelectionError;

/** The driver drops servers of another replica set, or of none, so that none is left. */
const isOtherReplicaSet = (cause: unknown): boolean =>
  isSelectionError(cause) && serverTypes(cause)?.length === 0;

/** Why a database cannot be used, to follow its address; contains no secrets. */
export const describeFault = (cause: unknown): string => {
  if (!isSelectionError(cause)) return `cannot be used: ${reasonOf(cause)}.`;
  if (isOtherReplicaSet(cause))
    return 'is not a member of the replica set in the connection string.';
  // Started with --replSet but not initiated: it responds, but serves no client.
  if (serverTypes(cause)?.includes('RSGhost') === true)
    return 'is a member of a replica set that was never initiated: run rs.initiate() in mongosh.';
  return `does not respond: ${cause.message.replace(/\.$/, '')}.`;
};

/** The type of each server, as the driver last saw it. */
const serverTypes = (cause: mongo.MongoServerSelectionError): string[] | undefined => {
  const { reason } = cause as { readonly reason?: unknown };
  const { servers } = (reason ?? {}) as {
    readonly servers?: ReadonlyMap<string, { readonly type: string }>;
  };
  return servers && [...servers.values()].map(({ type }) => type);
};

/** The database cannot be used. The message says why and what to do, and contains no secrets. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError';
}

interface ConnectSettings {
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
  // Without it, an operation whose connection hangs while the server responds to others never ends.
  socketTimeoutMS: DRIVER_TIMEOUT_MS,
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
