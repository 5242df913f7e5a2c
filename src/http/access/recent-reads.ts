import { LRUCache } from 'lru-cache';
import { FairSlots } from '../../pipeline/fair-slots.js';
import { createBoundedCache } from './bounded-cache.js';

/**
 * What was read by the hash of a secret less than a second ago: a revocation takes effect within 1 s on
 * all instances (decisions.md 8).
 */
export interface RecentReads<Value> {
  /**
   * Undefined is not kept. Rejects like `read`. `from`: who presents the secret, such as an address;
   * reads of secrets that were not found before take turns by it.
   */
  readonly find: (hash: string, from?: string) => Promise<Value | undefined>;
  /**
   * Call it after a change, so that it takes effect immediately. Also drops reads in progress, which
   * may return what was just changed.
   */
  readonly invalidate: (matches: (value: Value) => boolean) => void;
}

interface RecentReadsParts<Value> {
  readonly read: (hash: string) => Promise<Value | undefined>;
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
  readonly capacity?: number | undefined;
}

interface Entry<Value> {
  readonly startedAt: number;
  readonly reading: Promise<Value | undefined>;
  /** Absent until it is read. */
  value?: Value;
  isRefreshing: boolean;
}

/** From the START of a read, because a slow one returns old data. */
const MAX_AGE_MS = 900;
/** Entries in use are read again after this time, so that no request waits for it. */
const REFRESH_AFTER_MS = 450;
const CAPACITY = 10_000;

/**
 * Reads at the same time of what was not found before. Anyone can make up a secret, and more such reads
 * would use up the connections to the database.
 */
const UNKNOWN_READS = 4;
const NEVER = new AbortController().signal;

export const createRecentReads = <Value>({
  read,
  now,
  capacity = CAPACITY,
}: RecentReadsParts<Value>): RecentReads<Value> => {
  const entries = new LRUCache<string, Entry<Value>>({ max: capacity });
  const known = createBoundedCache<string, true>(capacity);
  const slots = new FairSlots({ overall: UNKNOWN_READS });

  /** Reads; until then, an `old` entry is used, and further if the read fails. */
  const begin = (hash: string, from: string, old?: Entry<Value>): Entry<Value> => {
    const entry: Entry<Value> = {
      startedAt: now(),
      reading: known.has(hash) ? read(hash) : slots.run(from, NEVER, () => read(hash)),
      isRefreshing: false,
    };
    const current = old ?? entry;
    entries.set(hash, current);
    const settle = (value: Value | undefined): void => {
      if (value !== undefined) known.set(hash, true);
      // It was invalidated or replaced in the meantime.
      if (entries.peek(hash) !== current) return;
      if (value !== undefined) entries.set(hash, Object.assign(entry, { value }));
      else entries.delete(hash);
    };
    entry.reading.then(settle, () => (old ? undefined : settle(undefined)));
    return entry;
  };

  return {
    find: (hash, from = '') => {
      const entry = entries.get(hash);
      const age = entry ? now() - entry.startedAt : Infinity;
      if (!entry || age > MAX_AGE_MS) return begin(hash, from).reading;
      if (entry.value !== undefined && age > REFRESH_AFTER_MS && !entry.isRefreshing) {
        entry.isRefreshing = true;
        begin(hash, from, entry);
      }
      return entry.reading;
    },
    invalidate: (matches) => {
      for (const [hash, { value }] of [...entries.entries()])
        if (value === undefined || matches(value)) entries.delete(hash);
    },
  };
};
