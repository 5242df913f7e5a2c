import type { Log } from '../../api/log.js';
import type { ApiKeyReader, ApiKeyUse } from '../../api/tenants.js';
import type { ApiKeyId } from '../../domain/kernel/ids.js';

/** Records when API keys were last used and stores it periodically. */
export interface LastUsedTracker {
  readonly record: (id: ApiKeyId, userAgent?: string) => void;
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
/** Maximum number of keys between two writes; the times of others are lost. */
const CAPACITY = 50_000;
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

  const timer = setInterval(() => void flush(), INTERVAL_MS);
  timer.unref();

  return {
    record: (id, userAgent) => {
      if (pending.size >= CAPACITY && !pending.has(id)) return;
      const shown = userAgent?.slice(0, MAX_AGENT);
      pending.set(id, { at: now(), ...(shown && { userAgent: shown }) });
    },
    stop: async () => {
      clearInterval(timer);
      await flush();
    },
  };
};
