/**
 * Users are listed by creation, members of an SMS list by the order in which they were added. Each
 * has a number in that order, and the tenant's state or the list counts how many of each segment of
 * numbers still exist. A page is found by adding up segments and skipping less than one, however
 * many come before it (decision 0003).
 */

/** The field of these counts. The first releases' name: gateways of two versions may share a database. */
export const SEGMENTS = 'stretches';

/** Numbers of one segment: shorter for members, where skipping is a large part of a page's cost. */
export const USER_SEGMENT = 4_096;
export const SMS_SEGMENT = 512;

/** How many entities each segment has, by the segment's index. */
export type SegmentCounts = Readonly<Record<string, number>>;

/** Numbers of entities that are added and removed. */
interface Moved {
  readonly added?: readonly number[];
  readonly removed?: readonly number[];
}

/** The changes of the counts, by the segment's index. */
export const countBySegment = (
  segmentSize: number,
  { added = [], removed = [] }: Moved,
): SegmentCounts => {
  const counts: Record<string, number> = {};
  const count = (number: number, by: number): void => {
    const segment = Math.floor(number / segmentSize);
    counts[segment] = (counts[segment] ?? 0) + by;
  };
  for (const number of added) count(number, 1);
  for (const number of removed) count(number, -1);
  return counts;
};

/** Changes of the counts for `$inc`. */
export const segmentIncrements = (counts: SegmentCounts): SegmentCounts =>
  Object.fromEntries(Object.entries(counts).map(([segment, by]) => [`${SEGMENTS}.${segment}`, by]));

/** The number that a page is read from, and how many entities from there on are skipped. */
export interface SegmentPosition {
  readonly from: number;
  readonly skip: number;
}

export const findInSegments = (
  segmentSize: number,
  counts: SegmentCounts,
  offset: number,
): SegmentPosition => {
  let left = offset;
  const inOrder = Object.entries(counts)
    .map(([segment, count]) => [Number(segment), count] as const)
    .sort(([one], [other]) => one - other);
  for (const [segment, count] of inOrder) {
    if (left < count) return { from: segment * segmentSize, skip: left };
    left -= count;
  }
  return { from: Number.MAX_SAFE_INTEGER, skip: 0 };
};
