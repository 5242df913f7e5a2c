import type { EngineParts } from './engine-parts.js';

/**
 * Whether rows may be held that this instance knows nothing of: by another instance, or by one that
 * died, until its leases have run out and were swept. The first lease of a process counts too: its
 * predecessor may have died holding rows.
 */
export interface PeerLeases {
  readonly start: () => void;
  /** The outbox was seen empty since the start: no predecessor left anything. */
  readonly outboxIsEmpty: () => void;
  /** To be called every few seconds at least, so that no neighbour comes and dies unnoticed. */
  readonly peerLeasesPossible: () => boolean;
}

export const createPeerLeases = ({
  othersAlive,
  clock,
  limits,
}: Pick<EngineParts, 'othersAlive' | 'clock' | 'limits'>): PeerLeases => {
  // A lease that has run out is met by one of the next sweeps.
  const possibleForMs = limits.leaseMs + 5 * limits.sweepMs;
  let until = Infinity;
  return {
    start: () => {
      until = clock.now() + possibleForMs;
    },
    outboxIsEmpty: () => {
      if (!othersAlive()) until = clock.now();
    },
    peerLeasesPossible: () => {
      if (othersAlive()) until = clock.now() + possibleForMs;
      return clock.now() < until;
    },
  };
};
