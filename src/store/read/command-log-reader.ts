import type * as mongo from 'mongodb';
import type { CommandLogQuery, CommandLogReader, LogPosition } from '../../ports/command-log.js';
import { fold } from '../../domain/kernel/names.js';
import { parseUserId, type TenantId } from '../../domain/kernel/ids.js';
import {
  actorKey,
  affectedKey,
  isUnindexed,
  outcomeKey,
  requestKey,
  setupKey,
  sourceKey,
  subjectKey,
  SETUP_COMMANDS,
  SKIPPED_KEY,
  triedKey,
} from '../../pipeline/log/log-keys.js';
import { guarded } from '../database-errors.js';
import type { Collections } from '../tables/collections.js';
import { fromCommandLogDocument, type CommandLogDocument } from '../tables/command-log.js';
import { HINTS } from '../tables/deliveries.js';
import { escapeExpression } from './filter-query.js';
import { readDocuments } from '../read-documents.js';
import { startsWith } from './similar-names.js';
import type { CommandLogEntry } from '../../pipeline/commit-store.js';

/** Time limit of a page. */
const MAX_TIME_MS = 2_000;
/** Refused attempts that are read at once. */
const MAX_TRIED = 100;
/** Lines that one page examines; the next page continues from there. */
const MAX_EXAMINED = 5_000;

const BY_TIME = { at: -1, _id: -1 } as const;
const OLDEST_FIRST = { at: 1, _id: 1 } as const;
const TIME_INDEX = { tenant: 1, at: -1, _id: -1 } as const;
const UNAPPLIED_INDEX = { tenant: 1, unappliedSeq: 1 } as const;
/** Nothing that a change of primary could undo: a reader would continue after what is gone. */
const SURE_READ = { readConcern: { level: 'majority' }, maxTimeMS: MAX_TIME_MS } as const;
const KEY_INDEX = { tenant: 1, keys: 1, at: -1, _id: -1 } as const;

type Filter = mongo.Filter<CommandLogDocument>;

/** Sets of index terms, of each of which a line must have one; the most selective set first. */
type KeySets = readonly (readonly string[])[];

/** Reads of the provisioning log, newest first. */
export const mongoCommandLogReader = (
  { commandLog, deliveries, logEnds, tenantState, users }: Collections,
  maxExamined = MAX_EXAMINED,
): CommandLogReader => {
  /**
   * Affected users are indexed by id; only the subject is also indexed by its name of that time.
   */
  const keysOfAffected = async (tenantId: TenantId, user: string): Promise<readonly string[]> => {
    const given = parseUserId(user);
    const findBy = (condition: object) =>
      users.findOne({ tenant: tenantId, ...condition }, { projection: { _id: 1 } });
    // Alternatives in one query would not use their indexes, which are partial.
    const found = given
      ? []
      : await Promise.all([
          findBy({ 'folded.userName': fold(user) }),
          findBy({ 'folded.email': fold(user) }),
        ]);
    const id = given ?? found.find((one) => one !== null)?._id;
    return [...new Set([subjectKey(user), ...(id ? [subjectKey(id), affectedKey(id)] : [])])];
  };

  const keySetsOf = async (tenantId: TenantId, query: CommandLogQuery): Promise<KeySets> => {
    const { requestId, subject, affected, touching = [], actor, outcome, source, skipped } = query;
    return [
      ...(requestId === undefined ? [] : [[requestKey(requestId)]]),
      ...(skipped ? [[SKIPPED_KEY]] : []),
      ...(subject === undefined ? [] : [[subjectKey(subject)]]),
      ...(affected === undefined ? [] : [await keysOfAffected(tenantId, affected)]),
      ...touching.map((id) => [subjectKey(id), affectedKey(id)]),
      ...(outcome === undefined || isUnindexed(outcome) ? [] : [[outcomeKey(outcome)]]),
      ...(source === undefined || isUnindexed(source) ? [] : [[sourceKey(source)]]),
      ...(actor === undefined ? [] : [keysOfActor(actor)]),
    ];
  };

  /**
   * Adds the number of deliveries of each entry's events. Entries of earlier versions have the
   * number that was planned.
   */
  const withDeliveries = async (
    tenant: TenantId,
    entries: readonly CommandLogEntry[],
  ): Promise<readonly CommandLogEntry[]> => {
    const ranges = entries.flatMap(({ events, deliveries: planned }) =>
      events && planned === 0 ? [{ seq: { $gte: events[0], $lte: events[1] } }] : [],
    );
    if (ranges.length === 0) return entries;
    const counts = await deliveries
      .aggregate<{ readonly _id: number; readonly count: number }>(
        [{ $match: { tenant, $or: ranges } }, { $group: { _id: '$seq', count: { $sum: 1 } } }],
        { hint: HINTS.byEvent, maxTimeMS: MAX_TIME_MS },
      )
      .toArray();
    return entries.map((entry) => {
      const [first, last] = entry.events ?? [1, 0];
      const own = counts.filter(({ _id }) => _id >= first && _id <= last);
      return {
        ...entry,
        deliveries: own.reduce((sum, { count }) => sum + count, entry.deliveries),
      };
    });
  };

  /** Covered by the index: it reads no entries. */
  const findPositions = async (filter: Filter, limit: number): Promise<LogPosition[]> => {
    const found = await commandLog
      .find(filter, {
        hint: TIME_INDEX,
        projection: { _id: 1, at: 1 },
        maxTimeMS: MAX_TIME_MS,
        batchSize: limit + 1,
      })
      .sort(OLDEST_FIRST)
      .limit(limit)
      .toArray();
    return found.map(positionOf);
  };

  return guarded<CommandLogReader>({
    find: async (tenantId, id) => {
      const found = await commandLog.findOne({ _id: id, tenant: tenantId });
      const [entry] = found ? await withDeliveries(tenantId, [fromCommandLogDocument(found)]) : [];
      return entry;
    },
    ends: async (tenantIds) => {
      const ids = { _id: { $in: [...tenantIds] } };
      const [states, counts] = await Promise.all([
        tenantState.find(ids, { ...SURE_READ, projection: { at: 1 } }).toArray(),
        logEnds.find(ids, { ...SURE_READ, projection: { unapplied: 1 } }).toArray(),
      ]);
      const unapplied = new Map(counts.map((count) => [count._id, count.unapplied]));
      return new Map(
        states.map(({ _id, at }) => [
          _id as TenantId,
          { committedAt: at, unapplied: unapplied.get(_id) ?? 0 },
        ]),
      );
    },
    unapplied: async (tenantId, { after, limit }) => {
      const cursor = commandLog
        .find(
          { tenant: tenantId, unappliedSeq: { $gt: after } },
          { hint: UNAPPLIED_INDEX, maxTimeMS: MAX_TIME_MS, batchSize: limit + 1 },
        )
        .sort({ unappliedSeq: 1 })
        .limit(limit);
      const found = await readDocuments(cursor, tenantId);
      return found.map(fromCommandLogDocument);
    },
    positions: async (tenantId, { after, until, limit }) => {
      // One query with $or would read the entries.
      const same = await findPositions(
        { tenant: tenantId, at: after.at, _id: { $gt: after.id } },
        limit,
      );
      if (same.length === limit) return same;
      const later = { tenant: tenantId, at: { $gt: after.at, $lte: until } };
      return [...same, ...(await findPositions(later, limit - same.length))];
    },
    tried: async (tenantId, beginning) => {
      const cursor = commandLog
        .find(
          { tenant: tenantId, keys: { $elemMatch: startsWith(triedKey(beginning)) } },
          { hint: KEY_INDEX, maxTimeMS: MAX_TIME_MS, batchSize: MAX_TRIED + 1 },
        )
        .limit(MAX_TRIED);
      const found = (await readDocuments(cursor, tenantId)).map(fromCommandLogDocument);
      const last = new Map<string, CommandLogEntry>();
      for (const entry of found.sort((one, other) => one.at.getTime() - other.at.getTime()))
        last.set(`${entry.type} ${fold(entry.subject?.name ?? '')}`, entry);
      return [...last.values()].sort((one, other) => other.at.getTime() - one.at.getTime());
    },
    setupOf: async (tenantId, keyId) => {
      const find = (keys: string, sort: mongo.Sort) =>
        commandLog.findOne(
          { tenant: tenantId, keys },
          { sort, hint: KEY_INDEX, maxTimeMS: MAX_TIME_MS },
        );
      const found = await Promise.all(
        SETUP_COMMANDS.flatMap((step) => [
          find(setupKey(step, keyId, true), OLDEST_FIRST),
          find(setupKey(step, keyId, false), BY_TIME),
        ]),
      );
      return found
        .filter((document) => document !== null)
        .map(fromCommandLogDocument)
        .sort((one, other) => other.at.getTime() - one.at.getTime());
    },
    findAll: async (tenantId, ids) => {
      if (ids.length === 0) return [];
      const cursor = commandLog.find(
        { _id: { $in: [...ids] }, tenant: tenantId },
        { maxTimeMS: MAX_TIME_MS, batchSize: ids.length + 1 },
      );
      const found = await readDocuments(cursor, tenantId);
      const order = new Map(ids.map((id, at) => [id, at]));
      const orderOf = ({ _id }: CommandLogDocument): number => order.get(_id) ?? 0;
      return found.sort((one, other) => orderOf(one) - orderOf(other)).map(fromCommandLogDocument);
    },
    page: async (tenantId, query) => {
      const [first, ...others] = await keySetsOf(tenantId, query);
      const indexed: Filter = {
        tenant: tenantId,
        ...(first && { keys: { $in: [...first] } }),
        ...windowOf(query),
      };
      const options = { hint: first ? KEY_INDEX : TIME_INDEX, maxTimeMS: MAX_TIME_MS };
      const residual = residualFilter(query, others);
      // Without further conditions every line that is examined belongs to the page.
      const end = residual && (await findScanEnd(indexed, options));
      const wanted = residual ? { $and: [indexed, end ? upTo(end) : {}, residual] } : indexed;
      const cursor = commandLog
        .find(wanted, { ...options, batchSize: query.limit + 2 })
        .sort(BY_TIME)
        .limit(query.limit + 1);
      const found = await readDocuments(cursor, tenantId);
      const page = found.slice(0, query.limit);
      const last = page.at(-1);
      const next = found.length > query.limit && last ? positionOf(last) : end;
      const entries = await withDeliveries(tenantId, page.map(fromCommandLogDocument));
      return { entries, ...(next && { next }) };
    },
  });

  /** The last line that a page may examine, read from the index; undefined if there are fewer. */
  async function findScanEnd(
    indexed: Filter,
    options: { readonly hint: object; readonly maxTimeMS: number },
  ): Promise<LogPosition | undefined> {
    const [last] = await commandLog
      .find(indexed, { ...options, projection: { at: 1 } })
      .sort(BY_TIME)
      .skip(maxExamined - 1)
      .limit(1)
      .toArray();
    return last && positionOf(last);
  }
};

const positionOf = ({ at, _id }: Pick<CommandLogDocument, 'at' | '_id'>): LogPosition => ({
  at,
  id: _id,
});

/** A name without its kind may be an operator, a connector or the gateway itself. */
const keysOfActor = (actor: string): readonly string[] =>
  actor.includes(':')
    ? [actorKey(actor)]
    : ['', 'operator:', 'connector:', 'system:'].map((kind) => actorKey(kind + actor));

/** Lines up to and including this position, in the order of the scan. */
const upTo = ({ at, id }: LogPosition): Filter => ({
  $or: [{ at: { $gt: at } }, { at, _id: { $gte: id } }],
});

const windowOf = ({ since, until, after }: CommandLogQuery): Filter => {
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
const residualFilter = (
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
