import type { EngineMemory } from './engine-memory.js';
import type { EngineParts } from './engine-parts.js';
import type { PeerLeases } from './peer-leases.js';

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
