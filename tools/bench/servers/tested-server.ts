import type { Target } from '../load/target.js';
import type { ServerProcess } from './start-server-process.js';

export const PEER_NAMES = ['floor', 'plain', 'rollgate'] as const;
export type PeerName = (typeof PEER_NAMES)[number];

export const isPeerName = (name: string): name is PeerName =>
  (PEER_NAMES as readonly string[]).includes(name);

/** A running server with this many users in its own database. */
export interface TestedServer {
  readonly peer: PeerName;
  readonly size: number;
  /** Unique. */
  readonly label: string;
  readonly process: ServerProcess;
  readonly target: Target;
  /** Of a gateway. */
  readonly adminToken?: string;
  /** Resolves when the webhooks of all events so far have arrived. */
  readonly waitForDeliveries: (newEvents: number) => Promise<void>;
}

export const formatSize = (size: number): string =>
  size % 1_000 === 0 ? `${size / 1_000}k` : String(size);
