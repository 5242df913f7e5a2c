import { setTimeout as wait } from 'node:timers/promises';
import { mongo } from 'mongoose';
import { mongodAddress, type MongodKey } from './mongod-key.js';
import { HOST, REPLICA_SET } from './mongod-options.js';

interface ReplicaSetConfig {
  readonly version: number;
  readonly members: readonly { readonly host: string }[];
}

const PATIENCE_MS = 60_000;
const POLL_MS = 20;
/** error_codes.yml of the server. */
const NOT_YET_INITIALIZED = 94;
const ALREADY_INITIALIZED = 23;

/**
 * Makes the mongod at the port the primary of its set of one: a new set where the data has none,
 * a changed address where the data was served at another port before (a member that does not find
 * itself in its configuration removes itself, hence by force). Rejects where that takes a minute,
 * and as soon as mongod has `ended`.
 */
export const becomePrimary = async (
  port: number,
  key: MongodKey,
  ended: Promise<void>,
): Promise<void> => {
  const host = `${HOST}:${port}`;
  const uri = `${mongodAddress(host, key)}/?authSource=local&directConnection=true`;
  const client = new mongo.MongoClient(uri);
  const tooLate = ended.then((): never => {
    throw new Error('it ended by itself');
  });
  try {
    await Promise.race([takeSteps(client.db('admin').admin(), host), tooLate]);
  } finally {
    await client.close();
  }
};

const takeSteps = async (admin: mongo.Admin, host: string): Promise<void> => {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const { isDone, cause } = await takeStep(admin, host);
    if (isDone) return;
    if (Date.now() > deadline) throw new Error('it did not become primary', { cause });
    await wait(POLL_MS);
  }
};

interface Step {
  readonly isDone: boolean;
  /** Why the connection broke, where it did. */
  readonly cause?: Error;
}

/**
 * One look and, where something is missing, one command. A member breaks its connections off when
 * its state changes, as it does more than once after a crash: the next step meets it as it is then.
 */
const takeStep = async (admin: mongo.Admin, host: string): Promise<Step> => {
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

/** Data that has a set may still be loading it: then the server says so, and the next turn sees it. */
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
