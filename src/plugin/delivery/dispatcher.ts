import { type AckBuffer, createAckBuffer, type EndedRow } from './ack-buffer.js';
import { type AttemptRunner, type AttemptResult, createAttemptRunner } from './attempt-runner.js';
import { type Backlog, type EngineMemory, gateIdOf } from './engine-memory.js';
import type { DeliveryFailures, EngineCounters } from './engine-gauges.js';
import type { EngineParts } from './engine-parts.js';
import { createBackgroundThrottle, createSlots } from './slots.js';
import {
  type HeldRow,
  drainLane,
  enqueue,
  type KeyGate,
  leaveLane,
  updateReadiness,
  type GateLane,
  type ResourceLane,
} from './key-gate.js';
import { createOrderCheck, createServingCheck } from './lane-checks.js';
import type { Outage } from './outage.js';
import type { TenantId } from '../../domain/kernel/ids.js';
import type { ClaimResult } from '../../outbox/outbox-claims.js';

export interface DispatcherParts extends EngineParts {
  readonly memory: EngineMemory;
  readonly backlog: Backlog;
  readonly counters: EngineCounters;
  readonly failures: DeliveryFailures;
  readonly outage: Outage;
  /** Whether unknown rows (of other instances) may have to be sent before a new one. */
  readonly mayHaveUnknownRows: () => boolean;
  /** A breaker has opened or closed. */
  readonly onBreakerChange: (gate: KeyGate) => void;
  /** The subscriber no longer serves the gate's key for this tenant. */
  readonly onUnserved: (gate: KeyGate, tenantId: TenantId) => void;
  /** Places of this key have become free. */
  readonly onFreed: (gate: KeyGate) => void;
}

/** A check before a row is sent; its lane is busy until the result. */
interface Check {
  readonly check: (place: GateLane) => void;
}

/** Bounds what a plugin reports: a row too large to be written would be sent again forever. */
const truncate = (reason: string): string => reason.slice(0, 500);

/** Sends the rows that the instance holds, in order and within the limits on concurrency. */
export interface Dispatcher {
  /** Queues rows; they are held from now on. */
  readonly admit: (gate: KeyGate, rows: readonly HeldRow[]) => void;
  /** Ends a row that nothing can be sent for. It must be held. */
  readonly end: (ended: EndedRow) => void;
  /** Stops sending; releases waiting rows and any that still arrive. */
  readonly close: () => void;
  /** Gives rows that wait back to the database, with what waits behind them. */
  readonly releaseWaiting: (isStale: (row: HeldRow) => boolean) => void;
  /** Sends what is due. Call it regularly: nothing signals that the heartbeat is current again. */
  readonly resume: () => void;
  readonly acks: AckBuffer;
  readonly attempts: AttemptRunner;
  readonly inFlight: () => number;
}

export const createDispatcher = (parts: DispatcherParts): Dispatcher => {
  const { memory, backlog, clock, limits, counters } = parts;
  const throttle = createBackgroundThrottle({ ...parts, onReady: () => sendAll() });
  const slots = createSlots({ limits, unwritten: () => acks.unwritten(), allows: throttle.allows });
  const waiting = new Set<KeyGate>();
  let isPumping = false;
  let isClosed = false;
  let timesExpired = parts.timesExpired() ?? 0;

  const settled = (batch: readonly EndedRow[]): void => {
    for (const { gate, row, ending } of batch) {
      memory.release(gate, row);
      counters.ended(gate.plugin, ending.kind);
      if (ending.kind === 'deferred') {
        backlog.arrived(gateIdOf(gate), row.resource, clock.now() + ending.inMs);
      }
    }
    for (const gate of new Set(batch.map((ended) => ended.gate))) parts.onFreed(gate);
    sendAll();
  };

  const acks = createAckBuffer({
    ...parts,
    isBacklogged: (gate) => backlog.isFull(gateIdOf(gate)),
    settled,
  });

  const end = (ended: EndedRow): void => {
    if (ended.ending.kind === 'deferred') {
      backlog.expect(gateIdOf(ended.gate), ended.row.resource);
      leaveLane(ended.gate, ended.row);
    }
    acks.add(ended);
  };

  const endLane = (gate: KeyGate, lane: ResourceLane, ending: ClaimResult): void => {
    for (const row of drainLane(gate, lane)) end({ gate, row, ending });
  };

  const endQueued = (gate: KeyGate, ending: ClaimResult): void => {
    for (const lane of [...gate.lanes.values()]) endLane(gate, lane, ending);
  };

  const onResult = ({ gate, row, outcome, ending, ms }: AttemptResult): void => {
    slots.free(gate, row.event.tenantId);
    const reason = outcome.kind === 'failed' ? truncate(outcome.reason) : null;
    if (ending.kind === 'deferred') end({ gate, row, ending });
    else {
      const record = {
        tenantId: row.event.tenantId,
        kept: outcome.kept ?? null,
        isFirst: !row.hasFailed,
      };
      end({ gate, row, ending, attempt: { reason, ms: Math.round(ms), record } });
      if (reason === null) parts.failures.succeeded(gate);
      else parts.failures.failed(gate, reason);
    }
    gate.throughput.record(ms);
    noteHealth(gate, outcome.kind === 'failed' && outcome.retry);
    const lane = gate.lanes.get(row.resource);
    if (lane) {
      lane.isBusy = false;
      updateReadiness(gate, lane);
    }
    pump(gate);
  };

  // A permanent failure is a response too: the receiver is reachable.
  const noteHealth = (gate: KeyGate, isFailure: boolean): void => {
    const hasChanged = isFailure ? gate.breaker.failed(clock.now()) : gate.breaker.succeeded();
    if (!hasChanged) return;
    if (isFailure) {
      endQueued(gate, { kind: 'deferred', inMs: gate.breaker.openForMs(clock.now()) });
    }
    parts.onBreakerChange(gate);
  };

  const attempts = createAttemptRunner(parts, onResult);

  const serving = createServingCheck({
    ...parts,
    onResult: ({ gate, lane }) => {
      lane.isBusy = false;
      updateReadiness(gate, lane);
      pump(gate);
    },
    onUnserved: (gate, tenantId) => {
      for (const lane of [...gate.lanes.values()]) {
        if (lane.tenantId === tenantId) endLane(gate, lane, { kind: 'dropped' });
      }
      parts.onUnserved(gate, tenantId);
    },
  });

  const order = createOrderCheck({
    ...parts,
    onResult: ({ gate, lane }, isBlocked) => {
      lane.isBusy = false;
      if (isBlocked) endLane(gate, lane, { kind: 'deferred', inMs: limits.outOfOrderRetryMs });
      updateReadiness(gate, lane);
      pump(gate);
    },
  });

  const isTooLate = (row: HeldRow): boolean =>
    clock.now() > row.leasedAt + (limits.leaseMs * 3) / 4;

  const needsOrderCheck = (row: HeldRow): boolean =>
    !row.isInOrder && !row.hasFailed && (row.claim !== null || parts.mayHaveUnknownRows());

  /** Brings the gate's next row forward: sends it, or finds out whether it may be sent. */
  const step = (gate: KeyGate): void => {
    const [lane] = gate.ready;
    const row = lane?.queue[0];
    if (!lane || !row) return;
    if (isTooLate(row)) endLane(gate, lane, { kind: 'deferred', inMs: 0 });
    else if (!serving.isTrusted({ gate, lane })) checkFirst(serving, { gate, lane });
    else if (needsOrderCheck(row)) checkFirst(order, { gate, lane });
    else send(gate, lane, row);
  };

  /**
   * Checks all that was claimed at once, while earlier rows are sent: when its turn came, each key
   * would need a query of its own.
   */
  const checkOrderOfClaimed = (gate: KeyGate): void => {
    for (const lane of [...gate.ready]) {
      const [row] = lane.queue;
      if (row && row.claim !== null && needsOrderCheck(row)) checkFirst(order, { gate, lane });
    }
  };

  const checkFirst = (check: Check, place: GateLane): void => {
    place.lane.isBusy = true;
    updateReadiness(place.gate, place.lane);
    check.check(place);
  };

  const send = (gate: KeyGate, lane: ResourceLane, row: HeldRow): void => {
    lane.queue.shift();
    lane.isBusy = true;
    updateReadiness(gate, lane);
    slots.take(gate, lane.tenantId);
    throttle.onSent(row);
    attempts.start(gate, row);
  };

  /** Sends all that may go, now that something has changed for this gate. */
  const pump = (changed: KeyGate): void => {
    if (changed.ready.size > 0) waiting.add(changed);
    sendAll();
  };

  const sendAll = (): void => {
    if (isPumping) return;
    isPumping = true;
    const times = parts.timesExpired();
    if (times !== undefined && times !== timesExpired) {
      timesExpired = times;
      // Others send them by now; what still is this instance's is due at once.
      releaseWaiting(() => true);
    }
    if (times !== undefined) sendWaiting();
    isPumping = false;
    if (waiting.size > 0 && slots.needsFlush()) acks.flushSoon();
  };

  const sendWaiting = (): void => {
    for (let gate = slots.choose(waiting); gate; gate = slots.choose(waiting)) {
      step(gate);
      // To the end of the queue: round-robin among equals.
      waiting.delete(gate);
      if (gate.ready.size > 0) waiting.add(gate);
    }
  };

  const releaseWaiting = (isStale: (row: HeldRow) => boolean): void => {
    for (const gate of memory.gates()) {
      for (const lane of [...gate.lanes.values()]) {
        if (lane.queue.some(isStale)) endLane(gate, lane, { kind: 'deferred', inMs: 0 });
      }
    }
  };

  return {
    admit: (gate, rows) => {
      for (const row of rows) {
        memory.hold(gate, row);
        enqueue(gate, row);
      }
      const inMs = isClosed ? 0 : gate.breaker.openForMs(clock.now());
      if (isClosed || inMs > 0) endQueued(gate, { kind: 'deferred', inMs });
      else if (rows.some(({ claim }) => claim !== null)) checkOrderOfClaimed(gate);
      pump(gate);
    },
    end,
    close: () => {
      isClosed = true;
      for (const gate of memory.gates()) endQueued(gate, { kind: 'deferred', inMs: 0 });
    },
    releaseWaiting,
    resume: sendAll,
    acks,
    attempts,
    inFlight: slots.taken,
  };
};
