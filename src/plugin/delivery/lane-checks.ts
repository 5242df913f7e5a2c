import type { Clock } from '../contract/clock.js';
import type { EngineLimits } from './engine-parts.js';
import {
  type HeldRow,
  type GateLane,
  type ResourceLane,
  type KeyGate,
  noteServed,
} from './key-gate.js';
import { type Outage, createOutage } from './outage.js';
import type { OutboxStore, OrderQuery } from '../../outbox/outbox-claims.js';
import type { TenantId } from '../../domain/kernel/ids.js';
import type { PluginLog } from '../contract/extension.js';

/**
 * Collects the calls of one turn of the event loop into one batch. `run`
 * must settle everything it is given itself; it never rejects.
 */
const batched = <Item>(run: (items: readonly Item[]) => Promise<void>): ((item: Item) => void) => {
  let items: Item[] = [];
  const flush = (): void => {
    const batch = items;
    items = [];
    void run(batch);
  };
  return (item) => {
    if (items.length === 0) queueMicrotask(flush);
    items.push(item);
  };
};

interface OrderCheckParts {
  readonly store: OutboxStore;
  readonly clock: Clock;
  readonly limits: EngineLimits;
  readonly outage: Outage;
  /** Rows that may go say so now; `isBlocked`: the lane's next row has to let an earlier one pass. */
  readonly onResult: (checked: GateLane, isBlocked: boolean) => void;
}

const queryOf = ({ gate, lane }: GateLane): OrderQuery => ({
  plugin: gate.plugin,
  key: gate.key,
  tenantId: lane.tenantId,
  resource: lane.resource,
  beforeSeq: lane.queue.at(-1)?.event.seq ?? 0,
  except: [...lane.held],
});

/** Marks the rows that may be sent; returns whether the lane's next row, if checked, may not. */
const markInOrder = (rows: readonly HeldRow[], lane: ResourceLane, unsent: number): boolean => {
  for (const row of rows) row.isInOrder = row.event.seq < unsent;
  const [next] = lane.queue;
  return next !== undefined && rows.includes(next) && !next.isInOrder;
};

/**
 * Checks whether earlier rows of a resource wait for their first attempt elsewhere: on another
 * instance, on one that died, or unclaimed. Retried if the database does not respond.
 */
export const createOrderCheck = (parts: OrderCheckParts) => {
  const { store, clock, limits, outage, onResult } = parts;

  const checkAll = async (lanes: readonly GateLane[]): Promise<void> => {
    // Rows may come and go during the query: the result applies to those that wait now.
    const queued = lanes.map(({ lane }) => [...lane.queue]);
    try {
      const earliest = await store.earliestUnsent(lanes.map(queryOf));
      outage.succeeded();
      lanes.forEach((place, index) => {
        const isBlocked = markInOrder(queued[index] ?? [], place.lane, earliest[index] ?? Infinity);
        onResult(place, isBlocked);
      });
    } catch (cause) {
      outage.failed(cause);
      clock.after(limits.queryRetryMs, () => lanes.forEach(check));
    }
  };

  const check = batched(checkAll);
  return { check };
};

interface ServingCheckParts {
  readonly clock: Clock;
  readonly limits: EngineLimits;
  readonly log: PluginLog;
  /** The check of the lane's key and tenant has completed. */
  readonly onResult: (checked: GateLane) => void;
  /** It no longer serves the key for that tenant; called before `onResult`. */
  readonly onUnserved: (gate: KeyGate, tenantId: TenantId) => void;
}

/** A key of a tenant that is being checked, and the lanes that wait for it. */
interface ServingQuery {
  readonly gate: KeyGate;
  readonly tenantId: TenantId;
  readonly lanes: Set<ResourceLane>;
}

const queryId = ({ plugin, key }: KeyGate, tenantId: TenantId): string =>
  `${plugin}\n${tenantId}\n${key}`;

const groupByTenant = (queries: readonly ServingQuery[]): readonly (readonly ServingQuery[])[] => {
  const groups = new Map<string, ServingQuery[]>();
  for (const query of queries) {
    const name = `${query.gate.plugin}\n${query.tenantId}`;
    const group = groups.get(name) ?? [];
    group.push(query);
    groups.set(name, group);
  }
  return [...groups.values()];
};

/**
 * Checks whether subscribers still serve keys, grouped by tenant. A positive result counts from the
 * start of the check, so that no attempt starts more than a second after a key is disabled
 * (decisions.md 7). A failed check is retried; nothing is sent until it succeeds.
 */
export const createServingCheck = (parts: ServingCheckParts) => {
  const { clock, limits, log, onResult, onUnserved } = parts;
  const outages = new Map<string, Outage>();
  const open = new Map<string, ServingQuery>();

  const outageOf = (plugin: string): Outage => {
    const known = outages.get(plugin);
    if (known) return known;
    const sentences = {
      began: 'The plugin could not list the keys it serves; its deliveries wait.',
      ended: 'The plugin lists the keys it serves again.',
    };
    const outage = createOutage(log, sentences, { plugin });
    outages.set(plugin, outage);
    return outage;
  };

  const settle = ({ gate, tenantId, lanes }: ServingQuery, servedAt: number | undefined): void => {
    open.delete(queryId(gate, tenantId));
    if (servedAt === undefined) onUnserved(gate, tenantId);
    else noteServed(gate, tenantId, servedAt);
    for (const lane of lanes) onResult({ gate, lane });
  };

  const askTogether = async (queries: readonly ServingQuery[]): Promise<void> => {
    const [first] = queries;
    if (!first) return;
    const { gate, tenantId } = first;
    const startedAt = clock.now();
    try {
      const keys = queries.map((query) => query.gate.key);
      const served = await gate.subscriber.serving(tenantId, keys);
      outageOf(gate.plugin).succeeded();
      for (const query of queries) {
        settle(query, served.has(query.gate.key) ? startedAt : undefined);
      }
    } catch (cause) {
      outageOf(gate.plugin).failed(cause);
      clock.after(limits.queryRetryMs, () => queries.forEach(askAll));
    }
  };

  const askAll = batched<ServingQuery>(async (queries) => {
    await Promise.all(groupByTenant(queries).map(askTogether));
  });

  return {
    check: ({ gate, lane }: GateLane): void => {
      const name = queryId(gate, lane.tenantId);
      const known = open.get(name);
      if (known) return void known.lanes.add(lane);
      const query = { gate, tenantId: lane.tenantId, lanes: new Set([lane]) };
      open.set(name, query);
      askAll(query);
    },
    /** Whether the last "yes" may still be trusted. */
    isTrusted: ({ gate, lane }: GateLane): boolean =>
      clock.now() - (gate.servedAt.get(lane.tenantId) ?? -Infinity) < limits.servingCacheMs,
  };
};
