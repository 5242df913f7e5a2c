/**
 * Members of an SMS list are listed in the order in which they came. Each has a place in it, and the
 * list keeps for every stretch of places how many still stand in it: any page is found by adding up
 * stretches and skipping less than one, however many members there are.
 */
import { countBySegment, findInSegments, type SegmentPosition } from './order-of-creation.js';

/** Less than users' stretches: what is skipped in one is a good part of what a page costs. */
const SEGMENT_SIZE = 512;

/** The number of a member's stretch, as the database works it out. */
export const SMS_SEGMENT_OF_PLACE = { $floor: { $divide: ['$place', SEGMENT_SIZE] } };

/** How the counts of the stretches change, by their numbers. */
export const countBySmsSegment = (moved: {
  readonly added: readonly number[];
  readonly removed: readonly number[];
}): Readonly<Record<string, number>> => countBySegment(SEGMENT_SIZE, moved);

/** Where to begin so that `offset` members are passed over. */
export const findSmsMemberPosition = (
  segments: Readonly<Record<string, number>>,
  offset: number,
): SegmentPosition => findInSegments(SEGMENT_SIZE, segments, offset);
