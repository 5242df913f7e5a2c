/** What can be said of a few measurements of the same thing. */
export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

const ascending = (values: readonly number[]): readonly number[] =>
  [...values].sort((one, other) => one - other);

/** The value below which the share of all lies, 0 to 1; NaN where there is none. */
export const quantile = (values: readonly number[], share: number): number => {
  const sorted = ascending(values);
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)] ?? NaN;
  const above = sorted[Math.ceil(place)] ?? NaN;
  return below + (above - below) * (place - Math.floor(place));
};

export const median = (values: readonly number[]): number => quantile(values, 0.5);

export const spreadOf = (values: readonly number[]): Spread => ({
  median: median(values),
  least: quantile(values, 0),
  most: quantile(values, 1),
});

/**
 * One series over another, round by round. Neighbours' load moves absolute rates by several times,
 * and two that ran in the same round alike: only this ratio means something.
 */
export const ratioOf = (series: readonly number[], other: readonly number[]): Spread => {
  const rounds = Math.min(series.length, other.length);
  return spreadOf(series.slice(0, rounds).map((value, round) => value / (other[round] ?? NaN)));
};
