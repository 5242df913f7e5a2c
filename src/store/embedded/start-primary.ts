import { setTimeout as wait } from 'node:timers/promises';
import * as mongo from 'mongodb';
import {
  mongodAddress,
  type MongodKey,
  HOST,
  REPLICA_SET,
  noteDataVersion,
  readDataVersion,
  seriesOf,
} from './mongod-settings.js';
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { MongodBinary } from './mongod-source.js';
import { startMongodProcess, type MongodProcess } from './mongod-process.js';

interface ReplicaSetConfig {
  readonly version: number;
  readonly members: readonly { readonly host: string }[];
}

const TIMEOUT_MS = 60_000;
const POLL_MS = 20;
/** error_codes.yml of the server. */
const NOT_YET_INITIALIZED = 94;
const ALREADY_INITIALIZED = 23;

/**
 * Makes the mongod at this port the primary of its replica set of one: initiates the set if the
 * data has none, or changes its address if the data was served on another port (by force, because a
 * member that is not in its configuration removes itself). Rejects after a minute, and as soon as
 * mongod has `ended`.
 * @internal
 */
export const becomePrimary = async (
  port: number,
  key: MongodKey,
  ended: Promise<void>,
): Promise<void> => {
  const host = `${HOST}:${port}`;
  const uri = `${mongodAddress(host, key)}/?authSource=local&directConnection=true`;
  const client = new mongo.MongoClient(uri);
  const exited = ended.then((): never => {
    throw new Error('mongod exited');
  });
  try {
    await Promise.race([waitForPrimary(client.db('admin').admin(), host), exited]);
  } finally {
    await client.close();
  }
};

const waitForPrimary = async (admin: mongo.Admin, host: string): Promise<void> => {
  const deadline = Date.now() + TIMEOUT_MS;
  for (;;) {
    const { isDone, cause } = await advance(admin, host);
    if (isDone) return;
    if (Date.now() > deadline) throw new Error('it did not become primary', { cause });
    await wait(POLL_MS);
  }
};

interface Progress {
  readonly isDone: boolean;
  /** Why the connection broke, if it did. */
  readonly cause?: Error;
}

/**
 * Checks the state and runs one command if needed. A member closes its connections when its state
 * changes, more than once after a crash: the next step continues from there.
 */
const advance = async (admin: mongo.Admin, host: string): Promise<Progress> => {
  try {
    if (await isPrimary(admin)) return { isDone: true };
    await configure(admin, host);
    return { isDone: false };
  } catch (cause) {
    if (cause instanceof mongo.MongoNetworkError) return { isDone: false, cause };
    throw cause;
  }
};

const isPrimary = async (admin: mongo.Admin): Promise<boolean> =>
  (await admin.command({ hello: 1 })).isWritablePrimary === true;

const configure = async (admin: mongo.Admin, host: string): Promise<void> => {
  const config = await readConfig(admin);
  if (config === undefined) return initiate(admin, host);
  if (config.members[0]?.host === host) return;
  const members = [{ ...config.members[0], host }];
  const replSetReconfig = { ...config, version: config.version + 1, members };
  await admin.command({ replSetReconfig, force: true });
};

const readConfig = async (admin: mongo.Admin): Promise<ReplicaSetConfig | undefined> => {
  try {
    return (await admin.command({ replSetGetConfig: 1 })).config as ReplicaSetConfig;
  } catch (error) {
    if (hasCode(error, NOT_YET_INITIALIZED)) return undefined;
    throw error;
  }
};

/**
 * The data may have a set that is still being loaded: the server says so, and the next step sees
 * it.
 */
const initiate = async (admin: mongo.Admin, host: string): Promise<void> => {
  const config = { _id: REPLICA_SET, version: 1, members: [{ _id: 0, host }] };
  try {
    await admin.command({ replSetInitiate: config });
  } catch (error) {
    if (!hasCode(error, ALREADY_INITIALIZED)) throw error;
  }
};

const hasCode = (error: unknown, code: number): boolean =>
  error instanceof mongo.MongoServerError && error.code === code;

export interface EmbeddedSettings {
  readonly binary: MongodBinary;
  readonly dataDir: string;
  readonly dbPath: string;
  readonly key: MongodKey;
}

/**
 * Starts mongod and waits until it accepts writes. Rejects with an Error that says where to look.
 */
export const startPrimary = async (
  settings: EmbeddedSettings,
  port: number,
): Promise<MongodProcess> => {
  try {
    const mongod = await startMongodProcess({ ...settings, keyFile: settings.key.path, port });
    await becomePrimary(port, settings.key, mongod.ended).catch(async (error: unknown) => {
      await mongod.stop();
      throw error;
    });
    await noteDataVersion(settings.dataDir, settings.binary.version);
    return mongod;
  } catch (cause) {
    throw new Error(await messageFor(settings, cause), { cause });
  }
};

/** With less, mongod cannot create its first files. */
const MIN_FREE_BYTES = 64 * 1024 ** 2;

const messageFor = async (settings: EmbeddedSettings, cause: unknown): Promise<string> => {
  const { bavail, bsize } = await statfs(settings.dataDir);
  if (bavail * bsize < MIN_FREE_BYTES)
    return (
      `The embedded mongod did not start: the disk of ${settings.dataDir} is full. Free at least ` +
      '1 GB on it, or choose another folder with ROLLGATE_DATA_DIR (dataDir in the configuration).'
    );
  const reason = cause instanceof Error ? cause.message : String(cause);
  const log = join(settings.dataDir, 'mongod.log');
  const found = `The embedded mongod did not start (${reason}). See ${log}.`;
  const { version } = settings.binary;
  const before = (await readDataVersion(settings.dataDir)) ?? version;
  if (seriesOf(before) === seriesOf(version)) return found;
  return (
    `${found} The data was written by mongod ${before}, and mongod ${version} may not be able to ` +
    `read it: set MONGOMS_SYSTEM_BINARY to a mongod ${seriesOf(before)}.`
  );
};
