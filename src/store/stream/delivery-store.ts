import type * as mongo from 'mongodb';
import type { DeliveryId, EventId, TenantId } from '../../domain/kernel/ids.js';
import {
  type DeliveryQuery,
  type DeliveryRecord,
  type DeliveryScope,
  type DeliveryState,
  type DeliveryStore,
  MAX_COUNTED,
  type RedeliverRequest,
} from '../../ports/deliveries.js';
import { partitionOf } from '../../ports/event-stream.js';
import { LOCAL_READ, MAJORITY_WRITE } from '../concerns.js';
import { guardRead, isDuplicateKey } from '../database-errors.js';
import type { Collections } from '../tables/collections.js';
import {
  attemptsOf,
  cursorIdOf,
  type DeliveryDocument,
  type DeliveryStateCode,
  HINTS,
} from '../tables/deliveries.js';
import { findRecovery, openRecovery, requeuedFields } from './recoveries.js';

type Filter = mongo.Filter<DeliveryDocument>;

const CODES: Readonly<Record<DeliveryState, DeliveryStateCode>> = {
  pending: 'p',
  delivered: 'd',
  failed: 'f',
  dropped: 'x',
};
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
  if (state !== 'dropped' || ended.length === 0) return { st: CODES[state] };
  return { $or: [{ st: 'x' }, { st: 'p', key: { $in: [...ended] } }] };
};

const filterOf = (plugin: string, query: DeliveryQuery): Filter => {
  const { since, until, events } = query;
  return {
    ...ownedBy(plugin, query),
    ...((since ?? until) && {
      at: { ...(since && { $gte: since }), ...(until && { $lt: until }) },
    }),
    ...(events && { name: { $in: [...events] } }),
    ...stateFilter(query),
  };
};

const toRecord = (document: DeliveryDocument, { ended = [] }: DeliveryScope): DeliveryRecord => {
  const { _id, key, ev, name, seq, at, st, due, last } = document;
  const state = st === 'p' && ended.includes(key) ? 'dropped' : STATES_BY_CODE[st];
  return {
    id: _id as DeliveryId,
    key,
    event: { id: ev as EventId, name, seq, at },
    state,
    nextAt: state === 'pending' ? (due ?? null) : null,
    last: last ? { at: last.at, reason: last.reason } : null,
    attempts: attemptsOf(document),
  };
};

/** Finished, or waiting under an ended key: it is queued again. Any other is due now. */
const requeue = (plugin: string, request: RedeliverRequest) => {
  const { to, ended = [], tenantId } = request;
  const waits = {
    $and: [{ $eq: ['$st', 'p'] }, { $not: [{ $in: ['$key', { $literal: [...ended] }] }] }],
  };
  const requeued = requeuedFields(tenantId, to) as Readonly<Record<string, unknown>>;
  const hastened = { ...requeued, due: { $min: ['$due', '$$NOW'] }, n: '$n' };
  const fields = Object.keys(requeued).map((name) => [
    name,
    { $cond: [waits, hastened[name as keyof typeof hastened], requeued[name]] },
  ]);
  return {
    filter: { ...ownedBy(plugin, request), _id: request.id } as Filter,
    update: [{ $set: Object.fromEntries(fields) as object }],
  };
};

/** The recorded deliveries of one plugin. */
export const mongoDeliveryStore = (
  {
    deliveries,
    deliveryRecoveries: recoveries,
    cursors,
    events,
  }: Pick<Collections, 'deliveries' | 'deliveryRecoveries' | 'cursors' | 'events'>,
  plugin: string,
): DeliveryStore => ({
  positions: (query, limit) =>
    guardRead(async () => {
      const found = await deliveries
        .find(filterOf(plugin, query), {
          ...LOCAL_READ,
          hint: HINTS.byKey,
          projection: { seq: 1 },
          batchSize: limit + 1,
        })
        .sort({ seq: -1 })
        .limit(limit)
        .toArray();
      return found.map(({ _id, seq }) => ({ id: _id as DeliveryId, seq }));
    }),
  count: (query) =>
    guardRead(() =>
      deliveries.countDocuments(filterOf(plugin, query), {
        ...LOCAL_READ,
        hint: HINTS.byKey,
        limit: MAX_COUNTED,
      }),
    ),
  read: (owner, ids, { withDetails }) =>
    guardRead(async () => {
      const shown = withDetails
        ? {}
        : { projection: { 'first.details': 0, 'attempts.details': 0 } as const };
      const found = await deliveries
        .find({ ...ownedBy(plugin, owner), _id: { $in: [...ids] } }, { ...LOCAL_READ, ...shown })
        .hint(HINTS.byId)
        .toArray();
      return found.map((document) => toRecord(document, owner));
    }),
  recorded: (ids) =>
    guardRead(async () => {
      if (ids.length === 0) return new Set<string>();
      const found = await deliveries
        .find({ _id: { $in: [...ids] } }, { ...LOCAL_READ, projection: { _id: 1 } })
        .toArray();
      return new Set(found.map(({ _id }) => _id));
    }),
  unsettled: ({ tenantId, key, after }, names, limit) =>
    guardRead(async () => {
      const cursor = await cursors.findOne({ _id: cursorIdOf(plugin, tenantId) }, LOCAL_READ);
      const known = cursor?.keys.find((one) => one.key === key);
      const from = known ? Math.max(known.at, after ?? 0) : (after ?? cursor?.base ?? 0);
      const open = new Set(known?.open);
      const found = await events
        .find(
          {
            tenant: tenantId,
            seq: { $gt: from },
            ...(names && { name: { $in: [...names] } }),
          },
          { ...LOCAL_READ, projection: { seq: 1, name: 1, at: 1 }, hint: { tenant: 1, seq: 1 } },
        )
        .sort({ seq: -1 })
        .limit(limit)
        .toArray();
      return found
        .filter(({ seq }) => seq > (known?.upTo ?? 0) || open.has(seq))
        .map(({ _id, seq, name, at }) => ({ id: _id as EventId, seq, name, at }));
    }),
  requeue: (request) =>
    guardRead(async () => {
      const { filter, update } = requeue(plugin, request);
      const { matchedCount } = await deliveries.updateOne(filter, update, {
        ...MAJORITY_WRITE,
        hint: HINTS.byId,
      });
      return matchedCount > 0;
    }),
  enqueue: (tenantId: TenantId, { id, key, event }) =>
    guardRead(async () => {
      const document: DeliveryDocument = {
        ...{ _id: id, tenant: tenantId, plugin, key, ev: event.id, seq: event.seq },
        ...{ name: event.name, at: event.at, st: 'p', n: 0, rev: 1 },
        due: event.at,
        part: partitionOf(tenantId),
      };
      try {
        await deliveries.insertOne(document, MAJORITY_WRITE);
        return true;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    }),
  recover: (request) => guardRead(() => openRecovery(recoveries, plugin, request)),
  findRecovery: ({ tenantId, keys }, id) =>
    guardRead(() =>
      findRecovery(recoveries, { _id: id, tenant: tenantId, plugin, to: { $in: [...keys] } }),
    ),
});
