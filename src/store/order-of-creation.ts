/**
 * Users are listed by creation. Each has a place in that order, and the tenant's state keeps for
 * every stretch of places how many users still stand in it: any page is found by adding up
 * stretches and skipping less than one, however many users there are.
 */
const STRETCH = 4_096;

interface Moved {
  readonly came?: readonly number[];
  readonly went?: readonly number[];
}

type Counts = Readonly<Record<string, number>>;

/** How the counts of stretches of this length change, by their numbers; by the places of who moved. */
export const countPlaces = (stretch: number, { came = [], went = [] }: Moved): Counts => {
  const by: Record<string, number> = {};
  const count = (place: number, entities: number): void => {
    const number = Math.floor(place / stretch);
    by[number] = (by[number] ?? 0) + entities;
  };
  for (const place of came) count(place, 1);
  for (const place of went) count(place, -1);
  return by;
};

/** How the counts of the stretches change, for `$inc`; by the ordinals of who came and who went. */
export const countStretches = (moved: Moved): Counts =>
  Object.fromEntries(
    Object.entries(countPlaces(STRETCH, moved)).map(([number, by]) => [`stretches.${number}`, by]),
  );

/** A place to start from and what is left to skip. */
export interface Place {
  readonly from: number;
  readonly skip: number;
}

export const findPlaceBy = (stretch: number, stretches: Counts, offset: number): Place => {
  let left = offset;
  const inOrder = Object.entries(stretches)
    .map(([number, count]) => [Number(number), count] as const)
    .sort(([one], [other]) => one - other);
  for (const [number, count] of inOrder) {
    if (left < count) return { from: number * stretch, skip: left };
    left -= count;
  }
  return { from: Number.MAX_SAFE_INTEGER, skip: 0 };
};

/** Where to begin so that `offset` users are passed over. */
export const findPlace = (stretches: Counts, offset: number): Place =>
  findPlaceBy(STRETCH, stretches, offset);
