import type { TenantId } from '../../domain/ids.js';
import type { EngineLimits } from './engine-limits.js';
import type { KeyGate } from './key-gate.js';

/** The attempts under way, and whose turn is next. */
export interface Slots {
  /** Of those that could start one: whose tenant, then which key, has the fewest under way. */
  readonly choose: (waiting: Iterable<KeyGate>) => KeyGate | undefined;
  readonly take: (gate: KeyGate) => void;
  readonly free: (gate: KeyGate) => void;
  readonly taken: () => number;
}

export const createSlots = (limits: EngineLimits): Slots => {
  const tenants = new Map<TenantId, number>();
  let taken = 0;

  const count = (gate: KeyGate, by: 1 | -1): void => {
    taken += by;
    gate.inFlight += by;
    const ofTenant = (tenants.get(gate.tenantId) ?? 0) + by;
    if (ofTenant === 0) tenants.delete(gate.tenantId);
    else tenants.set(gate.tenantId, ofTenant);
  };

  const mayStart = (gate: KeyGate): boolean =>
    gate.ready.size > 0 &&
    !gate.isAsking &&
    gate.inFlight < gate.subscriber.concurrencyPerKey &&
    limits.mostInFlight - taken > (gate.inFlight === 0 ? 0 : limits.slotsForIdleKeys);

  const isBefore = (one: KeyGate, other: KeyGate): boolean => {
    const ofTenants = (tenants.get(one.tenantId) ?? 0) - (tenants.get(other.tenantId) ?? 0);
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
    take: (gate) => count(gate, 1),
    free: (gate) => count(gate, -1),
    taken: () => taken,
  };
};
