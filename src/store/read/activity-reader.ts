import { LRUCache } from 'lru-cache';
import type * as mongo from 'mongodb';
import {
  type ActivityPoint,
  type ActivityReader,
  MAX_COUNTED_COMMANDS,
  type Period,
} from '../../ports/command-log.js';
import type { TenantId } from '../../domain/kernel/ids.js';
import type { LogOutcome } from '../../pipeline/commit-store.js';
import { isUnindexed, outcomeKey } from '../../pipeline/log/log-keys.js';
import { bindReads, type Reads } from '../bind-reads.js';
import type { Collections } from '../tables/collections.js';
import { readCounter } from './tenant-readers.js';

const HOUR_MS = 3_600_000;
/** Time limit of a count. */
const MAX_TIME_MS = 2_000;
/** Concurrent counts: a chart must not take the connections of requests. */
const CONCURRENT = 4;
/** A command appears in the log some time after it was decided. */
const SETTLED_MS = 60_000;
/** Steps that are remembered: 24 tenants with a week each. */
const MAX_CACHED = 4_096;

const TIME_INDEX = { tenant: 1, at: -1, _id: -1 } as const;
const KEY_INDEX = { tenant: 1, keys: 1, at: -1, _id: -1 } as const;

type Counts = Omit<ActivityPoint, 'at'>;

const NOTHING: Counts = { applied: 0, unchanged: 0, refused: 0, failed: 0, events: 0 };

const add = (one: Counts, other: Counts): Counts => ({
  applied: one.applied + other.applied,
  unchanged: one.unchanged + other.unchanged,
  refused: one.refused + other.refused,
  failed: one.failed + other.failed,
  events: one.events + other.events,
});

const startsOf = ({ from, until }: Period, stepMs: number): readonly number[] =>
  Array.from(
    { length: Math.max(0, Math.ceil((until.getTime() - from.getTime()) / stepMs)) },
    (_, step) => from.getTime() + step * stepMs,
  );

const partsOf = (
  collections: Pick<Collections, 'commandLog' | 'events' | 'tenantState' | 'database'>,
  now: () => Date,
) => ({
  collections,
  settled: new LRUCache<string, Counts>({ max: MAX_CACHED }),
  positions: new LRUCache<string, number>({ max: MAX_CACHED }),
  isSettled: (time: number): boolean => time < now().getTime() - SETTLED_MS,
});

type Parts = ReturnType<typeof partsOf>;

/** The command, because the driver's other counts read the documents. */
const countIn = async (
  { commandLog, database }: Parts['collections'],
  query: mongo.BSON.Document,
  hint: mongo.BSON.Document,
): Promise<number> => {
  const { n } = await database.command({
    count: commandLog.collectionName,
    query,
    hint,
    limit: MAX_COUNTED_COMMANDS,
    maxTimeMS: MAX_TIME_MS,
  });
  return Number(n);
};

const count = (
  { collections }: Parts,
  tenant: TenantId,
  outcome: LogOutcome | null,
  { from, until }: Period,
): Promise<number> => {
  const at = { $gte: from, $lt: until };
  return outcome === null
    ? countIn(collections, { tenant, at }, TIME_INDEX)
    : countIn(collections, { tenant, keys: outcomeKey(outcome), at }, KEY_INDEX);
};

const isBefore = async (
  { events }: Parts['collections'],
  tenantId: TenantId,
  seq: number,
  time: number,
): Promise<boolean> => {
  // Expired events leave gaps.
  const [event] = await events
    .find({ tenant: tenantId, seq: { $gte: seq } }, { projection: { at: 1 } })
    .sort({ seq: 1 })
    .limit(1)
    .toArray();
  return event !== undefined && event.at.getTime() < time;
};

/** The position of the last event before this time, given that of an earlier one: a search in growing steps, then by halves. */
const lastBefore = async (
  { collections, positions, isSettled }: Parts,
  tenantId: TenantId,
  time: number,
  { from, last }: { readonly from: number; readonly last: number },
): Promise<number> => {
  const key = `${tenantId} ${time}`;
  const known = positions.get(key);
  if (known !== undefined) return known;
  let low = from;
  let step = 1;
  while (low + step <= last && (await isBefore(collections, tenantId, low + step, time))) {
    low += step;
    step *= 2;
  }
  let high = Math.min(low + step, last + 1);
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (await isBefore(collections, tenantId, middle, time)) low = middle;
    else high = middle;
  }
  if (isSettled(time)) positions.set(key, low);
  return low;
};

const commandsIn = async (
  parts: Parts,
  tenantId: TenantId,
  period: Period,
): Promise<Omit<Counts, 'events'>> => {
  const total = await count(parts, tenantId, null, period);
  if (total === 0) return NOTHING;
  const unchanged = await count(parts, tenantId, 'no-op', period);
  const refused = await count(parts, tenantId, 'refused', period);
  const failed = await count(parts, tenantId, 'failed', period);
  return {
    applied: Math.max(0, total - unchanged - refused - failed),
    unchanged,
    refused,
    failed,
  };
};

/** Starts and ends of steps, in order. */
const boundaries = (
  steps: readonly { readonly start: number }[],
  stepMs: number,
): readonly number[] =>
  [...new Set(steps.flatMap(({ start }) => [start, start + stepMs]))].sort(
    (one, other) => one - other,
  );

/** The counts of steps, each at most an hour long. */
const readSteps = async (
  parts: Parts,
  tenantId: TenantId,
  starts: readonly number[],
  stepMs: number,
): Promise<readonly Counts[]> => {
  const { collections, settled, isSettled } = parts;
  const keyOf = (start: number): string => `${tenantId} ${start} ${stepMs}`;
  const found = starts.map((start) => settled.get(keyOf(start)));
  const missing = starts.flatMap((start, at) => (found[at] ? [] : [{ start, at }]));
  if (missing.length === 0) return found.map((counts) => counts ?? NOTHING);
  const last = await readCounter(collections, tenantId, 'seq');
  let from = 0;
  const before = new Map<number, number>();
  for (const time of boundaries(missing, stepMs)) {
    from = await lastBefore(parts, tenantId, time, { from, last });
    before.set(time, from);
  }
  const queue = [...missing];
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const { start, at } = next;
      const end = start + stepMs;
      const period = { from: new Date(start), until: new Date(end) };
      const commands = await commandsIn(parts, tenantId, period);
      const counts = { ...commands, events: (before.get(end) ?? 0) - (before.get(start) ?? 0) };
      found[at] = counts;
      if (isSettled(end)) settled.set(keyOf(start), counts);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT }, work));
  return found.map((counts) => counts ?? NOTHING);
};

const READS: Reads<ActivityReader, Parts> = {
  count: (parts, tenantId, outcome, period) => {
    if (isUnindexed(outcome)) throw new Error(`The outcome ${outcome} has no index.`);
    return count(parts, tenantId, outcome, period);
  },
  points: async (parts, tenantId, { stepMs, ...period }) => {
    const fine = Math.min(stepMs, HOUR_MS);
    const starts = startsOf(period, fine);
    const counts = await readSteps(parts, tenantId, starts, fine);
    const perPoint = stepMs / fine;
    return startsOf(period, stepMs).map((start, point) => ({
      at: new Date(start),
      ...counts.slice(point * perPoint, (point + 1) * perPoint).reduce(add, NOTHING),
    }));
  },
};

/**
 * Counts of the provisioning log. Commands are counted in its indexes, without reading entries. Events
 * are not counted at all: their number is the difference of their positions in the event log. Past
 * hours do not change and are remembered.
 */
export const mongoActivityReader = (...given: Parameters<typeof partsOf>): ActivityReader =>
  bindReads<ActivityReader, Parts>(READS, partsOf(...given));
