/** How long to rest after so many failures in a row: doubling, with ±20 % jitter, and bounded. */
export const backoffMs = (
  failures: number,
  { firstMs, maxMs }: { readonly firstMs: number; readonly maxMs: number },
  random: () => number,
): number => Math.min(maxMs, firstMs * 2 ** Math.min(failures, 30)) * (0.8 + 0.4 * random());
