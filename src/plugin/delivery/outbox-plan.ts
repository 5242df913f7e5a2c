import type { DomainEvent } from '../../domain/events.js';
import { type Chunked, each } from '../../domain/kernel/chunked.js';
import type { DurableSubscriber } from '../contract/contract.js';
import type { EngineCounters } from './engine-gauges.js';
import { type EngineMemory, gateIdOf, type Backlog, ANY_RESOURCE } from './engine-memory.js';
import type { EngineParts } from './engine-parts.js';
import { type KeyGate, noteServed, capacityOf, type HeldRow } from './key-gate.js';
import { resourceOf, spanIdOf, toOutboxEvent } from './outbox-event.js';
import {
  type OutboxEvent,
  type OutboxSpan,
  isSpan,
  type OutboxRow,
  type OutboxPlanner,
} from '../../outbox/outbox-planner.js';
import type { Tenant } from '../../domain/tenant/tenant.js';
import { StoreUnavailable } from '../../pipeline/commit-store.js';

/** One event for one key. */
interface RoutedEvent {
  readonly gate: KeyGate;
  readonly event: DomainEvent;
  readonly resource: string;
}

interface RoutingParts extends Pick<EngineParts, 'subscribers' | 'log'> {
  readonly memory: EngineMemory;
  readonly counters: EngineCounters;
}

/** Routes events to the keys of subscribers, event by event, so that keys share capacity evenly. */
const createEventRouter = ({ subscribers, memory, counters, log }: RoutingParts) => {
  const keysOf = (plugin: string, event: DomainEvent): ReadonlySet<string> => {
    try {
      return new Set(subscribers.get(plugin)?.route(event));
    } catch (cause) {
      // A plugin's error must not stop provisioning. Alerts use this count.
      log.error({ plugin, event: event.id, err: cause }, 'A subscriber could not route an event.');
      counters.unrouted(plugin);
      return new Set();
    }
  };

  const routeTo = (
    [plugin, subscriber]: readonly [string, DurableSubscriber],
    event: DomainEvent,
  ): readonly RoutedEvent[] =>
    [...keysOf(plugin, event)].map((key) => ({
      gate: memory.gateOf({ plugin, key, subscriber }),
      event,
      resource: resourceOf(event),
    }));

  return function* (events: readonly DomainEvent[]): Chunked<readonly RoutedEvent[]> {
    const routed: RoutedEvent[] = [];
    for (const subscriber of subscribers)
      for (const event of events) {
        routed.push(...routeTo(subscriber, event));
        yield;
      }
    return routed;
  };
};

interface OutboxRowsParts extends Pick<EngineParts, 'clock' | 'limits' | 'owner'> {
  readonly memory: EngineMemory;
  readonly backlog: Backlog;
}

/** Events for one key, in order of seq; at least one. */
type EventsOfKey = readonly [RoutedEvent, ...RoutedEvent[]];

/** Creates the outbox documents of a batch, and registers them in memory and backlog. */
const createOutboxRows = ({ memory, backlog, clock, limits, owner }: OutboxRowsParts) => ({
  /** Born leased: this instance will send it from memory. */
  held: ({ gate: { plugin, key }, gate, event }: RoutedEvent, now: Date): OutboxEvent => {
    const due = new Date(now.getTime() + limits.leaseMs);
    const row = toOutboxEvent(event, { plugin, key, due, owner });
    memory.reserve(gate, row.id, clock.now());
    return row;
  },
  /** Due at once, for any instance. */
  waiting: ({ gate, event, resource }: RoutedEvent, now: Date): OutboxEvent => {
    backlog.expect(gateIdOf(gate), resource);
    const { plugin, key } = gate;
    return toOutboxEvent(event, { plugin, key, due: now, owner: null });
  },
  /** All events as one span; later events of the key wait behind it. */
  span: (events: EventsOfKey, now: Date): OutboxSpan => {
    const [{ gate, event }] = events;
    backlog.markFull(gateIdOf(gate));
    backlog.expect(gateIdOf(gate), ANY_RESOURCE);
    const { plugin, key } = gate;
    return {
      id: spanIdOf(event.id, plugin, key),
      tenantId: event.tenantId,
      plugin,
      key,
      seqs: events.map((one) => one.event.seq),
      due: now,
      owner: null,
    };
  },
});

/**
 * Keys whose events are written as one span each, so that a batch adds no more rows to its
 * transaction than allowed (pipeline-rules.md 1 and 2): those with the most events, until the rest
 * fits. `counts`: number of events by key. A single event is always a row.
 *
 * @internal
 */
export const chooseSpans = <Key>(
  counts: ReadonlyMap<Key, number>,
  maxRows: number,
): ReadonlySet<Key> => {
  const chosen = new Set<Key>();
  let rows = [...counts.values()].reduce((sum, events) => sum + events, 0);
  if (rows <= maxRows) return chosen;
  for (const [key, events] of [...counts].sort(([, one], [, other]) => other - one)) {
    if (rows <= maxRows || events <= 1) break;
    chosen.add(key);
    rows -= events - 1;
  }
  return chosen;
};

interface OutboxPlanParts extends EngineParts {
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
