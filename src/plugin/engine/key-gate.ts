import type { TenantId } from '../../domain/ids.js';
import { type CircuitBreaker, createCircuitBreaker } from './circuit-breaker.js';
import type { DurableSubscriber } from '../contract.js';
import type { EngineLimits } from './engine-limits.js';
import type { HeldRow, OwnedRow } from './held-row.js';
import { createPace, type Pace } from './pace.js';
import { createResourceLane, lineUp, type ResourceLane } from './resource-lane.js';

/** Who a gate stands before. */
export interface GateAddress {
  readonly plugin: string;
  readonly key: string;
  readonly subscriber: DurableSubscriber;
}

/** All that this instance knows of one key of a subscriber, and the rows it holds for it. */
export interface KeyGate extends GateAddress {
  readonly breaker: CircuitBreaker;
  readonly pace: Pace;
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
export interface LaneOfGate {
  readonly gate: KeyGate;
  readonly lane: ResourceLane;
}

export const createKeyGate = (address: GateAddress, limits: EngineLimits): KeyGate => ({
  ...address,
  breaker: createCircuitBreaker(limits),
  pace: createPace(),
  lanes: new Map(),
  ready: new Set(),
  inFlight: 0,
  held: 0,
  usedAt: -Infinity,
  servedAt: new Map(),
});

/** The subscriber served the key for that tenant when it was asked at this time. */
export const noteServed = (gate: KeyGate, tenantId: TenantId, askedAt: number): void => {
  gate.servedAt.set(tenantId, Math.max(gate.servedAt.get(tenantId) ?? askedAt, askedAt));
};

/** How many more rows may be held for the key at this time. */
export const roomOf = (gate: KeyGate, limits: EngineLimits, now: number): number => {
  const { concurrencyPerKey } = gate.subscriber;
  const ahead = gate.pace.rowsWithin(limits.heldAheadMs, concurrencyPerKey);
  const most = Math.min(limits.mostHeldOfKey, Math.max(concurrencyPerKey, ahead));
  return Math.max(0, Math.min(most, gate.breaker.room(now)) - gate.held);
};

export const settleReadiness = (gate: KeyGate, lane: ResourceLane): void => {
  gate.ready.delete(lane);
  if (lane.queue.length > 0 && !lane.isBusy) gate.ready.add(lane);
  forgetEmpty(gate, lane);
};

// By identity: an answer may come for a lane that was emptied, forgotten and made anew meanwhile.
const forgetEmpty = (gate: KeyGate, lane: ResourceLane): void => {
  if (lane.held.size === 0 && gate.lanes.get(lane.resource) === lane) {
    gate.lanes.delete(lane.resource);
  }
};

/** Lets a row wait for its turn. Its place was taken before. */
export const enqueue = (gate: KeyGate, row: HeldRow): void => {
  const lane = gate.lanes.get(row.resource) ?? createResourceLane(row);
  gate.lanes.set(row.resource, lane);
  lineUp(lane, row);
  if (!lane.isBusy) gate.ready.add(lane);
};

/** Takes the waiting rows of a lane out. */
export const emptyLane = (gate: KeyGate, lane: ResourceLane): readonly HeldRow[] => {
  const rows = lane.queue.splice(0);
  gate.ready.delete(lane);
  return rows;
};

/** A row is no longer one that this instance keeps in order: it is over, or given back. */
export const leaveLane = (gate: KeyGate, row: OwnedRow): void => {
  const lane = gate.lanes.get(row.resource);
  lane?.held.delete(row.id);
  if (lane) forgetEmpty(gate, lane);
};

/** A row was acknowledged: its place is free. */
export const release = (gate: KeyGate, row: OwnedRow): void => {
  leaveLane(gate, row);
  gate.held -= 1;
};

/** Whether little would be lost by forgetting the gate: its pace, its breaker, learned long ago. */
export const isForgettable = (gate: KeyGate, unusedSince: number): boolean =>
  gate.held === 0 && gate.usedAt < unusedSince;
