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
