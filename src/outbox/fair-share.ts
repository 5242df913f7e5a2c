export interface ShareLimits {
  /** Maximum number of items. */
  readonly limit: number;
  /** Maximum number of items per key while other keys have more. */
  readonly share: number;
  /** Maximum number of items of this key. */
  readonly capacityOf: (key: string) => number;
}

/**
 * Takes items so that no key fills the batch: first up to `share` per key, then more up to the limit;
 * always the oldest. `crowded` has the keys with more items.
 */
export const takeFairly = <Item extends { readonly key: string }>(
  oldestFirst: readonly Item[],
  { limit, share, capacityOf }: ShareLimits,
): { readonly taken: readonly Item[]; readonly crowded: ReadonlySet<string> } => {
  const counts = new Map<string, number>();
  const chosen = new Set<Item>();
  const choose = (most: (key: string) => number): void => {
    for (const item of oldestFirst) {
      const count = counts.get(item.key) ?? 0;
      if (chosen.size >= limit || chosen.has(item) || count >= most(item.key)) continue;
      counts.set(item.key, count + 1);
      chosen.add(item);
    }
  };
  choose((key) => Math.min(share, capacityOf(key)));
  choose(capacityOf);
  return {
    taken: oldestFirst.filter((item) => chosen.has(item)),
    crowded: new Set(oldestFirst.filter((item) => !chosen.has(item)).map((item) => item.key)),
  };
};
