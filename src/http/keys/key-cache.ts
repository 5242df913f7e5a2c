import { LRUCache } from 'lru-cache';
import type { ApiKeyReader } from '../../api/tenants.js';
import type { ApiKey, Tenant } from '../../domain/tenant/tenant.js';
import type { ApiKeyId, TenantId } from '../../domain/kernel/ids.js';

export interface FoundKey {
  readonly key: ApiKey;
  readonly tenant: Tenant;
}

/** Caches valid keys for less than a second. */
export interface KeyCache {
  /** Finds the key with this hash and its tenant. Rejects like ApiKeyReader.findByHash. */
  readonly find: (hash: string) => Promise<FoundKey | undefined>;
  /** Call it after deleting a key, so that it stops working immediately. */
  readonly invalidateKey: (id: ApiKeyId) => void;
  /** Call it after deleting or changing a tenant. */
  readonly invalidateTenant: (id: TenantId) => void;
}

interface Entry {
  readonly startedAt: number;
  readonly reading: Promise<FoundKey | undefined>;
  /** Absent until it is read. */
  found?: FoundKey;
  refreshing: boolean;
}

interface KeyCacheParts {
  readonly findByHash: ApiKeyReader['findByHash'];
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
  readonly capacity?: number;
}

/**
 * Deleting a key takes effect within 1 s on all instances (decisions.md 8). An entry is valid for
 * 900 ms from the START of its read, because a slow read returns old data.
 */
const MAX_AGE_MS = 900;
/** Entries in use are refreshed after this time, so that no request waits for a read. */
const REFRESH_AFTER_MS = 450;
const CAPACITY = 10_000;

export const createKeyCache = ({
  findByHash,
  now,
  capacity = CAPACITY,
}: KeyCacheParts): KeyCache => {
  const entries = new LRUCache<string, Entry>({ max: capacity });

  /** Replaces an entry by a new read, unless it was invalidated or replaced in the meantime. */
  const replaceEntry = (
    hash: string,
    previous: Entry,
    entry: Entry,
    found: FoundKey | undefined,
  ): void => {
    if (entries.peek(hash) !== previous) return;
    if (found) entries.set(hash, Object.assign(entry, { found }));
    else entries.delete(hash);
  };

  const begin = (hash: string): Entry => ({
    startedAt: now(),
    reading: findByHash(hash),
    refreshing: false,
  });

  const read = (hash: string): Promise<FoundKey | undefined> => {
    const entry = begin(hash);
    entries.set(hash, entry);
    entry.reading.then(
      (found) => replaceEntry(hash, entry, entry, found),
      () => replaceEntry(hash, entry, entry, undefined),
    );
    return entry.reading;
  };

  /**
   * Reads the key again while the old entry is still used. If that fails, the old entry expires.
   */
  const refresh = (hash: string, old: Entry): void => {
    old.refreshing = true;
    const entry = begin(hash);
    entry.reading.then(
      (found) => replaceEntry(hash, old, entry, found),
      () => undefined,
    );
  };

  const find = (hash: string): Promise<FoundKey | undefined> => {
    const entry = entries.get(hash);
    const age = entry ? now() - entry.startedAt : Infinity;
    if (!entry || age > MAX_AGE_MS) return read(hash);
    if (entry.found && age > REFRESH_AFTER_MS && !entry.refreshing) refresh(hash, entry);
    return entry.reading;
  };

  /** Also drops reads in progress, which may return what was just deleted. */
  const invalidate = (matches: (found: FoundKey) => boolean): void => {
    for (const [hash, { found }] of [...entries.entries()]) {
      if (!found || matches(found)) entries.delete(hash);
    }
  };

  return {
    find,
    invalidateKey: (id) => invalidate(({ key }) => key.id === id),
    invalidateTenant: (id) => invalidate(({ tenant }) => tenant.id === id),
  };
};
