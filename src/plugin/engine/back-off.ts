/** How long to rest after so many failures in a row: doubling, with ±20 % jitter, and bounded. */
export const backOff = (
  failures: number,
  { firstMs, mostMs }: { readonly firstMs: number; readonly mostMs: number },
  random: () => number,
): number => Math.min(mostMs, firstMs * 2 ** Math.min(failures, 30)) * (0.8 + 0.4 * random());
