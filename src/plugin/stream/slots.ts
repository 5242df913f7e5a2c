import type { TenantId } from '../../domain/kernel/ids.js';
import { systemClock } from '../contract/clock.js';
import type { Lane } from './lane.js';
import type { Results } from './results.js';
import type { Shared } from './stream-parts.js';

/** The attempts in flight, and which key is next. */
export const createSlots = ({ limits, results }: Shared & { readonly results: Results }) => {
  const tenants = new Map<TenantId, number>();
  let taken = 0;

  const takenByTenant = ({ group: { tenantId } }: Lane): number => tenants.get(tenantId) ?? 0;

  const count = (lane: Lane, by: 1 | -1): void => {
    taken += by;
    const total = takenByTenant(lane) + by;
    if (total === 0) tenants.delete(lane.group.tenantId);
    else tenants.set(lane.group.tenantId, total);
  };

  // Called for each waiting key and attempt: the cheapest conditions first.
  const mayStart = (lane: Lane, left: number): boolean => {
    const inFlight = lane.inFlight();
    return (
      inFlight < lane.group.subscriber.concurrency &&
      left > (inFlight === 0 ? 0 : limits.slotsForIdleKeys) &&
      takenByTenant(lane) < limits.shareOfFree * (limits.maxAttempts - taken) &&
      inFlight < lane.breaker.capacity(systemClock.now()) &&
      lane.isReady() &&
      lane.group.isFresh()
    );
  };

  const isBefore = (one: Lane, other: Lane): boolean => {
    const difference = takenByTenant(one) - takenByTenant(other);
    return difference === 0 ? one.inFlight() < other.inFlight() : difference < 0;
  };

  return {
    /** Of the keys that could start an attempt: fewest in flight by tenant, then by key. */
    choose: (waiting: Iterable<Lane>, mayGo: (lane: Lane) => boolean): Lane | undefined => {
      const unsettledLeft = limits.maxUnsettled - taken - results.unwritten();
      const left = Math.min(limits.maxAttempts - taken, unsettledLeft);
      if (left <= 0) return undefined;
      let chosen: Lane | undefined;
      for (const lane of waiting) {
        if (mayStart(lane, left) && mayGo(lane) && (!chosen || isBefore(lane, chosen)))
          chosen = lane;
      }
      return chosen;
    },
    take: (lane: Lane): void => count(lane, 1),
    free: (lane: Lane): void => count(lane, -1),
  };
};
