import type { Target } from '../load/target.js';
import type { ServerProcess } from './start-server.js';

export const PEER_NAMES = ['floor', 'plain', 'rollgate'] as const;
export type PeerName = (typeof PEER_NAMES)[number];

export const isPeerName = (name: string): name is PeerName =>
  (PEER_NAMES as readonly string[]).includes(name);

/** A server that runs, with a directory of this size in a database of its own. */
export interface Contestant {
  readonly peer: PeerName;
  readonly size: number;
  /** Unlike those of all others. */
  readonly label: string;
  readonly server: ServerProcess;
  readonly target: Target;
  /** Resolves when everything that is owed for the events so far was delivered. */
  readonly settled: (newEvents: number) => Promise<void>;
}

export const sizeInWords = (size: number): string =>
  size % 1_000 === 0 ? `${size / 1_000}k` : String(size);
