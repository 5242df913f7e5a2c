import * as mongo from 'mongodb';
import { isSupported, MIN_VERSION } from '../connect.js';
import { runCommand, type InspectedDatabase } from './inspect-database.js';
import { isTimeLimitExceeded } from '../database-errors.js';

/** The deployment type of the database. */
export type Topology =
  | { readonly kind: 'replica set'; readonly name: string; readonly members: readonly string[] }
  | { readonly kind: 'sharded cluster' }
  | { readonly kind: 'single server' };

interface ServerFacts {
  readonly topology: Topology;
  /** Whether a server accepts writes: the primary, or a router. */
  readonly isWritable: boolean;
}

/** The parts of the `hello` response that every client may read. */
interface Hello {
  readonly setName?: string;
  readonly hosts?: readonly string[];
  readonly passives?: readonly string[];
  readonly arbiters?: readonly string[];
  readonly msg?: string;
  readonly isWritablePrimary?: boolean;
}

export const readServer = async (inspected: InspectedDatabase): Promise<ServerFacts> => {
  const hello = (await runCommand(inspected, { hello: 1 })) as Hello;
  const topology = topologyOf(hello);
  const isWritable = hello.isWritablePrimary === true || topology.kind === 'sharded cluster';
  return { topology, isWritable };
};

const topologyOf = ({ msg, setName, ...hello }: Hello): Topology => {
  if (msg === 'isdbgrid') return { kind: 'sharded cluster' };
  if (setName === undefined) return { kind: 'single server' };
  const { hosts = [], passives = [], arbiters = [] } = hello;
  return { kind: 'replica set', name: setName, members: [...hosts, ...passives, ...arbiters] };
};

/** A member that neither accepts writes nor replicates them. */
interface AilingMember {
  readonly host: string;
  /** `DOWN`, `RECOVERING` … */
  readonly state: string;
}

/** replSetGetStatus: 1 primary, 2 secondary, 7 arbiter. */
const HEALTHY_STATES = new Set([1, 2, 7]);

interface MemberStatus {
  readonly name: string;
  readonly state: number;
  readonly stateStr: string;
}

const DOWN = 8;

/**
 * The members of a replica set that the connected one sees in another state than primary, secondary
 * or arbiter. A user who may not ask for states gets those that the driver cannot reach.
 */
export const findAilingMembers = async (
  inspected: InspectedDatabase,
): Promise<readonly AilingMember[]> => {
  try {
    const { members = [] } = (await runCommand(inspected, { replSetGetStatus: 1 })) as {
      readonly members?: readonly MemberStatus[];
    };
    return members
      .filter(({ state }) => !HEALTHY_STATES.has(state))
      .map(({ name, state, stateStr }) => ({
        host: name,
        state: state === DOWN ? 'DOWN' : stateStr,
      }));
  } catch (error) {
    if (!(error instanceof mongo.MongoServerError)) throw error;
    return inspected.unreachable().map((host) => ({ host, state: 'not reachable' }));
  }
};

interface ServerVersion {
  /** `6.0.5` */
  readonly version: string;
  /** Whether Rollgate supports it. */
  readonly isSupported: boolean;
  /** The oldest supported version. */
  readonly oldest: string;
}

export const readVersion = async (inspected: InspectedDatabase): Promise<ServerVersion> => {
  const version = String((await runCommand(inspected, { buildInfo: 1 })).version);
  return { version, isSupported: isSupported(version), oldest: MIN_VERSION };
};

const UNAUTHORIZED = 13;

/** Seconds until the server aborts an open transaction; undefined if this user may not read it. */
export const readTransactionLimit = async (
  inspected: InspectedDatabase,
): Promise<number | undefined> => {
  try {
    const command = { getParameter: 1, transactionLifetimeLimitSeconds: 1 };
    return Number((await runCommand(inspected, command)).transactionLifetimeLimitSeconds);
  } catch (error) {
    if (error instanceof mongo.MongoServerError && error.code === UNAUTHORIZED) return undefined;
    throw error;
  }
};

interface ServerTime {
  /** The fastest of a few, in milliseconds: concurrent commands slow the others down. */
  readonly roundTripMs: number;
  /** How far the server's clock is ahead of ours; accurate to half of that round trip. */
  readonly aheadMs: number;
}

/** Clocks of this process: wall-clock time and monotonic time, in milliseconds. */
export interface Clocks {
  readonly now: () => number;
  readonly elapsed: () => number;
}

const SAMPLES = 5;

/** Reads the server's time a few times: the first command also opens the connection. */
export const timeServer = async (
  inspected: InspectedDatabase,
  clocks: Clocks,
): Promise<ServerTime> => {
  let best: ServerTime = { roundTripMs: Infinity, aheadMs: 0 };
  for (let count = 0; count < SAMPLES; count += 1) {
    const next = await sample(inspected, clocks);
    if (next.roundTripMs < best.roundTripMs) best = next;
  }
  return best;
};

/** The response was sent half a round trip ago. */
const sample = async (
  inspected: InspectedDatabase,
  { now, elapsed }: Clocks,
): Promise<ServerTime> => {
  const sentAt = elapsed();
  const { localTime } = (await runCommand(inspected, { hello: 1 })) as {
    readonly localTime: Date;
  };
  const roundTripMs = elapsed() - sentAt;
  return { roundTripMs, aheadMs: localTime.getTime() - (now() - roundTripMs / 2) };
};

/** Far longer than the members of a healthy set take. */
const TIMEOUT_MS = 2_000;

/**
 * How long a majority takes to confirm what the primary has, in milliseconds; undefined if it does
 * not within two seconds. A linearizable read checks this without a write of ours and without a
 * privilege: the server waits for the members before it responds. A primary that has lost them
 * still looks like one, forever if arbiters vote for it.
 */
export const confirmMajority = async (
  { database }: InspectedDatabase,
  { elapsed }: Pick<Clocks, 'elapsed'>,
): Promise<number | undefined> => {
  const start = elapsed();
  try {
    await database.command({
      find: 'settings',
      filter: { _id: 'secret-key' },
      limit: 1,
      readConcern: { level: 'linearizable' },
      maxTimeMS: TIMEOUT_MS,
    });
    return elapsed() - start;
  } catch (error) {
    if (isTimeLimitExceeded(error)) return undefined;
    throw error;
  }
};
