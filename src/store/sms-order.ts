/**
 * Members of an SMS list are listed in the order in which they came. Each has a place in it, and the
 * list keeps for every stretch of places how many still stand in it: any page is found by adding up
 * stretches and skipping less than one, however many members there are.
 */
import { countPlaces, findPlaceBy, type Place } from './order-of-creation.js';

/** Less than users' stretches: what is skipped in one is a good part of what a page costs. */
const STRETCH = 512;

/** The number of a member's stretch, as the database works it out. */
export const SMS_STRETCH_OF_PLACE = { $floor: { $divide: ['$place', STRETCH] } };

/** How the counts of the stretches change, by their numbers. */
export const countSmsPlaces = (moved: {
  readonly came: readonly number[];
  readonly went: readonly number[];
}): Readonly<Record<string, number>> => countPlaces(STRETCH, moved);

/** Where to begin so that `offset` members are passed over. */
export const findSmsPlace = (stretches: Readonly<Record<string, number>>, offset: number): Place =>
  findPlaceBy(STRETCH, stretches, offset);
