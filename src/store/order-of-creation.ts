/**
 * Users are listed by creation. Each has a place in that order, and the tenant's state keeps for
 * every stretch of places how many users still stand in it: any page is found by adding up
 * stretches and skipping less than one, however many users there are.
 */
const SEGMENT_SIZE = 4_096;

interface Moved {
  readonly added?: readonly number[];
  readonly removed?: readonly number[];
}

type Counts = Readonly<Record<string, number>>;

/** How the counts of stretches of this length change, by their numbers; by the places of who moved. */
export const countBySegment = (
  segmentSize: number,
  { added = [], removed = [] }: Moved,
): Counts => {
  const by: Record<string, number> = {};
  const count = (position: number, entities: number): void => {
    const number = Math.floor(position / segmentSize);
    by[number] = (by[number] ?? 0) + entities;
  };
  for (const position of added) count(position, 1);
  for (const position of removed) count(position, -1);
  return by;
};

/** How the counts of the stretches change, for `$inc`; by the ordinals of who came and who went. */
export const segmentIncrements = (moved: Moved): Counts =>
  Object.fromEntries(
    Object.entries(countBySegment(SEGMENT_SIZE, moved)).map(([number, by]) => [
      `stretches.${number}`,
      by,
    ]),
  );

/** A place to start from and what is left to skip. */
export interface SegmentPosition {
  readonly from: number;
  readonly skip: number;
}

export const findInSegments = (
  segmentSize: number,
  segments: Counts,
  offset: number,
): SegmentPosition => {
  let left = offset;
  const inOrder = Object.entries(segments)
    .map(([number, count]) => [Number(number), count] as const)
    .sort(([one], [other]) => one - other);
  for (const [number, count] of inOrder) {
    if (left < count) return { from: number * segmentSize, skip: left };
    left -= count;
  }
  return { from: Number.MAX_SAFE_INTEGER, skip: 0 };
};

/** Where to begin so that `offset` users are passed over. */
export const findUserPosition = (segments: Counts, offset: number): SegmentPosition =>
  findInSegments(SEGMENT_SIZE, segments, offset);
