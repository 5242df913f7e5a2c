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
 * itself in its configuration removes itself, hence by force).
 */
export const becomePrimary = async (port: number, key: MongodKey): Promise<void> => {
  const host = `${HOST}:${port}`;
  const uri = `${mongodAddress(host, key)}/?authSource=local&directConnection=true`;
  const client = new mongo.MongoClient(uri);
  try {
    const admin = client.db('admin').admin();
    const deadline = Date.now() + PATIENCE_MS;
    while (!(await isPrimary(admin))) {
      if (Date.now() > deadline) throw new Error('it did not become primary');
      await configure(admin, host);
      await wait(POLL_MS);
    }
  } finally {
    await client.close();
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
