import type { EngineParts } from './engine-parts.js';
import type { EngineMemory } from './engine-memory.js';

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

/**
 * Whether sweeps can be skipped: no row is pending, this instance holds none, and no other instance
 * could have added one. An idle gateway then queries the outbox every ten seconds, not every second.
 */
export interface Rest {
  readonly isPossible: () => boolean;
  /** A sweep has found nothing. */
  readonly foundNothing: () => Promise<void>;
  /** Rows may have been added. */
  readonly end: () => void;
}

export interface RestParts extends Pick<EngineParts, 'store' | 'subscribers' | 'clock' | 'limits'> {
  readonly memory: Pick<EngineMemory, 'freeCapacity'>;
  readonly peerLeases: Pick<PeerLeases, 'peerLeasesPossible'>;
}

export const createRest = (parts: RestParts): Rest => {
  const { store, subscribers, clock, limits, memory, peerLeases } = parts;
  let until = -Infinity;
  let nextCountAt = -Infinity;
  let additions = 0;

  const holdsNothing = (): boolean => memory.freeCapacity() === limits.maxHeld;

  return {
    isPossible: () => clock.now() < until && holdsNothing() && !peerLeases.peerLeasesPossible(),
    foundNothing: async () => {
      // While rows wait for a retry, counting them each second would double the queries.
      if (clock.now() < nextCountAt || !holdsNothing()) return;
      nextCountAt = clock.now() + limits.restMs;
      const additionsBefore = additions;
      const { pending } = await store.counts();
      const isEmpty = [...subscribers.keys()].every((plugin) => !pending.has(plugin));
      if (isEmpty && additions === additionsBefore) until = nextCountAt;
    },
    end: () => {
      additions += 1;
      until = -Infinity;
      nextCountAt = -Infinity;
    },
  };
};
