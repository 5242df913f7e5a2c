import type { DomainEvent } from '../../domain/events.js';
import { each, type Pieces } from '../../domain/in-pieces.js';
import { isSpan, type OutboxRow, type OwedEvent } from '../../domain/outbox.js';
import type { Tenant } from '../../domain/tenant.js';
import { StoreUnavailable } from '../../pipeline/commit-store.js';
import type { OutboxPlanner } from '../../pipeline/outbox-planner.js';
import { type Backlog, EVERY_RESOURCE } from './backlog.js';
import { chooseSpans } from './choose-spans.js';
import type { DurableSubscriber } from '../contract.js';
import type { EngineCounters } from './engine-gauges.js';
import { type EngineMemory, gateIdOf } from './engine-memory.js';
import type { EngineParts } from './engine-parts.js';
import type { HeldRow } from './held-row.js';
import { type KeyGate, noteServed, roomOf } from './key-gate.js';
import { createOutboxRows, type OwedToKey } from './outbox-rows.js';
import { createRouting, type Owed } from './route-events.js';

export interface OutboxPlanParts extends EngineParts {
  readonly memory: EngineMemory;
  readonly backlog: Backlog;
  readonly counters: EngineCounters;
  /** Whether this instance may hold rows: it is started, and not stopping. */
  readonly mayHold: () => boolean;
  readonly admit: (gate: KeyGate, rows: readonly HeldRow[]) => void;
  /** The row is in nobody's memory; if it is there, any instance may take it. */
  readonly handBack: (gate: KeyGate, row: OwedEvent) => void;
  /** Rows that nobody holds are due. */
  readonly waiting: (gate: KeyGate) => void;
}

const countByGate = function* (owed: readonly Owed[]): Pieces<ReadonlyMap<KeyGate, number>> {
  const counts = new Map<KeyGate, number>();
  yield* each(owed, ({ gate }) => counts.set(gate, (counts.get(gate) ?? 0) + 1));
  return counts;
};

/** Of a span the resource is any. */
const resourceIn = (row: OutboxRow): string => (isSpan(row) ? EVERY_RESOURCE : row.resource);

/** Routes what is committed, and hands what is born leased from the commit to the dispatcher. */
export const createOutboxPlan = (parts: OutboxPlanParts): OutboxPlanner => {
  const { subscribers, memory, backlog, clock, limits, log } = parts;
  const owedFor = createRouting(parts);
  const rowsAs = createOutboxRows(parts);

  const mayHold = ({ gate, resource }: Owed): boolean => {
    if (!parts.mayHold() || backlog.waits(gateIdOf(gate), resource)) return false;
    if (gate.breaker.isClosed() && memory.placesLeft() > 0 && roomOf(gate, limits, clock.now()) > 0)
      return true;
    backlog.fill(gateIdOf(gate));
    return false;
  };

  /**
   * What this instance has room for is born leased, to be sent at once (pipeline-rules.md 7). What
   * waits in the database anyway is a span where it is much, and so is all that a key is owed where
   * the batch owes too much (pipeline-rules.md 2). Of a key that may get a span everything after the
   * first event that waits does so too, for a span holds up all that is behind it.
   */
  const writeDown = function* (owed: readonly Owed[], now: Date): Pieces<readonly OutboxRow[]> {
    const counts = yield* countByGate(owed);
    const inSpans = chooseSpans(counts, limits.mostRowsOfBatch);
    const late = new Map<KeyGate, [Owed, ...Owed[]]>();
    const isMany = ({ length }: OwedToKey): boolean => length > limits.mostRowsOfKey;
    const mayBeLate = (gate: KeyGate): boolean =>
      inSpans.has(gate) || (counts.get(gate) ?? 0) > limits.mostRowsOfKey;

    const rows: OutboxRow[] = [];
    yield* each(owed, (one) => {
      const { gate } = one;
      const before = late.get(gate);
      if (before) before.push(one);
      else if (!inSpans.has(gate) && mayHold(one)) rows.push(rowsAs.held(one, now));
      else if (mayBeLate(gate)) late.set(gate, [one]);
      else rows.push(rowsAs.waiting(one, now));
    });
    yield* each(late, ([gate, ofKey]) => {
      if (inSpans.has(gate) || isMany(ofKey)) rows.push(rowsAs.span(ofKey, now));
      else rows.push(...ofKey.map((one) => rowsAs.waiting(one, now)));
    });
    return rows;
  };

  const gateOf = ({ plugin, key }: OutboxRow): KeyGate | undefined => {
    const subscriber = subscribers.get(plugin);
    return subscriber && memory.gateOf({ plugin, key, subscriber });
  };

  const seeWaiting = (row: OutboxRow): void => {
    backlog.seen(gateIdOf(row), resourceIn(row), clock.now());
    const gate = gateOf(row);
    if (gate) parts.waiting(gate);
  };

  const takeIn = (row: OwedEvent, event: DomainEvent | undefined): void => {
    const reservation = memory.takeReservation(row.id);
    if (!reservation || !event) return;
    const { gate, plannedAt } = reservation;
    // The commit checked the tenant's version, and with it whom `route` knew (pipeline-rules.md 8).
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
        mayGo: false,
      },
    ]);
  };

  return {
    prepare: async (tenant: Tenant) => {
      const prepareOne = async ([plugin, subscriber]: readonly [string, DurableSubscriber]) => {
        try {
          await subscriber.prepare(tenant, tenant.pluginVersions[plugin] ?? 0);
        } catch (cause) {
          log.error({ plugin, err: cause }, 'A subscriber cannot tell whom it serves.');
          throw new StoreUnavailable('nothing', { cause });
        }
      };
      await Promise.all([...subscribers].map(prepareOne));
    },
    // Two steps: whom the batch owes what, then in which form that is written down.
    plan: function* (_tenant, events, now) {
      return yield* writeDown(yield* owedFor(events), now);
    },
    committed: (rows, events) => {
      const byId = new Map(events.map((event) => [event.id, event]));
      for (const row of rows) {
        if (row.owner === null) seeWaiting(row);
        else takeIn(row, byId.get(row.eventId));
      }
    },
    abandoned: (rows, written) => {
      for (const row of rows) {
        if (row.owner === null) {
          backlog.seen(gateIdOf(row), resourceIn(row), clock.now());
          continue;
        }
        const reservation = memory.takeReservation(row.id);
        if (!reservation) continue;
        // Should it have been written after all, then nothing may overtake it.
        backlog.expect(gateIdOf(row), row.resource);
        backlog.seen(gateIdOf(row), row.resource, clock.now() + limits.leaseMs);
        if (written === 'unknown') parts.handBack(reservation.gate, row);
      }
    },
  };
};
