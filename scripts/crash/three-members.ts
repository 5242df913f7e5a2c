import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import mongoose from 'mongoose';
import { cacheFolder } from '../../src/store/embedded/cache-folder.js';
import { freePort } from '../../src/store/embedded/free-port.js';
import {
  mongodAddress,
  type MongodKey,
  openMongodKey,
} from '../../src/store/embedded/mongod-key.js';
import { HOST, mongodOptions, REPLICA_SET } from '../../src/store/embedded/mongod-options.js';
import { resolveMongod } from '../../src/store/embedded/resolve-mongod.js';
import type { Cleanup } from '../../tooling/cleanup.js';
import { until } from './until.js';

/** A replica set as operators run it: three members, two of which decide. */
export interface ThreeMembers {
  readonly uri: string;
  /** Takes the primary away; resolves once writes are taken again, with how to go on. */
  readonly failOver: (how: Blow) => Promise<FailedOver>;
}

/** `kill`: it is gone. `freeze`: it stands still with its connections open, and goes on later. */
export type Blow = 'kill' | 'freeze';

export interface FailedOver {
  /**
   * From the blow until another member took a write, and a second one had it: one that followed a
   * member which stands still takes some ten seconds to follow another (seen, mongod 6.0.5).
   */
  readonly outageMs: number;
  /** Brings it back; resolves once it follows the others. */
  readonly bringBack: () => Promise<void>;
}

interface Member {
  readonly port: number;
  readonly start: () => void;
  readonly kill: () => Promise<void>;
  readonly signal: (name: 'SIGSTOP' | 'SIGCONT') => void;
}

/** MongoDB's own is ten seconds, which would be most of a run. */
const ELECTION_TIMEOUT_MS = 2_000;

const GONE = /ECONNREFUSED|connection .* closed|ECONNRESET|Server selection|timed out/i;

export const openThreeMembers = async (
  say: (line: string) => void,
  { defer }: Cleanup,
): Promise<ThreeMembers> => {
  const folder = await mkdtemp(join(tmpdir(), 'rollgate-members-'));
  defer(() => rm(folder, { recursive: true, force: true }));
  const tell = (_fields: object, message: string): void => say(message);
  const log = { info: tell, warn: tell, error: tell };
  const { path } = await resolveMongod({
    env: process.env,
    log,
    cacheDir: cacheFolder(process.env),
  });
  const key = await openMongodKey(folder, log);
  const members: Member[] = [];
  for (const name of ['one', 'two', 'three']) {
    const member = await openMember(path, join(folder, name), key);
    defer(member.kill);
    member.start();
    members.push(member);
  }
  await initiate(members, key);
  const hosts = members.map(({ port }) => `${HOST}:${port}`).join(',');
  const set = { members, key };
  await until(async () => (await stateOf(set)).primary !== undefined, noPrimary);
  return {
    uri: `${mongodAddress(hosts, key)}/rollgate?authSource=local&replicaSet=${REPLICA_SET}`,
    failOver: (how) => failOver(set, how),
  };
};

interface Set {
  readonly members: readonly Member[];
  readonly key: MongodKey;
}

const noPrimary = (): string => 'No member became primary.';

const openMember = async (path: string, dbPath: string, key: MongodKey): Promise<Member> => {
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
    start: () => {
      running = spawn(path, args, { stdio: 'ignore' });
    },
    kill: async () => {
      if (!running || running.exitCode !== null || running.signalCode !== null) return;
      const ended = once(running, 'close');
      running.kill('SIGKILL');
      await ended;
    },
    signal: (name) => void running?.kill(name),
  };
};

/** Whether a majority has a write now; waits until it does. */
const takesWrites = async (set: Set): Promise<boolean> => {
  const { primary } = await stateOf(set);
  if (!primary) return false;
  const write = {
    insert: 'blows',
    documents: [{ at: new Date() }],
    writeConcern: { w: 'majority', j: true },
  };
  return (await askMember(primary, set.key, write)) !== undefined;
};

/** Asks one member, whatever the others say. Undefined where it does not answer. */
const askMember = async <Answer>(
  { port }: Member,
  key: MongodKey,
  command: object,
): Promise<Answer | undefined> => {
  const client = new mongoose.mongo.MongoClient(
    `${mongodAddress(`${HOST}:${port}`, key)}/?authSource=local&directConnection=true`,
    { serverSelectionTimeoutMS: 500, connectTimeoutMS: 500 },
  );
  try {
    const database = client.db('insert' in command ? 'failover' : 'admin');
    return (await database.command(command)) as Answer;
  } catch (error) {
    if (GONE.test(String(error))) return undefined;
    throw error;
  } finally {
    await client.close();
  }
};

const initiate = async (members: readonly Member[], key: MongodKey): Promise<void> => {
  const config = {
    _id: REPLICA_SET,
    version: 1,
    members: members.map(({ port }, at) => ({ _id: at, host: `${HOST}:${port}` })),
    settings: { electionTimeoutMillis: ELECTION_TIMEOUT_MS },
  };
  await Promise.all(
    members.map((member) =>
      until(
        async () => (await askMember(member, key, { ping: 1 })) !== undefined,
        () => 'A member did not start.',
      ),
    ),
  );
  const [first] = members;
  if (first) await askMember(first, key, { replSetInitiate: config });
};

interface State {
  readonly primary?: Member;
  readonly following: number;
}

const stateOf = async ({ members, key }: Set): Promise<State> => {
  const answers = await Promise.all(
    members.map(async (member) => ({
      member,
      hello: await askMember<{ isWritablePrimary?: boolean; secondary?: boolean }>(member, key, {
        hello: 1,
      }),
    })),
  );
  const primary = answers.find(({ hello }) => hello?.isWritablePrimary === true)?.member;
  return {
    ...(primary && { primary }),
    following: answers.filter(({ hello }) => hello?.secondary === true).length,
  };
};

const failOver = async (set: Set, how: Blow): Promise<FailedOver> => {
  const { primary } = await stateOf(set);
  if (!primary) throw new Error(noPrimary());
  const struckAt = performance.now();
  if (how === 'kill') await primary.kill();
  else primary.signal('SIGSTOP');
  await until(() => takesWrites(set), noPrimary);
  return {
    outageMs: performance.now() - struckAt,
    bringBack: async () => {
      if (how === 'kill') primary.start();
      else primary.signal('SIGCONT');
      await until(
        async () => (await stateOf(set)).following === set.members.length - 1,
        () => 'The member that was taken away did not come back.',
      );
    },
  };
};
