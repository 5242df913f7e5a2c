import { takeFairly } from './fair-share.js';
import type { ClaimRequest } from './outbox-work.js';

/** A row that is due, or a span, of which as many events may be taken as are left in it. */
export interface Claimable {
  readonly id: string;
  readonly key: string;
  /** Absent in a row. */
  readonly left?: number;
}

export interface Share {
  /** How many events to take of each, by id; what is not named is left alone. */
  readonly events: ReadonlyMap<string, number>;
  /** Keys of which there was more than the limit; what more was taken does not change that. */
  readonly crowded: ReadonlySet<string>;
}

type Limits = Pick<ClaimRequest, 'limit' | 'more' | 'share' | 'room'>;

const isSpan = ({ left }: Claimable): boolean => left !== undefined;

/**
 * A key's rows come in the place of its first span. One that was put back is due later than the span
 * that it came from: were that expanded first, then more and more rows would wait.
 */
const rowsFirst = (oldestFirst: readonly Claimable[]): readonly Claimable[] => {
  const placed = new Set<Claimable>();
  const rows = oldestFirst.filter((claimable) => !isSpan(claimable));
  const before = (span: Claimable): readonly Claimable[] =>
    rows.filter((row) => row.key === span.key && !placed.has(row));
  return oldestFirst.flatMap((claimable) => {
    if (placed.has(claimable)) return [];
    const here = isSpan(claimable) ? [...before(claimable), claimable] : [claimable];
    for (const one of here) placed.add(one);
    return here;
  });
};

/** One for each event; of a key one more than could be taken, for that tells that there is more. */
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
 * Shares a claim out over the keys, event by event, whether they are rows by now or not; then takes
 * more of the spans that it takes at all, as evenly as their keys have room.
 */
export const shareOut = (oldestFirst: readonly Claimable[], limits: Limits): Share => {
  const { limit, more, share, room } = limits;
  const events = unroll(rowsFirst(oldestFirst), limits).map(({ id, key }) => ({ id, key }));
  const roomOf = (key: string): number => room.get(key) ?? limit;
  const { taken, crowded } = takeFairly(events, { limit, share, roomOf });
  const ofKey = count(taken.map(({ key }) => key));
  const counts = count(taken.map(({ id }) => id));
  const spans = oldestFirst.filter((claimable) => isSpan(claimable) && counts.has(claimable.id));
  const each = Math.floor(more / Math.max(1, spans.length));
  for (const { id, key, left = 1 } of spans) {
    const [before, held] = [counts.get(id) ?? 0, ofKey.get(key) ?? 0];
    const extra = Math.max(0, Math.min(each, left - before, roomOf(key) - held));
    counts.set(id, before + extra);
    ofKey.set(key, held + extra);
  }
  return { events: counts, crowded };
};
