import type { EngineParts, EngineLimits } from './engine-parts.js';
import type { HeldRow, KeyGate } from './key-gate.js';
import type { TenantId } from '../../domain/kernel/ids.js';

/**
 * Lets what happens now go before what was left for later: while this instance is busy with
 * commands, rows that were claimed (of large batches, retries, a backlog) are sent one by one, and
 * leave CPU and database capacity to requests.
 */
interface BackgroundThrottle {
  /** Whether such a row may be sent now; if not, `again` is called when to retry. */
  readonly allows: (row: HeldRow) => boolean;
  /** A row is being sent. */
  readonly onSent: (row: HeldRow) => void;
}

interface BackgroundThrottleParts extends Pick<EngineParts, 'clock' | 'limits' | 'isBusy'> {
  readonly onReady: () => void;
}

export const createBackgroundThrottle = ({
  clock,
  limits,
  isBusy,
  onReady,
}: BackgroundThrottleParts): BackgroundThrottle => {
  let nextAt = -Infinity;
  let isWaiting = false;

  const wait = (): void => {
    if (isWaiting) return;
    isWaiting = true;
    clock.after(limits.throttleMs, () => {
      isWaiting = false;
      onReady();
    });
  };

  return {
    allows: ({ claim }) => {
      if (claim === null || clock.now() >= nextAt || !isBusy()) return true;
      wait();
      return false;
    },
    onSent: ({ claim }) => {
      if (claim !== null) nextAt = clock.now() + limits.throttleMs;
    },
  };
};

/**
 * The attempts in flight, and which key is next. An ended attempt counts until its result is
 * written, so that a crash repeats a bounded number.
 */
interface Slots {
  /** Of the keys that could start one: fewest in flight by tenant, then by key. */
  readonly choose: (waiting: Iterable<KeyGate>) => KeyGate | undefined;
  readonly take: (gate: KeyGate, tenantId: TenantId) => void;
  readonly free: (gate: KeyGate, tenantId: TenantId) => void;
  readonly taken: () => number;
  /** Whether results must be written before a busy key could start an attempt. */
  readonly needsFlush: () => boolean;
}

interface SlotsParts {
  readonly limits: EngineLimits;
  /** Attempts that have ended and are not written. */
  readonly unwritten: () => number;
  /** Whether the row that is next at a gate may be sent now. */
  readonly allows: (row: HeldRow) => boolean;
}

export const createSlots = ({ limits, unwritten, allows }: SlotsParts): Slots => {
  const tenants = new Map<TenantId, number>();
  let taken = 0;

  const count = (gate: KeyGate, tenantId: TenantId, by: 1 | -1): void => {
    taken += by;
    gate.inFlight += by;
    const total = (tenants.get(tenantId) ?? 0) + by;
    if (total === 0) tenants.delete(tenantId);
    else tenants.set(tenantId, total);
  };

  /** Attempts in flight of the tenant whose row is next at this gate. */
  const takenByTenant = ({ ready: [lane] }: KeyGate): number =>
    lane ? (tenants.get(lane.tenantId) ?? 0) : 0;

  const unacknowledgedLeft = (): number => limits.maxUnacknowledged - taken - unwritten();

  const slotsLeft = (): number => Math.min(limits.maxAttempts - taken, unacknowledgedLeft());

  const allowsNext = ({ ready: [lane] }: KeyGate): boolean => {
    const row = lane?.queue[0];
    return row !== undefined && allows(row);
  };

  const isWithinShare = (gate: KeyGate): boolean =>
    takenByTenant(gate) < limits.shareOfFree * (limits.maxAttempts - taken);

  // Called for each waiting key and attempt: the cheapest conditions first.
  const mayStart = (gate: KeyGate, left: number): boolean =>
    gate.inFlight < gate.subscriber.concurrencyPerKey &&
    left > (gate.inFlight === 0 ? 0 : limits.slotsForIdleKeys) &&
    isWithinShare(gate) &&
    allowsNext(gate);

  const isBefore = (one: KeyGate, other: KeyGate): boolean => {
    const difference = takenByTenant(one) - takenByTenant(other);
    return difference === 0 ? one.inFlight < other.inFlight : difference < 0;
  };

  return {
    choose: (waiting) => {
      const left = slotsLeft();
      if (left <= 0) return undefined;
      let chosen: KeyGate | undefined;
      for (const gate of waiting) {
        if (mayStart(gate, left) && (!chosen || isBefore(gate, chosen))) chosen = gate;
      }
      return chosen;
    },
    take: (gate, tenantId) => count(gate, tenantId, 1),
    free: (gate, tenantId) => count(gate, tenantId, -1),
    taken: () => taken,
    needsFlush: () => unwritten() > 0 && unacknowledgedLeft() <= limits.slotsForIdleKeys,
  };
};
