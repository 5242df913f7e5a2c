import type * as mongo from 'mongodb';
import {
  type AttemptRecord,
  type DeliveryScope,
  type DeliveryPage,
  type DeliveryQuery,
  type DeliveryRecord,
  type DeliveryState,
  MAX_COUNTED,
} from '../../outbox/delivery-record.js';
import type { DeliveryId, EventId } from '../../domain/kernel/ids.js';
import {
  type AttemptDocument,
  attemptInRow,
  HINTS,
  type OutboxDocument,
  type OutboxState,
} from '../tables/outbox.js';
import { readAttempts } from './attempts.js';
import { LOCAL_READ } from '../concerns.js';

type Rows = mongo.Collection<OutboxDocument>;
type Attempts = mongo.Collection<AttemptDocument>;
type Filter = mongo.Filter<OutboxDocument>;
type Position = Pick<OutboxDocument, '_id' | 'seq'>;
type DeliveryDocument = OutboxDocument & Required<Pick<OutboxDocument, 'name' | 'at'>>;

/** A span is not a delivery. */
const isDelivery = (document: OutboxDocument): document is DeliveryDocument =>
  document.name !== undefined && document.at !== undefined;

const STATE_CODES: Readonly<Record<DeliveryState, OutboxState>> = {
  pending: 'p',
  delivered: 'd',
  failed: 'f',
  dropped: 'x',
};
const STATES_BY_CODE = { p: 'pending', d: 'delivered', f: 'failed', x: 'dropped' } as const;

/** Rows of the owner, without spans. */
export const ownedBy = (plugin: string, { tenantId, keys }: DeliveryScope): Filter => ({
  plugin,
  key: { $in: [...keys] },
  tenant: tenantId,
  left: { $exists: false },
});

const timeOf = ({ since, until }: DeliveryQuery): Filter =>
  since || until ? { at: { ...(since && { $gte: since }), ...(until && { $lt: until }) } } : {};

/** One query per index: pending and finished rows are in different ones. */
interface Source {
  readonly filter: Filter;
  readonly hint: object;
}

/** Keys whose pending rows match: under an ended key they count as dropped. */
const keysOfPending = ({ state, keys, ended = [] }: DeliveryQuery): string[] => {
  if (state === undefined) return [...keys];
  if (state === 'pending') return keys.filter((key) => !ended.includes(key));
  return state === 'dropped' ? keys.filter((key) => ended.includes(key)) : [];
};

const sourcesOf = (plugin: string, query: DeliveryQuery): readonly Source[] => {
  const { state, events } = query;
  const named = events && { name: { $in: [...events] } };
  const filter = { ...ownedBy(plugin, query), ...timeOf(query), ...named };
  const states = state ? [STATE_CODES[state]] : (['p', 'd', 'f', 'x'] as const);
  const finished = states.filter((st) => st !== 'p');
  const pending = keysOfPending(query);
  return [
    ...(pending.length > 0
      ? [{ filter: { ...filter, key: { $in: pending }, st: 'p' as const }, hint: HINTS.byKey }]
      : []),
    ...(finished.length > 0
      ? [
          {
            filter: { ...filter, st: { $in: finished }, expireAt: { $exists: true } },
            hint: HINTS.byState,
          },
        ]
      : []),
  ];
};

const readPositions = (rows: Rows, { filter, hint }: Source, limit: number): Promise<Position[]> =>
  rows
    .find(filter, LOCAL_READ)
    .hint(hint)
    .sort({ seq: -1 })
    .limit(limit)
    .project<Position>({ seq: 1 })
    .toArray();

const count = (rows: Rows, { filter, hint }: Source): Promise<number> =>
  rows.countDocuments(filter, { ...LOCAL_READ, hint, limit: MAX_COUNTED });

const stateOf = ({ st, key }: DeliveryDocument, { ended = [] }: DeliveryScope): DeliveryState =>
  st === 'p' && ended.includes(key) ? 'dropped' : STATES_BY_CODE[st];

const toRecord = (
  document: DeliveryDocument,
  attempts: readonly AttemptRecord[],
  owner: DeliveryScope,
): DeliveryRecord => {
  const { _id, key, ev, name, seq, at, due, own, last } = document;
  const state = stateOf(document, owner);
  return {
    id: _id as DeliveryId,
    key,
    event: { id: ev as EventId, name, seq, at },
    state,
    nextAt: state === 'pending' && own === null ? due : null,
    last: last ? { at: last.at, reason: last.reason } : null,
    attempts: [...attemptInRow(document), ...attempts],
  };
};

/** A page of the pending and finished deliveries of the owner's keys, newest event first. */
export const listDeliveries = async (
  rows: Rows,
  attempts: Attempts,
  plugin: string,
  query: DeliveryQuery,
): Promise<DeliveryPage> => {
  const sources = sourcesOf(plugin, query);
  const { limit, offset } = query;
  const [positions, counts] = await Promise.all([
    Promise.all(sources.map((source) => readPositions(rows, source, offset + limit))),
    Promise.all(sources.map((source) => count(rows, source))),
  ]);
  const ids = positions
    .flat()
    .sort((one, other) => other.seq - one.seq)
    .slice(offset, offset + limit)
    .map(({ _id }) => _id as DeliveryId);
  const [found, attemptsById] = await Promise.all([
    rows
      .find({ _id: { $in: ids } }, { ...LOCAL_READ, projection: { 'first.details': 0 } })
      .toArray(),
    readAttempts(attempts, ids, { withDetails: false }),
  ]);
  return {
    deliveries: found
      .filter(isDelivery)
      .sort((one, other) => other.seq - one.seq)
      .map((document) => toRecord(document, attemptsById.get(document._id) ?? [], query)),
    total: Math.min(
      MAX_COUNTED,
      counts.reduce((sum, each) => sum + each, 0),
    ),
  };
};

/** The collections, and the plugin whose deliveries are read. */
interface Reading {
  readonly rows: Rows;
  readonly attempts: Attempts;
  readonly plugin: string;
}

export const findDelivery = async (
  { rows, attempts, plugin }: Reading,
  owner: DeliveryScope,
  id: DeliveryId,
): Promise<DeliveryRecord | undefined> => {
  const filter = { ...ownedBy(plugin, owner), _id: id };
  const found = await rows.findOne(filter, { ...LOCAL_READ, hint: HINTS.byId });
  if (!found || !isDelivery(found)) return undefined;
  const attemptsById = await readAttempts(attempts, [id], { withDetails: true });
  return toRecord(found, attemptsById.get(id) ?? [], owner);
};
