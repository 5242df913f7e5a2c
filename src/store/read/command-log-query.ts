import type * as mongo from 'mongodb';
import type { CommandLogQuery, LogPosition } from '../../ports/command-log.js';
import { parseUserId, type TenantId } from '../../domain/kernel/ids.js';
import { fold } from '../../domain/kernel/names.js';
import {
  actorKey,
  affectedKey,
  isUnindexed,
  outcomeKey,
  requestKey,
  SKIPPED_KEY,
  sourceKey,
  subjectKey,
} from '../../pipeline/log/log-keys.js';
import type { Collections } from '../tables/collections.js';
import type { CommandLogDocument } from '../tables/command-log.js';
import { escapeExpression } from './filter-query.js';

type Filter = mongo.Filter<CommandLogDocument>;

/** Sets of index terms, of each of which a line must have one; the most selective set first. */
type KeySets = readonly (readonly string[])[];

/** People or keys of one name that a search by it is about. */
const MAX_NAMED = 10;
const ID_ONLY = { projection: { _id: 1 }, limit: MAX_NAMED } as const;

/** Affected users are indexed by id; only the subject is also indexed by its name of that time. */
const keysOfAffected = async (
  { users }: Collections,
  tenant: TenantId,
  user: string,
): Promise<readonly string[]> => {
  const given = parseUserId(user);
  const findBy = (condition: object) => users.find({ tenant, ...condition }, ID_ONLY).toArray();
  // Alternatives in one query would not use their indexes, which are partial.
  const found = await Promise.all(
    given
      ? []
      : ['userName', 'email', 'label'].map((name) => findBy({ [`folded.${name}`]: fold(user) })),
  );
  const ids = given ? [given] : found.flat().map(({ _id }) => _id);
  return [
    ...new Set([subjectKey(user), ...ids.flatMap((id) => [subjectKey(id), affectedKey(id)])]),
  ];
};

/** The conditions of a query that the index has. */
export const keySetsOf = async (
  collections: Collections,
  tenantId: TenantId,
  query: CommandLogQuery,
): Promise<KeySets> => {
  const { requestId, subject, affected, touching = [], actor, outcome, source, skipped } = query;
  return [
    ...(requestId === undefined ? [] : [[requestKey(requestId)]]),
    ...(skipped ? [[SKIPPED_KEY]] : []),
    ...(subject === undefined ? [] : [[subjectKey(subject)]]),
    ...(affected === undefined ? [] : [await keysOfAffected(collections, tenantId, affected)]),
    ...touching.map((id) => [subjectKey(id), affectedKey(id)]),
    ...(outcome === undefined || isUnindexed(outcome) ? [] : [[outcomeKey(outcome)]]),
    ...(source === undefined || isUnindexed(source) ? [] : [[sourceKey(source)]]),
    ...(actor === undefined ? [] : [await keysOfActor(collections, tenantId, actor)]),
  ];
};

/** A name without its kind may be an API key's, an operator's, a connector's or the gateway's own. */
const keysOfActor = async (
  { apiKeys }: Collections,
  tenant: TenantId,
  actor: string,
): Promise<readonly string[]> => {
  if (actor.includes(':')) return [actorKey(actor)];
  const description = { $regex: `^${escapeExpression(actor)}$`, $options: 'i' };
  const named = await apiKeys.find({ tenant, description }, ID_ONLY).toArray();
  return [
    ...['', 'operator:', 'connector:', 'system:'].map((kind) => actorKey(kind + actor)),
    ...named.map(({ _id }) => actorKey(_id)),
  ];
};

/** Lines up to and including this position, in the order of the scan. */
export const upTo = ({ at, id }: LogPosition): Filter => ({
  $or: [{ at: { $gt: at } }, { at, _id: { $gte: id } }],
});

/** The part of the log that a query is about. */
export const windowOf = ({ since, until, after }: CommandLogQuery): Filter => {
  const bounds = { ...(since && { $gte: since }), ...(until && { $lt: until }) };
  if (!after) return since || until ? { at: bounds } : {};
  // The first condition bounds the index scan; alone it would not separate equal times.
  return {
    $and: [
      { at: { ...bounds, $lte: after.at } },
      { $or: [{ at: { $lt: after.at } }, { at: after.at, _id: { $lt: after.id } }] },
    ],
  };
};

/** Conditions that the index does not support, checked on the lines that the scan reads. */
export const residualFilter = (
  { type, outcome, source, text }: CommandLogQuery,
  keySets: KeySets,
): Filter | undefined => {
  const conditions: Filter[] = [
    ...keySets.map((keys): Filter => ({ keys: { $in: [...keys] } })),
    ...(type === undefined ? [] : [{ type }]),
    ...(outcome === undefined || !isUnindexed(outcome) ? [] : [{ outcome }]),
    ...(source === undefined || !isUnindexed(source) ? [] : [{ source }]),
    ...(text === undefined ? [] : [containsText(text)]),
  ];
  return conditions.length > 0 ? { $and: conditions } : undefined;
};

const containsText = (text: string): Filter => {
  const expression = { $regex: escapeExpression(text), $options: 'i' };
  const fields = ['subject.name', 'subject.id', 'affected.name', 'actorName', 'requestId', '_id'];
  return { $or: fields.map((field) => ({ [field]: expression })) };
};
