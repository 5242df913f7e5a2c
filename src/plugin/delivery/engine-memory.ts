import type { DeliveryId } from '../../domain/kernel/ids.js';
import type { EngineParts } from './engine-parts.js';
import {
  type OwnedRow,
  createKeyGate,
  type GateAddress,
  isEvictable,
  type KeyGate,
  leaveLane,
} from './key-gate.js';

/** Stands for whatever a span may hold. */
export const ANY_RESOURCE = '*';

/** A resource with rows in the database. */
interface ResourceRows {
  /** From when a look for due rows is sure to find them. */
  dueAt: number;
  /** How many more are on their way there: being committed, or being handed back. */
  expected: number;
}

interface KeyBacklog {
  /** More rows of the key wait in the database than this instance has room for. */
  isFull: boolean;
  readonly resources: Map<string, ResourceRows>;
}

/**
 * Rows that wait in the database rather than in this instance's memory, as far as known. A new row
 * must not overtake them, so it lines up behind them there: behind all of the key where there was
 * no room for it (else the oldest would starve), and always behind those of its own resource
 * (pipeline-rules.md 7). A look for due rows that left nothing behind clears what it must have seen.
 */
export interface Backlog {
  readonly isWaiting: (gateId: string, resource: string) => boolean;
  readonly isFull: (gateId: string) => boolean;
  /** The key has no room; until a look leaves nothing behind, its rows wait in the database. */
  readonly markFull: (gateId: string) => void;
  /** A row or span is about to wait in the database; `seen` follows, once for each `expect`. */
  readonly expect: (gateId: string, resource: string) => void;
  /** It does, and is due from this time on. */
  readonly arrived: (gateId: string, resource: string, dueAt: number) => void;
  /** A look begins. */
  readonly sweepStarted: (startedAt: number) => void;
  /** It ended; `leftBehind` says of which keys due rows may have stayed. */
  readonly sweepEnded: (startedAt: number, mayRemain: (gateId: string) => boolean) => void;
}

const removeSwept = (waiting: KeyBacklog, startedAt: number): void => {
  for (const [resource, { dueAt, expected }] of waiting.resources) {
    if (expected === 0 && dueAt <= startedAt) waiting.resources.delete(resource);
  }
};

export const createBacklog = (): Backlog => {
  const keys = new Map<string, KeyBacklog>();

  const backlogOf = (gateId: string): KeyBacklog => {
    const known = keys.get(gateId);
    if (known) return known;
    const waiting = { isFull: false, resources: new Map<string, ResourceRows>() };
    keys.set(gateId, waiting);
    return waiting;
  };

  const rowsOf = (gateId: string, resource: string): ResourceRows => {
    const { resources } = backlogOf(gateId);
    const known = resources.get(resource);
    if (known) return known;
    const rows = { dueAt: -Infinity, expected: 0 };
    resources.set(resource, rows);
    return rows;
  };

  return {
    isWaiting: (gateId, resource) => {
      const waiting = keys.get(gateId);
      if (!waiting) return false;
      const { isFull, resources } = waiting;
      return isFull || resources.has(resource) || resources.has(ANY_RESOURCE);
    },
    isFull: (gateId) => keys.get(gateId)?.isFull ?? false,
    markFull: (gateId) => {
      backlogOf(gateId).isFull = true;
    },
    expect: (gateId, resource) => {
      rowsOf(gateId, resource).expected += 1;
    },
    arrived: (gateId, resource, dueAt) => {
      const rows = rowsOf(gateId, resource);
      rows.dueAt = Math.max(rows.dueAt, dueAt);
      rows.expected -= 1;
    },
    // A full key needs only the resources that this look cannot see: whichever look empties it
    // later has seen the others. So what is kept is bounded by what is committed between two looks.
    sweepStarted: (startedAt) => {
      for (const waiting of keys.values()) if (waiting.isFull) removeSwept(waiting, startedAt);
    },
    sweepEnded: (startedAt, mayRemain) => {
      for (const [gateId, waiting] of keys) {
        if (mayRemain(gateId)) continue;
        waiting.isFull = false;
        removeSwept(waiting, startedAt);
        if (waiting.resources.size === 0) keys.delete(gateId);
      }
    },
  };
};

/** A row that was planned and is being committed. */
interface Reservation {
  readonly gate: KeyGate;
  readonly plannedAt: number;
}

export const gateIdOf = ({ plugin, key }: Pick<GateAddress, 'plugin' | 'key'>): string =>
  `${plugin}\n${key}`;

/** Everything that an instance holds, and the bound on it. */
export interface EngineMemory {
  /** The key's gate, made where there is none. */
  readonly gateOf: (address: GateAddress) => KeyGate;
  readonly gates: () => Iterable<KeyGate>;
  /** Places left over all keys. */
  readonly freeCapacity: () => number;
  readonly reserve: (gate: KeyGate, id: DeliveryId, plannedAt: number) => void;
  /** Ends a reservation; undefined where there was none. */
  readonly takeReservation: (id: DeliveryId) => Reservation | undefined;
  readonly hold: (gate: KeyGate, row: OwnedRow) => void;
  readonly find: (id: DeliveryId) => OwnedRow | undefined;
  readonly release: (gate: KeyGate, row: OwnedRow) => void;
  /**
   * Drops gates without recent plans or claims, and reservations older than a lease: if their rows
   * exist, sweeps have claimed them.
   */
  readonly prune: () => void;
}

export const createEngineMemory = ({
  limits,
  clock,
}: Pick<EngineParts, 'limits' | 'clock'>): EngineMemory => {
  const gates = new Map<string, KeyGate>();
  const reservations = new Map<DeliveryId, Reservation>();
  const rows = new Map<DeliveryId, OwnedRow>();

  const takeReservation = (id: DeliveryId): Reservation | undefined => {
    const reservation = reservations.get(id);
    if (!reservation) return undefined;
    reservations.delete(id);
    reservation.gate.held -= 1;
    return reservation;
  };

  return {
    gateOf: (address) => {
      const id = gateIdOf(address);
      const gate = gates.get(id) ?? createKeyGate(address, limits);
      gate.usedAt = clock.now();
      gates.set(id, gate);
      return gate;
    },
    gates: () => gates.values(),
    freeCapacity: () => limits.maxHeld - rows.size - reservations.size,
    reserve: (gate, id, plannedAt) => {
      if (!reservations.has(id)) gate.held += 1;
      reservations.set(id, { gate, plannedAt });
    },
    takeReservation,
    hold: (gate, row) => {
      rows.set(row.id, row);
      gate.held += 1;
    },
    find: (id) => rows.get(id),
    release: (gate, row) => {
      gate.held -= 1;
      // By identity: it may have been requeued and claimed again since.
      if (rows.get(row.id) !== row) return;
      rows.delete(row.id);
      leaveLane(gate, row);
    },
    prune: () => {
      const leasesEnded = clock.now() - limits.leaseMs;
      for (const [id, { plannedAt }] of reservations) {
        if (plannedAt < leasesEnded) takeReservation(id);
      }
      const unusedSince = clock.now() - limits.idleKeyTtlMs;
      const cacheExpired = clock.now() - limits.servingCacheMs;
      for (const [id, gate] of gates) {
        if (isEvictable(gate, unusedSince)) gates.delete(id);
        for (const [tenantId, at] of gate.servedAt) {
          if (at < cacheExpired) gate.servedAt.delete(tenantId);
        }
      }
    },
  };
};
