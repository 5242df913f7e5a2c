import type { TenantId } from '../../domain/kernel/ids.js';
import type { Engine } from './engine.js';
import type { Lane } from './lane.js';

/** The attempts in flight, and which key is next. */
export const createSlots = (engine: Engine) => {
  const { limits, clock } = engine;
  const tenants = new Map<TenantId, number>();
  let taken = 0;

  const count = ({ group: { tenantId } }: Lane, by: 1 | -1): void => {
    taken += by;
    const total = (tenants.get(tenantId) ?? 0) + by;
    if (total === 0) tenants.delete(tenantId);
    else tenants.set(tenantId, total);
  };

  const takenByTenant = ({ group: { tenantId } }: Lane): number => tenants.get(tenantId) ?? 0;

  const unsettledLeft = (): number => limits.maxUnsettled - taken - engine.results.unwritten();

  // Called for each waiting key and attempt: the cheapest conditions first.
  const mayStart = (lane: Lane, left: number): boolean => {
    const inFlight = lane.inFlight();
    return (
      inFlight < lane.group.subscriber.concurrency &&
      left > (inFlight === 0 ? 0 : limits.slotsForIdleKeys) &&
      takenByTenant(lane) < limits.shareOfFree * (limits.maxAttempts - taken) &&
      inFlight < lane.breaker.capacity(clock.now()) &&
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
      const left = Math.min(limits.maxAttempts - taken, unsettledLeft());
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
    /** Whether results must be written before a busy key could start an attempt. */
    needsWrite: (): boolean =>
      engine.results.unwritten() > 0 && unsettledLeft() <= limits.slotsForIdleKeys,
  };
};
