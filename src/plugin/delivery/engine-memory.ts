import type { DeliveryId } from '../../domain/kernel/ids.js';
import type { EngineParts } from './engine-parts.js';
import type { OwnedRow } from './held-row.js';
import {
  createKeyGate,
  type GateAddress,
  isEvictable,
  type KeyGate,
  leaveLane,
} from './key-gate.js';

/** A row that was planned and is being committed. */
export interface Reservation {
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
