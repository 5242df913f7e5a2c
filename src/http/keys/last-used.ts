import { LRUCache } from 'lru-cache';
import type { Log } from '../../api/log.js';
import type { ApiKeyReader, ApiKeyUse } from '../../api/tenants.js';
import type { ApiKeyId } from '../../domain/kernel/ids.js';

/** What is recorded of a request. */
export interface RecordedRequest {
  readonly userAgent?: string | undefined;
  /** Whether it searches for a user, as identity providers test the connection. */
  readonly isLookup?: boolean;
}

/** Records when API keys were last used and stores it periodically. */
export interface LastUsedTracker {
  readonly record: (id: ApiKeyId, request?: RecordedRequest) => void;
  /** Stores what is pending. Never rejects. */
  readonly stop: () => Promise<void>;
}

interface LastUsedParts {
  readonly noteUse: ApiKeyReader['recordUse'];
  readonly now: () => Date;
  readonly log: Log;
}

/**
 * Keeps `last_used_at` accurate to within a minute (decisions.md 3) without a write per request.
 */
const INTERVAL_MS = 30_000;
/** The first use of a key since the start is stored sooner. */
const SOON_MS = 250;
/** Maximum number of keys between two writes; the times of others are lost. */
const CAPACITY = 50_000;
/** With `max` instead, all entries would be allocated at the start. */
const UP_TO_CAPACITY = { maxSize: CAPACITY, sizeCalculation: () => 1 };
/** Characters of a `User-Agent` that are stored. */
const MAX_AGENT = 256;

export const startLastUsedTracker = ({ noteUse, now, log }: LastUsedParts): LastUsedTracker => {
  let pending = new Map<ApiKeyId, ApiKeyUse>();

  const flush = async (): Promise<void> => {
    if (pending.size === 0) return;
    const written = pending;
    pending = new Map();
    await noteUse(written).catch((error: unknown) => {
      log.warn({ err: error }, 'could not store when API keys were last used');
    });
  };

  /** Keys whose first use here was stored, and whose first search for a user was. */
  const known = new LRUCache<ApiKeyId, true>(UP_TO_CAPACITY);
  const lookedUp = new LRUCache<ApiKeyId, true>(UP_TO_CAPACITY);
  let soon: NodeJS.Timeout | undefined;
  /** The person who connects an identity provider waits for its first request. */
  const flushSoon = (): void => {
    soon ??= setTimeout(() => {
      soon = undefined;
      void flush();
    }, SOON_MS);
    soon.unref();
  };

  const timer = setInterval(() => void flush(), INTERVAL_MS);
  timer.unref();

  return {
    record: (id, { userAgent, isLookup = false } = {}) => {
      const before = pending.get(id);
      if (pending.size >= CAPACITY && !before) return;
      const at = now();
      const shown = userAgent?.slice(0, MAX_AGENT);
      const isNews = isLookup ? !lookedUp.has(id) : !known.has(id);
      const lookedUpAt = isLookup && !lookedUp.has(id) ? at : before?.lookedUpAt;
      pending.set(id, {
        at,
        ...(shown && { userAgent: shown }),
        ...(lookedUpAt && { lookedUpAt }),
      });
      known.set(id, true);
      if (isLookup) lookedUp.set(id, true);
      if (isNews) flushSoon();
    },
    stop: async () => {
      clearInterval(timer);
      clearTimeout(soon);
      await flush();
    },
  };
};
