import type { DomainEvent } from '../../domain/events.js';
import type { OutboxRow } from '../../domain/outbox.js';
import type { Tenant } from '../../domain/tenant.js';
import { StoreUnavailable } from '../../pipeline/commit-store.js';
import type { OutboxPlanner } from '../../pipeline/outbox-planner.js';
import type { Backlog } from './backlog.js';
import type { DurableSubscriber } from '../contract.js';
import { deliveryIdOf } from './delivery-id.js';
import type { EngineCounters } from './engine-gauges.js';
import { type EngineMemory, gateIdOf } from './engine-memory.js';
import type { EngineParts } from './engine-parts.js';
import type { HeldRow } from './held-row.js';
import { type KeyGate, noteServed, roomOf } from './key-gate.js';

export interface OutboxPlanParts extends EngineParts {
  readonly memory: EngineMemory;
  readonly backlog: Backlog;
  readonly counters: EngineCounters;
  /** Whether this instance may hold rows: it is started, and not stopping. */
  readonly mayHold: () => boolean;
  readonly admit: (gate: KeyGate, rows: readonly HeldRow[]) => void;
  /** Rows that nobody holds are due. */
  readonly waiting: (gate: KeyGate) => void;
}

/** One event owed to one key. */
interface Owed {
  readonly gate: KeyGate;
  readonly event: DomainEvent;
  readonly resource: string;
}

const resourceOf = ({ resource }: DomainEvent): string => `${resource.kind}:${resource.id}`;

/** Routes what is committed, and hands what is born leased from the commit to the dispatcher. */
export const createOutboxPlan = (parts: OutboxPlanParts): OutboxPlanner => {
  const { subscribers, memory, backlog, counters, clock, limits, log, owner } = parts;

  const keysOf = (plugin: string, event: DomainEvent): ReadonlySet<string> => {
    try {
      return new Set(subscribers.get(plugin)?.route(event));
    } catch (cause) {
      // Provisioning goes on: a plugin's fault is its own. The count of these is for the alarm.
      log.error({ plugin, event: event.id, err: cause }, 'A subscriber could not route an event.');
      counters.unrouted(plugin);
      return new Set();
    }
  };

  const owedBy = (
    [plugin, subscriber]: readonly [string, DurableSubscriber],
    events: readonly DomainEvent[],
  ): readonly Owed[] =>
    events.flatMap((event) =>
      [...keysOf(plugin, event)].map((key) => ({
        gate: memory.gateOf({ plugin, key, subscriber }),
        event,
        resource: resourceOf(event),
      })),
    );

  const mayHold = ({ gate, resource }: Owed): boolean => {
    if (!parts.mayHold() || backlog.waits(gateIdOf(gate), resource)) return false;
    if (gate.breaker.isClosed() && memory.placesLeft() > 0 && roomOf(gate, limits, clock.now()) > 0)
      return true;
    backlog.fill(gateIdOf(gate));
    return false;
  };

  const rowOf = (owed: Owed, now: Date): OutboxRow => {
    const { gate, event, resource } = owed;
    const id = deliveryIdOf(event.id, gate.plugin, gate.key);
    const isHeld = mayHold(owed);
    if (isHeld) memory.reserve(gate, id, clock.now());
    else backlog.expect(gateIdOf(gate), resource);
    return {
      id,
      tenantId: event.tenantId,
      plugin: gate.plugin,
      key: gate.key,
      eventId: event.id,
      seq: event.seq,
      resource,
      due: isHeld ? new Date(now.getTime() + limits.leaseMs) : now,
      owner: isHeld ? owner : null,
    };
  };

  const gateOf = ({ plugin, key }: OutboxRow): KeyGate | undefined => {
    const subscriber = subscribers.get(plugin);
    return subscriber && memory.gateOf({ plugin, key, subscriber });
  };

  const seeWaiting = (row: OutboxRow): void => {
    backlog.seen(gateIdOf(row), row.resource, clock.now());
    const gate = gateOf(row);
    if (gate) parts.waiting(gate);
  };

  const takeIn = (row: OutboxRow, event: DomainEvent | undefined): void => {
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
    plan: (_tenant, events, now) =>
      [...subscribers]
        .flatMap((subscriber) => owedBy(subscriber, events))
        .map((owed) => rowOf(owed, now)),
    committed: (rows, events) => {
      const byId = new Map(events.map((event) => [event.id, event]));
      for (const row of rows) {
        if (row.owner === null) seeWaiting(row);
        else takeIn(row, byId.get(row.eventId));
      }
    },
    abandoned: (rows) => {
      for (const row of rows) {
        if (row.owner === null) {
          backlog.seen(gateIdOf(row), row.resource, clock.now());
        } else if (memory.takeReservation(row.id)) {
          // Should it have been written after all, then nothing may overtake it.
          backlog.expect(gateIdOf(row), row.resource);
          backlog.seen(gateIdOf(row), row.resource, clock.now() + limits.leaseMs);
        }
      }
    },
  };
};
