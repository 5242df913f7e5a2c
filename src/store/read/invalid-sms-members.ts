import { LRUCache } from 'lru-cache';
import type * as mongo from 'mongodb';
import type { TenantId } from '../../domain/kernel/ids.js';
import type { Collections } from '../tables/collections.js';
import type { SearchLimits, TimeBudget } from './search-limits.js';
import type { SmsListDocument, SmsMemberDocument } from '../tables/sms-lists.js';
import { type SegmentCounts, SMS_SEGMENT } from '../tables/segments.js';

/** How many members of a list are not valid at a time, and in which segments. */
export interface InvalidMembers {
  readonly total: number;
  readonly bySegment: SegmentCounts;
}

/**
 * Correct for one version of a list, from the time it was counted until the next window starts or
 * ends.
 */
interface CachedCount extends InvalidMembers {
  readonly version: number;
  readonly from: Date;
  readonly until: Date | null;
}

/** A list as it was read in a session. */
export interface ListView {
  readonly collections: Collections;
  readonly session: mongo.ClientSession;
  readonly list: SmsListDocument;
}

/** Lists whose counts are cached: each takes a few kilobytes. */
const MAX_CACHED = 200;

interface GroupedCounts {
  readonly segments: readonly number[];
  readonly counts: readonly number[];
}

/** In one document: the driver takes several times as long for one per segment. */
const GROUP_BY_SEGMENT: readonly mongo.Document[] = [
  { $group: { _id: { $floor: { $divide: ['$place', SMS_SEGMENT] } }, n: { $sum: 1 } } },
  { $group: { _id: null, segments: { $push: '$_id' }, counts: { $push: '$n' } } },
];

const countBySegment = async (
  { collections: { smsMembers }, session, list: { tenant, _id: id } }: ListView,
  condition: mongo.Filter<SmsMemberDocument>,
  maxTimeMS: number,
): Promise<GroupedCounts> => {
  const [counted] = await smsMembers
    .aggregate<GroupedCounts>(
      [{ $match: { tenant, list: id, ...condition } }, ...GROUP_BY_SEGMENT],
      { session, maxTimeMS },
    )
    .toArray();
  return counted ?? { segments: [], counts: [] };
};

interface Edge {
  readonly edge: 'starts' | 'ends';
  readonly after: Date;
  readonly maxTimeMS: number;
}

/** When the first window after a time starts, or ends. */
const findNext = async (
  { collections: { smsMembers }, session, list: { tenant, _id: id } }: ListView,
  { edge, after, maxTimeMS }: Edge,
): Promise<readonly Date[]> => {
  const found = await smsMembers
    .find(
      { tenant, list: id, [edge]: { $gt: after } },
      { session, projection: { _id: 0, [edge]: 1 }, maxTimeMS },
    )
    .sort({ [edge]: 1 })
    .limit(1)
    .toArray();
  return found.flatMap(({ [edge]: at }) => at ?? []);
};

const addUp = (counted: readonly GroupedCounts[]): InvalidMembers => {
  const bySegment: Record<string, number> = {};
  let total = 0;
  for (const { segments, counts } of counted)
    for (const [at, segment] of segments.entries()) {
      const n = counts[at] ?? 0;
      bySegment[segment] = (bySegment[segment] ?? 0) + n;
      total += n;
    }
  return { total, bySegment };
};

/** A window starts before it ends, so no member is counted twice. */
const count = async (view: ListView, at: Date, { left }: TimeBudget): Promise<CachedCount> => {
  const maxTimeMS = left();
  const [counted, edges] = await Promise.all([
    Promise.all([
      countBySegment(view, { starts: { $gt: at } }, maxTimeMS),
      countBySegment(view, { ends: { $lte: at } }, maxTimeMS),
    ]),
    Promise.all([
      findNext(view, { edge: 'starts', after: at, maxTimeMS }),
      findNext(view, { edge: 'ends', after: at, maxTimeMS }),
    ]),
  ]);
  const [next] = edges.flat().sort((one, other) => one.getTime() - other.getTime());
  return { ...addUp(counted), version: view.list.v, from: at, until: next ?? null };
};

const isValidFor = ({ version, from, until }: CachedCount, list: SmsListDocument, at: Date) =>
  version === list.v && from <= at && (until === null || at < until);

export type CountInvalidMembers = (view: ListView, at: Date) => Promise<InvalidMembers>;

/**
 * Counts the invalid members of a list. Only they are read, from an index, and later pages do not
 * count again: every change of the members is a new version of the list, so the count stays correct
 * until the next window starts or ends.
 */
export const createInvalidMemberCounter = (limits: SearchLimits): CountInvalidMembers => {
  const cached = new LRUCache<string, CachedCount>({ max: MAX_CACHED });
  /** Requests that arrive during a count wait for it, so that each list is counted once. */
  const counting = new Map<string, Promise<CachedCount>>();

  const countOnce = (view: ListView, at: Date): Promise<CachedCount> => {
    const { tenant, _id: id, memberCount } = view.list;
    const search = {
      tenantId: tenant as TenantId,
      cost: 'presence',
      size: () => Promise.resolve(memberCount),
      resourceName: 'numbers',
      indexed: 'nothing further',
    } as const;
    const counted = limits.run(search, (budget) => count(view, at, budget));
    counting.set(id, counted);
    const ended = (): void => {
      if (counting.get(id) === counted) counting.delete(id);
    };
    counted.then((known) => cached.set(id, known)).then(ended, ended);
    return counted;
  };

  return async (view, at) => {
    const { list } = view;
    const known = cached.get(list._id) ?? (await counting.get(list._id)?.catch(() => undefined));
    return known && isValidFor(known, list, at) ? known : countOnce(view, at);
  };
};
