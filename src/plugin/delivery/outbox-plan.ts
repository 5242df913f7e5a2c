import type { DomainEvent } from '../../domain/events.js';
import { each, type Chunked } from '../../domain/kernel/chunked.js';
import {
  isSpan,
  type OutboxRow,
  type OutboxEvent,
  type OutboxPlanner,
} from '../../outbox/outbox-planner.js';
import type { Tenant } from '../../domain/tenant/tenant.js';
import { StoreUnavailable } from '../../pipeline/commit-store.js';
import { type Backlog, ANY_RESOURCE } from './backlog.js';
import { chooseSpans } from './choose-spans.js';
import type { DurableSubscriber } from '../contract/contract.js';
import type { EngineCounters } from './engine-gauges.js';
import { type EngineMemory, gateIdOf } from './engine-memory.js';
import type { EngineParts } from './engine-parts.js';
import type { HeldRow } from './held-row.js';
import { type KeyGate, noteServed, capacityOf } from './key-gate.js';
import { createOutboxRows, type EventsOfKey } from './outbox-rows.js';
import { createEventRouter, type RoutedEvent } from './route-events.js';

export interface OutboxPlanParts extends EngineParts {
  readonly memory: EngineMemory;
  readonly backlog: Backlog;
  readonly counters: EngineCounters;
  /** Whether this instance may hold rows: it is started, and not stopping. */
  readonly acceptsRows: () => boolean;
  readonly admit: (gate: KeyGate, rows: readonly HeldRow[]) => void;
  /** No instance holds the row in memory; if it exists, any instance may claim it. */
  readonly release: (gate: KeyGate, row: OutboxEvent) => void;
  /** Unclaimed rows are due. */
  readonly onWaiting: (gate: KeyGate) => void;
}

const countByGate = function* (
  routed: readonly RoutedEvent[],
): Chunked<ReadonlyMap<KeyGate, number>> {
  const counts = new Map<KeyGate, number>();
  yield* each(routed, ({ gate }) => counts.set(gate, (counts.get(gate) ?? 0) + 1));
  return counts;
};

/** Of a span the resource is any. */
const resourceIn = (row: OutboxRow): string => (isSpan(row) ? ANY_RESOURCE : row.resource);

/** Routes what is committed, and hands what is born leased from the commit to the dispatcher. */
export const createOutboxPlan = (parts: OutboxPlanParts): OutboxPlanner => {
  const { subscribers, memory, backlog, clock, limits, log } = parts;
  const route = createEventRouter(parts);
  const createRow = createOutboxRows(parts);

  const canHold = ({ gate, resource }: RoutedEvent): boolean => {
    if (!parts.acceptsRows() || backlog.isWaiting(gateIdOf(gate), resource)) return false;
    if (
      gate.breaker.isClosed() &&
      memory.freeCapacity() > 0 &&
      capacityOf(gate, limits, clock.now()) > 0
    )
      return true;
    backlog.markFull(gateIdOf(gate));
    return false;
  };

  /**
   * Rows that fit into memory are created leased, to be sent at once (pipeline-rules.md 7). Many
   * events that must wait in the database become a span, and so do all events of a key if the batch
   * has too many (pipeline-rules.md 2). If a key may get a span, all events after its first waiting
   * one wait too, because a span delays everything behind it.
   */
  const planRows = function* (
    routed: readonly RoutedEvent[],
    now: Date,
  ): Chunked<readonly OutboxRow[]> {
    const counts = yield* countByGate(routed);
    const inSpans = chooseSpans(counts, limits.maxRowsPerBatch);
    const deferred = new Map<KeyGate, [RoutedEvent, ...RoutedEvent[]]>();
    const isMany = ({ length }: EventsOfKey): boolean => length > limits.maxRowsPerKey;
    const mayDefer = (gate: KeyGate): boolean =>
      inSpans.has(gate) || (counts.get(gate) ?? 0) > limits.maxRowsPerKey;

    const rows: OutboxRow[] = [];
    yield* each(routed, (one) => {
      const { gate } = one;
      const before = deferred.get(gate);
      if (before) before.push(one);
      else if (!inSpans.has(gate) && canHold(one)) rows.push(createRow.held(one, now));
      else if (mayDefer(gate)) deferred.set(gate, [one]);
      else rows.push(createRow.waiting(one, now));
    });
    yield* each(deferred, ([gate, ofKey]) => {
      if (inSpans.has(gate) || isMany(ofKey)) rows.push(createRow.span(ofKey, now));
      else rows.push(...ofKey.map((one) => createRow.waiting(one, now)));
    });
    return rows;
  };

  const gateOf = ({ plugin, key }: OutboxRow): KeyGate | undefined => {
    const subscriber = subscribers.get(plugin);
    return subscriber && memory.gateOf({ plugin, key, subscriber });
  };

  const noteWaiting = (row: OutboxRow): void => {
    backlog.arrived(gateIdOf(row), resourceIn(row), clock.now());
    const gate = gateOf(row);
    if (gate) parts.onWaiting(gate);
  };

  const admitCommitted = (row: OutboxEvent, event: DomainEvent | undefined): void => {
    const reservation = memory.takeReservation(row.id);
    if (!reservation || !event) return;
    const { gate, plannedAt } = reservation;
    // The commit checked the tenant's version, and with it the state that `route` used (pipeline-rules.md 8).
    noteServed(gate, row.tenantId, plannedAt);
    parts.admit(gate, [
      {
        id: row.id,
        event,
        resource: row.resource,
        attempt: 1,
        hasFailed: false,
        leasedAt: plannedAt,
        claim: null,
        isInOrder: false,
      },
    ]);
  };

  return {
    prepare: async (tenant: Tenant) => {
      const prepareOne = async ([plugin, subscriber]: readonly [string, DurableSubscriber]) => {
        try {
          await subscriber.prepare(tenant, tenant.pluginVersions[plugin] ?? 0);
        } catch (cause) {
          log.error({ plugin, err: cause }, 'A subscriber could not list the keys it serves.');
          throw new StoreUnavailable('nothing', { cause });
        }
      };
      await Promise.all([...subscribers].map(prepareOne));
    },
    // Two steps: which keys receive which events, then in which form they are stored.
    plan: function* (_tenant, events, now) {
      return yield* planRows(yield* route(events), now);
    },
    committed: (rows, events) => {
      const byId = new Map(events.map((event) => [event.id, event]));
      for (const row of rows) {
        if (row.owner === null) noteWaiting(row);
        else admitCommitted(row, byId.get(row.eventId));
      }
    },
    abandoned: (rows, written) => {
      for (const row of rows) {
        if (row.owner === null) {
          backlog.arrived(gateIdOf(row), resourceIn(row), clock.now());
          continue;
        }
        const reservation = memory.takeReservation(row.id);
        if (!reservation) continue;
        // Should it have been written after all, then nothing may overtake it.
        backlog.expect(gateIdOf(row), row.resource);
        backlog.arrived(gateIdOf(row), row.resource, clock.now() + limits.leaseMs);
        if (written === 'unknown') parts.release(reservation.gate, row);
      }
    },
  };
};
