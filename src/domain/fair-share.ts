export interface ShareLimits {
  /** How many are taken in all. */
  readonly limit: number;
  /** How many of one key come before those of the others. */
  readonly share: number;
  /** How many of this key can be taken at all. */
  readonly roomOf: (key: string) => number;
}

/**
 * Takes from a queue so that no key fills the batch: first up to a share of each key, then, where
 * there is room left, more of the crowded ones; always the oldest. Says which keys had more.
 */
export const takeFairly = <Item extends { readonly key: string }>(
  oldestFirst: readonly Item[],
  { limit, share, roomOf }: ShareLimits,
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
  choose((key) => Math.min(share, roomOf(key)));
  choose(roomOf);
  return {
    taken: oldestFirst.filter((item) => chosen.has(item)),
    crowded: new Set(oldestFirst.filter((item) => !chosen.has(item)).map((item) => item.key)),
  };
};
