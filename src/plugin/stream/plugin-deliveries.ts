import type { EventName } from '../../domain/events.js';
import {
  type DeliveryQuery,
  type DeliveryRecord,
  type DeliveryScope,
  type DeliveryStore,
  MAX_COUNTED,
  type WaitingDelivery,
} from '../../ports/deliveries.js';
import type { DurableSubscriber, Subscription } from '../contract/contract.js';
import type { PluginDeliveries } from '../contract/host.js';
import { deliveryIdOf } from '../../pipeline/delivery-id.js';
import { wants } from './lane.js';

interface PluginDeliveriesParts {
  readonly plugin: string;
  readonly store: DeliveryStore;
  /** Undefined until the plugin is started. */
  readonly subscriber: () => Pick<DurableSubscriber, 'subscriptions'> | undefined;
  /** Deliveries were queued again. */
  readonly onQueued: () => void;
}

const namesIn = (
  { events }: Subscription,
  wanted: readonly EventName[] | undefined,
): readonly EventName[] | undefined =>
  events ? [...events.keys()].filter((name) => !wanted || wanted.includes(name)) : wanted;

const isWithin = ({ since, until }: DeliveryQuery, { at }: DeliveryRecord['event']): boolean =>
  (!since || at >= since) && (!until || at < until);

const toRecord = ({ id, key, event }: WaitingDelivery): DeliveryRecord => ({
  ...{ id, key, event, state: 'pending', nextAt: null, last: null, attempts: [] },
});

/**
 * A plugin's deliveries: those with an attempt are recorded; the others are computed from the
 * positions of its subscriptions and the log.
 */
export const createPluginDeliveries = (parts: PluginDeliveriesParts): PluginDeliveries => {
  const { plugin, store, onQueued } = parts;

  const waitingFor = async (
    scope: DeliveryScope,
    subscription: Subscription,
    query?: DeliveryQuery,
  ): Promise<readonly WaitingDelivery[]> => {
    const { key, after } = subscription;
    const names = namesIn(subscription, query?.events);
    const events = await store.unsettled(
      { tenantId: scope.tenantId, key, after },
      names,
      MAX_COUNTED,
    );
    const waiting = events
      .filter((event) => wants(subscription, event) && (!query || isWithin(query, event)))
      .map((event) => ({ id: deliveryIdOf(event.id, plugin, key), key, event }));
    const recorded = await store.recorded(waiting.map(({ id }) => id));
    return waiting.filter(({ id }) => !recorded.has(id));
  };

  /** Events without a record, newest first. */
  const waitingIn = async (
    scope: DeliveryScope,
    query?: DeliveryQuery,
  ): Promise<readonly WaitingDelivery[]> => {
    const { tenantId, keys, ended = [] } = scope;
    const subscriptions = (await parts.subscriber()?.subscriptions(tenantId)) ?? [];
    const own = subscriptions.filter(({ key }) => keys.includes(key) && !ended.includes(key));
    const found = await Promise.all(own.map((one) => waitingFor(scope, one, query)));
    return found.flat().sort((one, other) => other.event.seq - one.event.seq);
  };

  const findWaiting = async (
    scope: DeliveryScope,
    id: string,
  ): Promise<WaitingDelivery | undefined> =>
    (await waitingIn(scope)).find((waiting) => waiting.id === id);

  const list: PluginDeliveries['list'] = async (query) => {
    const { limit, offset, state } = query;
    const mayWait = state === undefined || state === 'pending';
    const [waiting, positions, recorded] = await Promise.all([
      mayWait ? waitingIn(query, query) : [],
      store.positions(query, offset + limit),
      store.count(query),
    ]);
    const page = [
      ...waiting.slice(0, offset + limit).map((one) => ({ id: one.id, seq: one.event.seq, one })),
      ...positions.map((position) => ({ ...position, one: undefined })),
    ]
      .sort((one, other) => other.seq - one.seq)
      .slice(offset, offset + limit);
    const ids = page.flatMap(({ id, one }) => (one ? [] : [id]));
    const records = await store.read(query, ids, { withDetails: false });
    const byId = new Map(records.map((record) => [record.id, record]));
    return {
      deliveries: page.flatMap(({ id, one }) => (one ? toRecord(one) : (byId.get(id) ?? []))),
      total: Math.min(MAX_COUNTED, waiting.length + recorded),
    };
  };

  return {
    list,
    find: async (owner, id) => {
      const [record] = await store.read(owner, [id], { withDetails: true });
      const waiting = record ? undefined : await findWaiting(owner, id);
      return record ?? (waiting && toRecord(waiting));
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
