/**
 * Users are listed by creation. Each has a place in that order, and the tenant's state keeps for
 * every stretch of places how many users still stand in it: any page is found by adding up
 * stretches and skipping less than one, however many users there are.
 */
const STRETCH = 4_096;

const stretchOf = (ordinal: number): number => Math.floor(ordinal / STRETCH);

/** How the counts of the stretches change, for `$inc`; by the ordinals of who came and who went. */
export const countStretches = ({
  came = [],
  went = [],
}: {
  readonly came?: readonly number[];
  readonly went?: readonly number[];
}): Readonly<Record<string, number>> => {
  const by: Record<string, number> = {};
  const count = (ordinal: number, users: number): void => {
    const field = `stretches.${stretchOf(ordinal)}`;
    by[field] = (by[field] ?? 0) + users;
  };
  for (const ordinal of came) count(ordinal, 1);
  for (const ordinal of went) count(ordinal, -1);
  return by;
};

/** Where to begin so that `offset` users are passed over: a place to start from and what is left to skip. */
export const findPlace = (
  stretches: Readonly<Record<string, number>>,
  offset: number,
): { readonly from: number; readonly skip: number } => {
  let left = offset;
  const inOrder = Object.entries(stretches)
    .map(([stretch, count]) => [Number(stretch), count] as const)
    .sort(([one], [other]) => one - other);
  for (const [stretch, count] of inOrder) {
    if (left < count) return { from: stretch * STRETCH, skip: left };
    left -= count;
  }
  return { from: Number.MAX_SAFE_INTEGER, skip: 0 };
};
