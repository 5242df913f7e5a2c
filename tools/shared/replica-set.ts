import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import mongoose from 'mongoose';
import { cacheFolder } from '../../src/process/cache-folder.js';
import { freePort } from '../../src/store/embedded/start-embedded-mongo.js';
import {
  mongodAddress,
  type MongodKey,
  openMongodKey,
  HOST,
  mongodOptions,
  REPLICA_SET,
} from '../../src/store/embedded/mongod-settings.js';
import { MONGOD_SOURCES, resolveMongod } from '../../src/store/embedded/resolve-mongod.js';
import { type Cleanup, temporaryFolder } from './cleanup.js';
import { waitUntil } from './wait-until.js';

/** A replica set of three members, each in a process of its own. */
export interface ReplicaSet {
  readonly uri: string;
  /**
   * Makes the primary fail. Resolves when another member has accepted a write and a second one has
   * replicated it, with a function that restores the failed member as a secondary. A secondary that
   * replicates from a frozen member takes about ten seconds to switch (mongod 6.0.5).
   */
  readonly failOver: (fault: MemberFault) => Promise<() => Promise<void>>;
}

/** `kill` ends the process; `freeze` stops it (SIGSTOP) with its connections open. */
export type MemberFault = 'kill' | 'freeze';

export const isMemberFault = (name: string): name is MemberFault =>
  name === 'kill' || name === 'freeze';

interface Member {
  readonly port: number;
  readonly start: () => void;
  readonly kill: () => Promise<void>;
  readonly signal: (name: 'SIGSTOP' | 'SIGCONT') => void;
}

interface Members {
  readonly members: readonly Member[];
  readonly key: MongodKey;
  /** How long the others wait for a primary that does not respond, in milliseconds. */
  readonly electionMs: number;
}

/** MongoDB's default of ten seconds would take most of a run. */
const ELECTION_MS = 2_000;

const CONNECTION_ERROR = /ECONNREFUSED|connection .* closed|ECONNRESET|Server selection|timed out/i;

export const startReplicaSet = async (
  cleanup: Cleanup,
  report: (line: string) => void = () => undefined,
  electionMs = ELECTION_MS,
): Promise<ReplicaSet> => {
  const folder = await temporaryFolder('members', cleanup);
  const print = (_fields: object, message: string): void => report(message);
  const log = { info: print, warn: print, error: print };
  const { env } = process;
  const { path } = await resolveMongod({ env, log, cacheDir: cacheFolder(env) }, MONGOD_SOURCES);
  const key = await openMongodKey(folder, log);
  const members: Member[] = [];
  for (const name of ['one', 'two', 'three']) {
    const member = await createMember(path, join(folder, name), key);
    cleanup.defer(member.kill);
    member.start();
    members.push(member);
  }
  const set: Members = { members, key, electionMs };
  await initiate(set);
  await waitUntil(async () => (await stateOf(set)).primary !== undefined, noPrimary);
  const hosts = members.map(({ port }) => `${HOST}:${port}`).join(',');
  return {
    uri: `${mongodAddress(hosts, key)}/rollgate?authSource=local&replicaSet=${REPLICA_SET}`,
    failOver: (fault) => failOver(set, fault),
  };
};

const noPrimary = (): string => 'No member became primary.';

const createMember = async (path: string, dbPath: string, key: MongodKey): Promise<Member> => {
  await mkdir(dbPath);
  const port = await freePort(HOST);
  let running: ChildProcess | undefined;
  const args = [
    ...['--port', String(port), '--bind_ip', HOST, '--dbpath', dbPath],
    ...['--replSet', REPLICA_SET, '--keyFile', key.path],
    ...mongodOptions(),
  ];
  return {
    port,
    start: () => (running = spawn(path, args, { stdio: 'ignore' })),
    kill: async () => {
      if (!running || running.exitCode !== null || running.signalCode !== null) return;
      const ended = once(running, 'close');
      running.kill('SIGKILL');
      await ended;
    },
    signal: (name) => void running?.kill(name),
  };
};

/** Runs a command on one member. Undefined if it cannot be reached. */
const runOn = async <Result>(
  { port }: Member,
  key: MongodKey,
  command: object,
): Promise<Result | undefined> => {
  const client = new mongoose.mongo.MongoClient(
    `${mongodAddress(`${HOST}:${port}`, key)}/?authSource=local&directConnection=true`,
    { serverSelectionTimeoutMS: 500, connectTimeoutMS: 500 },
  );
  try {
    const database = client.db('insert' in command ? 'failover' : 'admin');
    return (await database.command(command)) as Result;
  } catch (error) {
    if (CONNECTION_ERROR.test(String(error))) return undefined;
    throw error;
  } finally {
    await client.close();
  }
};

const initiate = async ({ members, key, electionMs }: Members): Promise<void> => {
  const config = {
    _id: REPLICA_SET,
    version: 1,
    members: members.map(({ port }, _id) => ({ _id, host: `${HOST}:${port}` })),
    settings: { electionTimeoutMillis: electionMs },
  };
  const isRunning = async (member: Member): Promise<boolean> =>
    (await runOn(member, key, { ping: 1 })) !== undefined;
  for (const member of members)
    await waitUntil(
      () => isRunning(member),
      () => 'A member did not start.',
    );
  const [first] = members;
  if (first) await runOn(first, key, { replSetInitiate: config });
};

interface Hello {
  readonly isWritablePrimary?: boolean;
  readonly secondary?: boolean;
}

const stateOf = async ({ members, key }: Members) => {
  const hellos = await Promise.all(
    members.map(async (member) => ({ member, ...(await runOn<Hello>(member, key, { hello: 1 })) })),
  );
  return {
    primary: hellos.find(({ isWritablePrimary }) => isWritablePrimary === true)?.member,
    secondaries: hellos.filter(({ secondary }) => secondary === true).length,
  };
};

const acceptsWrites = async (set: Members): Promise<boolean> => {
  const { primary } = await stateOf(set);
  if (!primary) return false;
  const write = {
    insert: 'writes',
    documents: [{ at: new Date() }],
    writeConcern: { w: 'majority', j: true },
  };
  return (await runOn(primary, set.key, write)) !== undefined;
};

const failOver = async (set: Members, fault: MemberFault): Promise<() => Promise<void>> => {
  const { primary } = await stateOf(set);
  if (!primary) throw new Error(noPrimary());
  if (fault === 'kill') await primary.kill();
  else primary.signal('SIGSTOP');
  await waitUntil(() => acceptsWrites(set), noPrimary);
  return async () => {
    if (fault === 'kill') primary.start();
    else primary.signal('SIGCONT');
    await waitUntil(
      async () => (await stateOf(set)).secondaries === set.members.length - 1,
      () => 'The failed member did not become a secondary again.',
    );
  };
};
