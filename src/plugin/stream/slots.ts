import type { TenantId } from '../../domain/kernel/ids.js';
import type { Lane } from './lane.js';
import type { StreamLimits } from './stream-limits.js';

/** The attempts in flight, and which key is next. */
interface Slots {
  /** Of the keys that could start one: fewest in flight by tenant, then by key. */
  readonly choose: (waiting: Iterable<Lane>, mayGo: (lane: Lane) => boolean) => Lane | undefined;
  readonly take: (lane: Lane) => void;
  readonly free: (lane: Lane) => void;
  readonly taken: () => number;
  /** Whether results must be written before a busy key could start an attempt. */
  readonly needsWrite: () => boolean;
}

interface SlotsParts {
  readonly limits: StreamLimits;
  readonly now: () => number;
  /** Results whose position is not written. */
  readonly unwritten: () => number;
}

export const createSlots = ({ limits, now, unwritten }: SlotsParts): Slots => {
  const tenants = new Map<TenantId, number>();
  let taken = 0;

  const count = ({ group: { tenantId } }: Lane, by: 1 | -1): void => {
    taken += by;
    const total = (tenants.get(tenantId) ?? 0) + by;
    if (total === 0) tenants.delete(tenantId);
    else tenants.set(tenantId, total);
  };

  const takenByTenant = ({ group: { tenantId } }: Lane): number => tenants.get(tenantId) ?? 0;

  const unsettledLeft = (): number => limits.maxUnsettled - taken - unwritten();

  // Called for each waiting key and attempt: the cheapest conditions first.
  const mayStart = (lane: Lane, left: number): boolean => {
    const inFlight = lane.inFlight();
    return (
      inFlight < lane.group.subscriber.concurrency &&
      left > (inFlight === 0 ? 0 : limits.slotsForIdleKeys) &&
      takenByTenant(lane) < limits.shareOfFree * (limits.maxAttempts - taken) &&
      inFlight < lane.breaker.capacity(now()) &&
      lane.isReady() &&
      lane.group.isFresh()
    );
  };

  const isBefore = (one: Lane, other: Lane): boolean => {
    const difference = takenByTenant(one) - takenByTenant(other);
    return difference === 0 ? one.inFlight() < other.inFlight() : difference < 0;
  };

  return {
    choose: (waiting, mayGo) => {
      const left = Math.min(limits.maxAttempts - taken, unsettledLeft());
      if (left <= 0) return undefined;
      let chosen: Lane | undefined;
      for (const lane of waiting) {
        if (mayStart(lane, left) && mayGo(lane) && (!chosen || isBefore(lane, chosen)))
          chosen = lane;
      }
      return chosen;
    },
    take: (lane) => count(lane, 1),
    free: (lane) => count(lane, -1),
    taken: () => taken,
    needsWrite: () => unwritten() > 0 && unsettledLeft() <= limits.slotsForIdleKeys,
  };
};
