import type { EngineParts } from './engine-parts.js';

/**
 * Whether other instances may hold rows: a live one, or one that died, until its leases have expired
 * and were swept. Includes the first lease period of a process: its predecessor may have died
 * holding rows.
 */
export interface PeerLeases {
  readonly start: () => void;
  /** The outbox was seen empty since the start: no predecessor left anything. */
  readonly outboxIsEmpty: () => void;
  /** To be called every few seconds at least, so that no neighbour comes and dies unnoticed. */
  readonly peerLeasesPossible: () => boolean;
}

export const createPeerLeases = ({
  otherInstancesAlive,
  clock,
  limits,
}: Pick<EngineParts, 'otherInstancesAlive' | 'clock' | 'limits'>): PeerLeases => {
  // A lease that has run out is met by one of the next sweeps.
  const possibleForMs = limits.leaseMs + 5 * limits.sweepMs;
  let until = Infinity;
  return {
    start: () => {
      until = clock.now() + possibleForMs;
    },
    outboxIsEmpty: () => {
      if (!otherInstancesAlive()) until = clock.now();
    },
    peerLeasesPossible: () => {
      if (otherInstancesAlive()) until = clock.now() + possibleForMs;
      return clock.now() < until;
    },
  };
};
