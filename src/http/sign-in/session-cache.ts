import { LRUCache } from 'lru-cache';
import type { FoundSession, SessionStore } from '../../api/operators.js';
import type { OperatorId } from '../../domain/kernel/ids.js';

/** Caches valid sessions for less than a second. */
export interface SessionCache {
  readonly find: (hash: string) => Promise<FoundSession | undefined>;
  /** Call it after ending a session, so that it stops working immediately. */
  readonly invalidate: (hash: string) => void;
  /** Call it after changing or deleting an operator, or ending their sessions. */
  readonly invalidateOperator: (id: OperatorId) => void;
}

interface CacheParts extends Pick<SessionStore, 'find'> {
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
}

/** Valid from the START of its read, like API keys: revocations hold everywhere within 1 s. */
const MAX_AGE_MS = 900;
const CAPACITY = 10_000;

interface Entry {
  readonly startedAt: number;
  readonly reading: Promise<FoundSession | undefined>;
  found?: FoundSession;
}

export const createSessionCache = ({ find, now }: CacheParts): SessionCache => {
  const entries = new LRUCache<string, Entry>({ max: CAPACITY });

  const read = (hash: string): Promise<FoundSession | undefined> => {
    const entry: Entry = { startedAt: now(), reading: find(hash) };
    entries.set(hash, entry);
    const forget = (): void => {
      if (entries.peek(hash) === entry) entries.delete(hash);
    };
    entry.reading.then((found) => {
      if (found) entry.found = found;
      else forget();
    }, forget);
    return entry.reading;
  };

  return {
    find: (hash) => {
      const entry = entries.get(hash);
      return entry && now() - entry.startedAt <= MAX_AGE_MS ? entry.reading : read(hash);
    },
    invalidate: (hash) => void entries.delete(hash),
    // Also drops reads in progress, which may return what was just changed.
    invalidateOperator: (id) => {
      for (const [hash, { found }] of [...entries.entries()])
        if (!found || found.operator?.id === id) entries.delete(hash);
    },
  };
};
