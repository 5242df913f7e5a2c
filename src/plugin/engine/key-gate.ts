import type { TenantId } from '../../domain/ids.js';
import { type CircuitBreaker, createCircuitBreaker } from './circuit-breaker.js';
import type { DurableSubscriber } from '../contract.js';
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

/** All that this instance knows of one key of a subscriber, and the rows it holds for it. */
export interface KeyGate extends GateAddress {
  readonly breaker: CircuitBreaker;
  readonly throughput: Throughput;
  readonly lanes: Map<string, ResourceLane>;
  /** Lanes whose first row could go now; each goes to the end of the line after its turn. */
  readonly ready: Set<ResourceLane>;
  inFlight: number;
  /** Places taken: planned, waiting, under way, or not acknowledged yet. */
  held: number;
  /** When a row was last planned or claimed for it; by the steady clock. */
  usedAt: number;
  /**
   * For each tenant, when the subscriber was asked that last said that it serves the key; by the
   * steady clock.
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

/** The subscriber served the key for that tenant when it was asked at this time. */
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

// By identity: an answer may come for a lane that was emptied, forgotten and made anew meanwhile.
const removeIfEmpty = (gate: KeyGate, lane: ResourceLane): void => {
  if (lane.held.size === 0 && gate.lanes.get(lane.resource) === lane) {
    gate.lanes.delete(lane.resource);
  }
};

/** Lets a row wait for its turn. Its place was taken before. */
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

/** A row was acknowledged: its place is free. */
export const release = (gate: KeyGate, row: OwnedRow): void => {
  leaveLane(gate, row);
  gate.held -= 1;
};

/** Whether little would be lost by forgetting the gate: its pace, its breaker, learned long ago. */
export const isEvictable = (gate: KeyGate, unusedSince: number): boolean =>
  gate.held === 0 && gate.usedAt < unusedSince;
