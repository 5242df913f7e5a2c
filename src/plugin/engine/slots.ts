import type { TenantId } from '../../domain/ids.js';
import type { EngineLimits } from './engine-limits.js';
import type { HeldRow } from './held-row.js';
import type { KeyGate } from './key-gate.js';

/**
 * The attempts under way, and whose turn is next. One that has ended still counts as in flight until
 * its end is written, so that a crash repeats no more than may be.
 */
export interface Slots {
  /** Of those that could start one: whose tenant, then which key, has the fewest under way. */
  readonly choose: (waiting: Iterable<KeyGate>) => KeyGate | undefined;
  readonly take: (gate: KeyGate, tenantId: TenantId) => void;
  readonly free: (gate: KeyGate, tenantId: TenantId) => void;
  readonly taken: () => number;
  /** Whether ends have to be written before a key that has some under way could start one. */
  readonly awaitEnds: () => boolean;
}

export interface SlotsParts {
  readonly limits: EngineLimits;
  /** Attempts that have ended and are not written. */
  readonly unwritten: () => number;
  /** Whether the row that is next at a gate may be sent now. */
  readonly lets: (row: HeldRow) => boolean;
}

export const createSlots = ({ limits, unwritten, lets }: SlotsParts): Slots => {
  const tenants = new Map<TenantId, number>();
  let taken = 0;

  const count = (gate: KeyGate, tenantId: TenantId, by: 1 | -1): void => {
    taken += by;
    gate.inFlight += by;
    const ofTenant = (tenants.get(tenantId) ?? 0) + by;
    if (ofTenant === 0) tenants.delete(tenantId);
    else tenants.set(tenantId, ofTenant);
  };

  /** How many the tenant has under way whose row is next at this gate. */
  const ofNextTenant = ({ ready: [lane] }: KeyGate): number =>
    lane ? (tenants.get(lane.tenantId) ?? 0) : 0;

  const leftInFlight = (): number => limits.mostInFlight - taken - unwritten();

  const placesLeft = (): number => Math.min(limits.mostUnderWay - taken, leftInFlight());

  const letsNext = ({ ready: [lane] }: KeyGate): boolean => {
    const row = lane?.queue[0];
    return row !== undefined && lets(row);
  };

  const isWithinShare = (gate: KeyGate): boolean =>
    ofNextTenant(gate) < limits.shareOfFree * (limits.mostUnderWay - taken);

  const mayStart = (gate: KeyGate): boolean =>
    isWithinShare(gate) &&
    gate.inFlight < gate.subscriber.concurrencyPerKey &&
    placesLeft() > (gate.inFlight === 0 ? 0 : limits.slotsForIdleKeys) &&
    letsNext(gate);

  const isBefore = (one: KeyGate, other: KeyGate): boolean => {
    const ofTenants = ofNextTenant(one) - ofNextTenant(other);
    return ofTenants === 0 ? one.inFlight < other.inFlight : ofTenants < 0;
  };

  return {
    choose: (waiting) => {
      let chosen: KeyGate | undefined;
      for (const gate of waiting) {
        if (mayStart(gate) && (!chosen || isBefore(gate, chosen))) chosen = gate;
      }
      return chosen;
    },
    take: (gate, tenantId) => count(gate, tenantId, 1),
    free: (gate, tenantId) => count(gate, tenantId, -1),
    taken: () => taken,
    awaitEnds: () => unwritten() > 0 && leftInFlight() <= limits.slotsForIdleKeys,
  };
};
