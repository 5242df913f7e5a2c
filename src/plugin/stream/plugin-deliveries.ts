import type { DeliveryRecord, DeliveryScope, DeliveryStore } from '../../ports/deliveries.js';
import type { TenantId } from '../../domain/kernel/ids.js';
import { type EventFilter, MAX_COUNTED } from '../../ports/deliveries.js';
import type { DurableSubscriber, Subscription } from '../contract/contract.js';
import type { PluginDeliveries } from '../contract/host.js';
import { wants } from './lane.js';

interface PluginDeliveriesParts {
  readonly store: DeliveryStore;
  /** Undefined until the plugin is started. */
  readonly subscriber: () => Pick<DurableSubscriber, 'subscriptions'> | undefined;
  /** Deliveries were queued again. */
  readonly onQueued: () => void;
}

const newestFirst = (deliveries: readonly DeliveryRecord[]): readonly DeliveryRecord[] =>
  deliveries.toSorted((one, other) => other.event.seq - one.event.seq);

/** Events without a record that a subscription waits for. */
const waitingFor = async (
  store: DeliveryStore,
  tenantId: TenantId,
  subscription: Subscription,
  filter: EventFilter,
): Promise<readonly DeliveryRecord[]> => {
  const { key, after, events } = subscription;
  const names = events
    ? [...events.keys()].filter((name) => filter.events?.includes(name) ?? true)
    : filter.events;
  const waiting = await store.waiting(
    { tenantId, key, after },
    { ...filter, ...(names && { events: names }) },
  );
  return waiting.filter(({ event }) => wants(subscription, event));
};

/**
 * A plugin's deliveries: those with an attempt are recorded; the others are computed from the
 * positions of its subscriptions and the log.
 */
export const createPluginDeliveries = (parts: PluginDeliveriesParts): PluginDeliveries => {
  const { store, onQueued } = parts;

  /** Events without a record, newest first. */
  const waitingIn = async (
    scope: DeliveryScope,
    filter: EventFilter = {},
  ): Promise<readonly DeliveryRecord[]> => {
    const { tenantId, keys, ended = [] } = scope;
    const subscriptions = (await parts.subscriber()?.subscriptions(tenantId)) ?? [];
    const own = subscriptions.filter(({ key }) => keys.includes(key) && !ended.includes(key));
    const found = await Promise.all(own.map((one) => waitingFor(store, tenantId, one, filter)));
    return newestFirst(found.flat());
  };

  const withData = async (
    records: readonly DeliveryRecord[],
  ): Promise<readonly DeliveryRecord[]> => {
    const found = await store.dataOf(records.map(({ event }) => event.id));
    return records.map((record) => {
      const data = found.get(record.event.id);
      return data ? { ...record, event: { ...record.event, data } } : record;
    });
  };

  const findWaiting = async (
    scope: DeliveryScope,
    id: string,
  ): Promise<DeliveryRecord | undefined> =>
    (await waitingIn(scope)).find((waiting) => waiting.id === id);

  return {
    list: async (query) => {
      const { limit, offset, state = 'pending' } = query;
      const [waiting, recorded] = await Promise.all([
        state === 'pending' ? waitingIn(query, query) : [],
        store.count(query),
      ]);
      // As many of the first `offset` have a record, if all that wait are before them.
      const passed = Math.max(0, offset - waiting.length);
      const start = offset - passed;
      const records = await store.list({ ...query, offset: passed, limit: start + limit });
      const known = new Set(records.map(({ id }) => id));
      const unknown = waiting.slice(0, offset + limit).filter(({ id }) => !known.has(id));
      const candidates = newestFirst([...unknown, ...records]);
      return {
        deliveries: await withData(candidates.slice(start, start + limit)),
        total: Math.min(MAX_COUNTED, waiting.length + recorded),
      };
    },
    find: async (owner, id) => {
      const found =
        (await store.find(owner, id)) ??
        (await findWaiting(owner, id)) ??
        // Its first attempt may have ended in between.
        (await store.find(owner, id));
      return found && (await withData([found]))[0];
    },
    redeliver: async (request) => {
      const enqueue = async (): Promise<boolean> => {
        const waiting = await findWaiting(request, request.id);
        return waiting !== undefined && store.enqueue(request.tenantId, waiting);
      };
      const isFound =
        (await store.requeue(request)) ||
        (await enqueue()) ||
        // Its first attempt may have ended in between.
        (await store.requeue(request));
      if (isFound) onQueued();
      return isFound;
    },
    recover: async (request) => {
      const recovery = await store.recover(request);
      onQueued();
      return recovery;
    },
    findRecovery: store.findRecovery,
  };
};
