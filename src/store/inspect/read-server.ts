import * as mongo from 'mongodb';
import { isSupported, MIN_VERSION } from '../supported-version.js';
import { runCommand, type InspectedDatabase } from './inspect-database.js';

/** The deployment type of the database. */
export type Topology =
  | { readonly kind: 'replica set'; readonly name: string; readonly members: readonly string[] }
  | { readonly kind: 'sharded cluster' }
  | { readonly kind: 'single server' };

export interface ServerFacts {
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
export interface AilingMember {
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

export interface ServerVersion {
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
