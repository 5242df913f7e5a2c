/** The median and the range of repeated measurements. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

const ascending = (values: readonly number[]): readonly number[] =>
  [...values].sort((one, other) => one - other);

/** The quantile, interpolated; NaN without values. `share` is from 0 to 1. */
export const quantile = (values: readonly number[], share: number): number => {
  const sorted = ascending(values);
  const index = (sorted.length - 1) * share;
  const below = sorted[Math.floor(index)] ?? NaN;
  const above = sorted[Math.ceil(index)] ?? NaN;
  return below + (above - below) * (index - Math.floor(index));
};

export const median = (values: readonly number[]): number => quantile(values, 0.5);

export const spreadOf = (values: readonly number[]): Spread => ({
  median: median(values),
  min: quantile(values, 0),
  max: quantile(values, 1),
});

/**
 * The ratio of two series, round by round. Other load on the machine changes absolute rates several
 * times over, but hardly the ratios within a round.
 */
export const ratioOf = (series: readonly number[], other: readonly number[]): Spread => {
  const rounds = Math.min(series.length, other.length);
  return spreadOf(series.slice(0, rounds).map((value, round) => value / (other[round] ?? NaN)));
};
