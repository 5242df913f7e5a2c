import type { ClaimRequest } from './outbox-claims.js';

interface ShareLimits {
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
 *
 * @internal
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

/** A due row, or a due span with the number of its remaining events. */
export interface Claimable {
  readonly id: string;
  readonly key: string;
  /** Absent for a row. */
  readonly left?: number;
}

interface Share {
  /** Number of events to claim, by id. */
  readonly events: ReadonlyMap<string, number>;
  /** Keys with more due events than the limit allows, whatever `more` adds. */
  readonly crowded: ReadonlySet<string>;
}

type Limits = Omit<ClaimRequest, 'plugin' | 'owner' | 'claim' | 'leaseMs'>;

const isSpan = ({ left }: Claimable): boolean => left !== undefined;

/**
 * Moves a key's rows before its first span. A row that is retried is due later than the span it came
 * from: if the span were expanded first, more and more rows would wait.
 */
const rowsFirst = (oldestFirst: readonly Claimable[]): readonly Claimable[] => {
  const placed = new Set<Claimable>();
  const rows = oldestFirst.filter((claimable) => !isSpan(claimable));
  const before = (span: Claimable): readonly Claimable[] =>
    rows.filter((row) => row.key === span.key && !placed.has(row));
  return oldestFirst.flatMap((claimable) => {
    if (placed.has(claimable)) return [];
    const group = isSpan(claimable) ? [...before(claimable), claimable] : [claimable];
    for (const one of group) placed.add(one);
    return group;
  });
};

/** One item per event, up to one more than the limit per key, which shows that there are more. */
const unroll = (claimables: readonly Claimable[], { limit }: Limits): readonly Claimable[] => {
  const counts = new Map<string, number>();
  return claimables.flatMap((claimable) => {
    const before = counts.get(claimable.key) ?? 0;
    const length = Math.min(claimable.left ?? 1, limit + 1 - before);
    counts.set(claimable.key, before + length);
    return Array.from({ length }, () => claimable);
  });
};

const count = (names: Iterable<string>): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
};

/**
 * Distributes a claim over the keys, event by event, in rows or in spans. Then adds further events of
 * the chosen spans, evenly and within the capacity of their keys.
 */
export const distributeClaim = (oldestFirst: readonly Claimable[], limits: Limits): Share => {
  const { limit, more, share, capacity } = limits;
  const events = unroll(rowsFirst(oldestFirst), limits).map(({ id, key }) => ({ id, key }));
  const capacityOf = (key: string): number => capacity.get(key) ?? limit;
  const { taken, crowded } = takeFairly(events, { limit, share, capacityOf });
  const ofKey = count(taken.map(({ key }) => key));
  const counts = count(taken.map(({ id }) => id));
  const spans = oldestFirst.filter((claimable) => isSpan(claimable) && counts.has(claimable.id));
  const each = Math.floor(more / Math.max(1, spans.length));
  for (const { id, key, left = 1 } of spans) {
    const [before, held] = [counts.get(id) ?? 0, ofKey.get(key) ?? 0];
    const extra = Math.max(0, Math.min(each, left - before, capacityOf(key) - held));
    counts.set(id, before + extra);
    ofKey.set(key, held + extra);
  }
  return { events: counts, crowded };
};
