import type { TenantId } from '../../domain/kernel/ids.js';
import { type CircuitBreaker, createCircuitBreaker } from './circuit-breaker.js';
import type { DurableSubscriber } from '../contract/contract.js';
import type { EngineLimits } from './engine-limits.js';
import type { HeldRow, OwnedRow } from './held-row.js';
import { createThroughput, type Throughput } from './throughput.js';
import { createResourceLane, insertInOrder, type ResourceLane } from './resource-lane.js';

/** Who a gate stands before. */
export interface GateAddress {
  readonly plugin: string;
  readonly key: string;
  readonly subscriber: DurableSubscriber;
}

/** The state of one key of a subscriber on this instance, and the rows that it holds. */
export interface KeyGate extends GateAddress {
  readonly breaker: CircuitBreaker;
  readonly throughput: Throughput;
  readonly lanes: Map<string, ResourceLane>;
  /** Lanes whose first row could go now; each moves to the end of the queue after it was served. */
  readonly ready: Set<ResourceLane>;
  inFlight: number;
  /** Slots in use: planned, waiting, in flight, or not yet acknowledged. */
  held: number;
  /** When a row was last planned or claimed for it; by the steady clock. */
  usedAt: number;
  /**
   * By tenant: start of the last check in which the subscriber served the key, by the monotonic
   * clock.
   */
  readonly servedAt: Map<TenantId, number>;
}

/** A lane and the gate that it stands before. */
export interface GateLane {
  readonly gate: KeyGate;
  readonly lane: ResourceLane;
}

export const createKeyGate = (address: GateAddress, limits: EngineLimits): KeyGate => ({
  ...address,
  breaker: createCircuitBreaker(limits),
  throughput: createThroughput(),
  lanes: new Map(),
  ready: new Set(),
  inFlight: 0,
  held: 0,
  usedAt: -Infinity,
  servedAt: new Map(),
});

/** The subscriber served the key for that tenant in a check at this time. */
export const noteServed = (gate: KeyGate, tenantId: TenantId, startedAt: number): void => {
  gate.servedAt.set(tenantId, Math.max(gate.servedAt.get(tenantId) ?? startedAt, startedAt));
};

/** How many more rows may be held for the key at this time. */
export const capacityOf = (gate: KeyGate, limits: EngineLimits, now: number): number => {
  const { concurrencyPerKey } = gate.subscriber;
  const ahead = gate.throughput.expectedRows(limits.lookaheadMs, concurrencyPerKey);
  const max = Math.min(limits.maxHeldPerKey, Math.max(concurrencyPerKey, ahead));
  return Math.max(0, Math.min(max, gate.breaker.capacity(now)) - gate.held);
};

export const updateReadiness = (gate: KeyGate, lane: ResourceLane): void => {
  gate.ready.delete(lane);
  if (lane.queue.length > 0 && !lane.isBusy) gate.ready.add(lane);
  removeIfEmpty(gate, lane);
};

// By identity: a result may be for a lane that was emptied, removed and created again since.
const removeIfEmpty = (gate: KeyGate, lane: ResourceLane): void => {
  if (lane.held.size === 0 && gate.lanes.get(lane.resource) === lane) {
    gate.lanes.delete(lane.resource);
  }
};

/** Queues a row. Its slot is already in use. */
export const enqueue = (gate: KeyGate, row: HeldRow): void => {
  const lane = gate.lanes.get(row.resource) ?? createResourceLane(row);
  gate.lanes.set(row.resource, lane);
  insertInOrder(lane, row);
  if (!lane.isBusy) gate.ready.add(lane);
};

/** Takes the waiting rows of a lane out. */
export const drainLane = (gate: KeyGate, lane: ResourceLane): readonly HeldRow[] => {
  const rows = lane.queue.splice(0);
  gate.ready.delete(lane);
  return rows;
};

/** A row is no longer one that this instance keeps in order: it is over, or given back. */
export const leaveLane = (gate: KeyGate, row: OwnedRow): void => {
  const lane = gate.lanes.get(row.resource);
  lane?.held.delete(row.id);
  if (lane) removeIfEmpty(gate, lane);
};

/** Whether the gate can be removed: nothing held, and its throughput and breaker are outdated. */
export const isEvictable = (gate: KeyGate, unusedSince: number): boolean =>
  gate.held === 0 && gate.usedAt < unusedSince;
