import type * as mongo from 'mongodb';
import type { DeliveryId, EventId } from '../../domain/kernel/ids.js';
import { deliveryIdOf } from '../../pipeline/delivery-id.js';
import {
  type DeliveryQuery,
  type DeliveryRecord,
  type DeliveryScope,
  type DeliveryStore,
  type EventFilter,
  MAX_COUNTED,
} from '../../ports/deliveries.js';
import { partitionOf } from '../../ports/event-stream.js';
import { LOCAL_READ, MAJORITY_WRITE } from '../concerns.js';
import { guarded, isDuplicateKey } from '../database-errors.js';
import { readDocuments } from '../read-documents.js';
import type { Collections } from '../tables/collections.js';
import {
  attemptsOf,
  cursorIdOf,
  type DeliveryDocument,
  type DeliveryStateCode,
  HINTS,
  STATE_CODES,
} from '../tables/deliveries.js';
import { findRecovery, openRecovery, requeuedFields } from './recoveries.js';

type Filter = mongo.Filter<DeliveryDocument>;

const STATES_BY_CODE = { p: 'pending', d: 'delivered', f: 'failed', x: 'dropped' } as const;

const ownedBy = (plugin: string, { tenantId, keys }: DeliveryScope): Filter => ({
  plugin,
  key: { $in: [...keys] },
  tenant: tenantId,
});

/** Under an ended key, what waits counts as dropped. */
const stateFilter = ({ state, keys, ended = [] }: DeliveryQuery): Filter => {
  const all: DeliveryStateCode[] = ['p', 'd', 'f', 'x'];
  if (state === undefined) return { st: { $in: all } };
  if (state === 'pending')
    return { st: 'p', key: { $in: keys.filter((key) => !ended.includes(key)) } };
  if (state !== 'dropped' || ended.length === 0) return { st: STATE_CODES[state] };
  return { $or: [{ st: 'x' }, { st: 'p', key: { $in: [...ended] } }] };
};

/** MongoDB merges at most 200 ranges of an index in order: those of 4 states of as many keys. */
const MAX_MERGED = 50;

const eventFilter = ({ events, since, until }: EventFilter) => ({
  ...((since ?? until) && { at: { ...(since && { $gte: since }), ...(until && { $lt: until }) } }),
  ...(events && { name: { $in: [...events] } }),
});

const filterOf = (plugin: string, query: DeliveryQuery): Filter => ({
  ...ownedBy(plugin, query),
  ...eventFilter(query),
  ...stateFilter(query),
});

/** What is due within this time is attempted by the next poll of its owner. */
const SOON_MS = 1_000;

const toRecord = (
  document: DeliveryDocument,
  { ended = [] }: DeliveryScope,
  now: Date,
): DeliveryRecord => {
  const { _id, key, ev, name, seq, at, st, due, last } = document;
  const state = st === 'p' && ended.includes(key) ? 'dropped' : STATES_BY_CODE[st];
  return {
    id: _id as DeliveryId,
    key,
    event: { id: ev as EventId, name, seq, at },
    state,
    nextAt: due && state === 'pending' && due.getTime() > now.getTime() + SOON_MS ? due : null,
    last: last ? { at: last.at, reason: last.reason } : null,
    attempts: attemptsOf(document),
  };
};

type DeliveryCollections = Pick<
  Collections,
  'deliveries' | 'deliveryRecoveries' | 'cursors' | 'events'
>;

/** The last events after the key's position that it has not settled. */
const findUnsettled = async (
  { cursors, events }: DeliveryCollections,
  plugin: string,
  ...[{ tenantId: tenant, key, after }, filter]: Parameters<DeliveryStore['waiting']>
): Promise<readonly DeliveryRecord[]> => {
  const cursor = await cursors.findOne({ _id: cursorIdOf(plugin, tenant) }, LOCAL_READ);
  const position = cursor?.keys.find((one) => one.key === key);
  const from = Math.max(position?.at ?? 0, after ?? cursor?.base ?? 0);
  const open = new Set(position?.open);
  const found = events
    .find(
      { tenant, seq: { $gt: from }, ...eventFilter(filter) },
      { ...LOCAL_READ, projection: { seq: 1, name: 1, at: 1 }, hint: { tenant: 1, seq: 1 } },
    )
    .sort({ seq: -1 })
    .limit(MAX_COUNTED);
  return (await readDocuments(found))
    .filter(({ seq }) => seq > (position?.upTo ?? 0) || open.has(seq))
    .map(({ _id, seq, name, at }) => {
      const event = { id: _id as EventId, seq, name, at };
      const id = deliveryIdOf(event.id, plugin, key);
      return { id, key, event, state: 'pending', nextAt: null, last: null, attempts: [] };
    });
};

const withoutRecord = async (
  { deliveries }: DeliveryCollections,
  waiting: readonly DeliveryRecord[],
): Promise<readonly DeliveryRecord[]> => {
  const ids = waiting.map(({ id }) => id);
  const options = { ...LOCAL_READ, projection: { _id: 1 } };
  const found = await deliveries.find({ _id: { $in: ids } }, options).toArray();
  const recorded = new Set(found.map(({ _id }) => _id));
  return waiting.filter(({ id }) => !recorded.has(id));
};

/** The deliveries of one plugin. `now`: the database's time. */
export const mongoDeliveryStore = (
  collections: DeliveryCollections,
  plugin: string,
  now: () => Date,
): DeliveryStore => {
  const { deliveries, deliveryRecoveries: recoveries } = collections;
  return guarded<DeliveryStore>({
    list: async (query) => {
      const found = deliveries
        .find(filterOf(plugin, query), {
          ...LOCAL_READ,
          hint: query.keys.length > MAX_MERGED ? HINTS.byEvent : HINTS.byKey,
          projection: { 'first.details': 0, 'attempts.details': 0 },
          batchSize: query.limit + 1,
        })
        .sort({ seq: -1 })
        .skip(query.offset)
        .limit(query.limit);
      return (await readDocuments(found)).map((document) => toRecord(document, query, now()));
    },
    count: (query) => {
      const options = { ...LOCAL_READ, hint: HINTS.byKey, limit: MAX_COUNTED };
      return deliveries.countDocuments(filterOf(plugin, query), options);
    },
    find: async (owner, id) => {
      const filter = { ...ownedBy(plugin, owner), _id: id };
      const found = await deliveries.findOne(filter, { ...LOCAL_READ, hint: HINTS.byId });
      return found ? toRecord(found, owner, now()) : undefined;
    },
    dataOf: async (ids) => {
      const options = { ...LOCAL_READ, projection: { data: 1 } };
      const found = collections.events.find({ _id: { $in: [...ids] } }, options);
      return new Map((await readDocuments(found)).map(({ _id, data }) => [_id, data]));
    },
    waiting: async (address, filter) =>
      withoutRecord(collections, await findUnsettled(collections, plugin, address, filter)),
    requeue: async (request) => {
      const { id: _id, tenantId, to } = request;
      const { matchedCount } = await deliveries.updateOne(
        { ...ownedBy(plugin, request), _id },
        [{ $set: requeuedFields(tenantId, to) }],
        { ...MAJORITY_WRITE, hint: HINTS.byId },
      );
      return matchedCount > 0;
    },
    enqueue: async (tenant, { id, key, event: { id: ev, ...event } }) => {
      const queued = { st: 'p', due: event.at, part: partitionOf(tenant), n: 0, rev: 1 } as const;
      try {
        const document = { _id: id, tenant, plugin, key, ev, ...event, ...queued };
        await deliveries.insertOne(document, MAJORITY_WRITE);
        return true;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },
    recover: (request) => openRecovery(recoveries, plugin, request),
    findRecovery: ({ tenantId, keys }, id) =>
      findRecovery(recoveries, { _id: id, tenant: tenantId, plugin, to: { $in: [...keys] } }),
  });
};
