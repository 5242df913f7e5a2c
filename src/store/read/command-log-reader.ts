import type * as mongo from 'mongodb';
import type { CommandLogReader, LogPosition } from '../../ports/command-log.js';
import { fold } from '../../domain/kernel/names.js';
import type { TenantId } from '../../domain/kernel/ids.js';
import { SETUP_COMMANDS, setupKey, triedKey } from '../../pipeline/log/log-keys.js';
import type { CommandLogEntry } from '../../pipeline/commit-store.js';
import { bindReads, type Reads } from '../bind-reads.js';
import type { Collections } from '../tables/collections.js';
import { fromCommandLogDocument, type CommandLogDocument } from '../tables/command-log.js';
import { HINTS } from '../tables/deliveries.js';
import { keySetsOf, residualFilter, upTo, windowOf } from './command-log-query.js';
import { entitiesIn } from './entities.js';
import { startsWith } from './similar-names.js';

/** Time limit of a page. */
const MAX_TIME_MS = 2_000;
/** Refused attempts that are read at once. */
const MAX_TRIED = 100;
/** Lines that one page examines; the next page continues from there. */
const MAX_EXAMINED = 5_000;

const NEWEST_FIRST = { at: -1, _id: -1 } as const;
const OLDEST_FIRST = { at: 1, _id: 1 } as const;
const TIME_INDEX = { tenant: 1, at: -1, _id: -1 } as const;
const KEY_INDEX = { tenant: 1, keys: 1, at: -1, _id: -1 } as const;
const BOUNDED = { maxTimeMS: MAX_TIME_MS } as const;
/** Nothing that a change of primary could undo: a reader would continue after what is gone. */
const SURE_READ = { readConcern: { level: 'majority' }, ...BOUNDED } as const;

const POSITIONS = { ...BOUNDED, projection: { _id: 1, at: 1 } } as const;

type Filter = mongo.Filter<CommandLogDocument>;

const positionOf = ({ at, _id: id }: Pick<CommandLogDocument, 'at' | '_id'>): LogPosition => ({
  at,
  id,
});

const partsOf = (collections: Collections, maxExamined: number) => ({
  collections,
  maxExamined,
  lines: entitiesIn(collections.commandLog, fromCommandLogDocument, BOUNDED),
  /** Covered by the indexes of times: no entries are read. */
  positions: entitiesIn(collections.commandLog, positionOf, POSITIONS),
});

type Parts = ReturnType<typeof partsOf>;

const byTime = (one: CommandLogEntry, other: CommandLogEntry): number =>
  one.at.getTime() - other.at.getTime();

/**
 * Adds the number of deliveries of each entry's events. Entries of earlier versions have the
 * number that was planned.
 */
const withDeliveries = async (
  { deliveries }: Collections,
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

/** A page of the lines that match, by the index of keys or of times. */
const readPage: Reads<CommandLogReader, Parts>['page'] = async (parts, tenantId, query) => {
  const { collections, lines, positions, maxExamined } = parts;
  const { limit } = query;
  const [first, ...others] = await keySetsOf(collections, tenantId, query);
  const indexed: Filter = { ...(first && { keys: { $in: [...first] } }), ...windowOf(query) };
  const order = { hint: first ? KEY_INDEX : TIME_INDEX, sort: NEWEST_FIRST };
  const residual = residualFilter(query, others);
  // Without further conditions every line that is examined belongs to the page.
  const end =
    residual && (await positions.one(tenantId, indexed, { ...order, skip: maxExamined - 1 }));
  const wanted = residual ? { $and: [indexed, end ? upTo(end) : {}, residual] } : indexed;
  const found = await lines.all(tenantId, wanted, { ...order, limit: limit + 1 });
  const page = found.slice(0, limit);
  const last = page.at(-1);
  const next = found.length > limit && last ? { at: last.at, id: last.id } : end;
  return { entries: await withDeliveries(collections, tenantId, page), ...(next && { next }) };
};

/** Reads of the end of the log, by position or number. */
const END_READS: Pick<Reads<CommandLogReader, Parts>, 'ends' | 'unapplied' | 'positions'> = {
  ends: async ({ collections: { tenantState, logEnds } }, tenantIds) => {
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
  unapplied: ({ lines }, tenantId, { after, limit }) => {
    const order = { hint: { tenant: 1, unappliedSeq: 1 }, sort: { unappliedSeq: 1 } } as const;
    return lines.all(tenantId, { unappliedSeq: { $gt: after } }, { ...order, limit });
  },
  positions: async ({ positions }, tenantId, { after: { at, id }, until, limit }) => {
    const order = { hint: TIME_INDEX, sort: OLDEST_FIRST };
    // One query with $or would read the entries.
    const same = await positions.all(tenantId, { at, _id: { $gt: id } }, { ...order, limit });
    const left = limit - same.length;
    if (left === 0) return same;
    const later = { at: { $gt: at, $lte: until } };
    return [...same, ...(await positions.all(tenantId, later, { ...order, limit: left }))];
  },
};

const READS: Reads<CommandLogReader, Parts> = {
  ...END_READS,
  page: readPage,
  find: async ({ collections, lines }, tenantId, id) => {
    const found = await lines.all(tenantId, { _id: id });
    return (await withDeliveries(collections, tenantId, found))[0];
  },
  findAll: async ({ lines }, tenantId, ids) => {
    if (ids.length === 0) return [];
    const found = await lines.all(tenantId, { _id: { $in: [...ids] } }, { limit: ids.length });
    const byId = new Map(found.map((entry) => [entry.id as string, entry]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  },
  tried: async ({ lines }, tenantId, beginning) => {
    const found = await lines.all(
      tenantId,
      { keys: { $elemMatch: startsWith(triedKey(beginning)) } },
      { hint: KEY_INDEX, limit: MAX_TRIED },
    );
    const last = new Map<string, CommandLogEntry>();
    for (const entry of found.toSorted(byTime))
      last.set(`${entry.type} ${fold(entry.subject?.name ?? '')}`, entry);
    return [...last.values()].sort(byTime).reverse();
  },
  setupOf: async ({ lines }, tenantId, keyId) => {
    const find = (keys: string, sort: mongo.Sort) =>
      lines.one(tenantId, { keys }, { sort, hint: KEY_INDEX });
    const found = await Promise.all(
      SETUP_COMMANDS.flatMap((step) => [
        find(setupKey(step, keyId, true), OLDEST_FIRST),
        find(setupKey(step, keyId, false), NEWEST_FIRST),
      ]),
    );
    return found
      .flatMap((entry) => entry ?? [])
      .sort(byTime)
      .reverse();
  },
};

/** Reads of the provisioning log, newest first. */
export const mongoCommandLogReader = (
  collections: Collections,
  maxExamined = MAX_EXAMINED,
): CommandLogReader => bindReads<CommandLogReader, Parts>(READS, partsOf(collections, maxExamined));
