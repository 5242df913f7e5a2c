import type { DomainEvent } from '../../domain/events.js';
import type { DeliveryId, TenantId } from '../../domain/kernel/ids.js';
import type { DurableSubscriber } from '../contract/contract.js';
import type { EngineLimits } from './engine-parts.js';

/** What it takes to end a row that this instance owns. */
export interface OwnedRow {
  readonly id: DeliveryId;
  readonly resource: string;
  /** Null where born leased; another one when this instance has claimed its own row again. */
  claim: string | null;
}

/** A row that this instance holds in memory to send it, until it is acknowledged. */
export interface HeldRow extends OwnedRow {
  readonly event: DomainEvent;
  /** From 1. */
  readonly attempt: number;
  /** Whether an attempt has failed before: it is out of order already and waits for no other row. */
  readonly hasFailed: boolean;
  /** By the steady clock, not later than the lease really began. */
  readonly leasedAt: number;
  /** Whether no earlier row of the resource waits elsewhere for its first attempt. */
  isInOrder: boolean;
}

/** The rows of one resource for one key, sent one after another in the order of the log. */
export interface ResourceLane {
  readonly resource: string;
  readonly tenantId: TenantId;
  /** Waiting, in order of seq. */
  readonly queue: HeldRow[];
  /** Rows that this instance keeps in order: waiting, in flight, or ended and not acknowledged. */
  readonly held: Set<DeliveryId>;
  /** Set during an attempt, or while the check of the next row is pending. */
  isBusy: boolean;
}

const createResourceLane = ({ resource, event }: HeldRow): ResourceLane => ({
  resource,
  tenantId: event.tenantId,
  queue: [],
  held: new Set(),
  isBusy: false,
});

/** Puts a row where it belongs; nearly always at the end. */
const insertInOrder = (lane: ResourceLane, row: HeldRow): void => {
  const after = lane.queue.findLastIndex((earlier) => earlier.event.seq < row.event.seq);
  lane.queue.splice(after + 1, 0, row);
  lane.held.add(row.id);
};

/**
 * Stops sending to a key that fails again and again: after so many failures in a row it opens; when
 * its time is over it lets one attempt through, and that one decides.
 */
interface CircuitBreaker {
  /** How many attempts may be queued at this time: none while open, one when it may try, else any. */
  readonly capacity: (now: number) => number;
  readonly isClosed: () => boolean;
  /** Milliseconds until it may try; 0 where it may. */
  readonly openForMs: (now: number) => number;
  /** Returns whether this closed it. */
  readonly succeeded: () => boolean;
  /** Returns whether this opened it. */
  readonly failed: (now: number) => boolean;
}

/** @internal */
export const createCircuitBreaker = (limits: {
  readonly breakerFailures: number;
  readonly breakerOpenMs: number;
}): CircuitBreaker => {
  let failures = 0;
  let openUntil: number | undefined;
  return {
    capacity: (now) => (openUntil === undefined ? Infinity : now < openUntil ? 0 : 1),
    isClosed: () => openUntil === undefined,
    openForMs: (now) => Math.max(0, (openUntil ?? now) - now),
    succeeded: () => {
      const closes = openUntil !== undefined;
      failures = 0;
      openUntil = undefined;
      return closes;
    },
    failed: (now) => {
      failures += 1;
      // Attempts that were in flight when it opened say nothing new.
      if (failures < limits.breakerFailures || now < (openUntil ?? now)) return false;
      openUntil = now + limits.breakerOpenMs;
      return true;
    },
  };
};

/** Assumed response time of a key without measurements. */
const INITIAL_MS = 250;
/** How much the latest attempt counts in the average. */
const WEIGHT = 0.2;

/** How fast a key takes its deliveries, as a moving average. */
interface Throughput {
  readonly record: (attemptMs: number) => void;
  /** How many rows it can be expected to take in that time with so many attempts at once. */
  readonly expectedRows: (ms: number, concurrency: number) => number;
}

/** @internal */
export const createThroughput = (): Throughput => {
  let averageMs = INITIAL_MS;
  return {
    record: (attemptMs) => {
      averageMs += WEIGHT * (attemptMs - averageMs);
    },
    expectedRows: (ms, concurrency) => Math.ceil((ms * concurrency) / Math.max(1, averageMs)),
  };
};

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
