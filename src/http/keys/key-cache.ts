import type { ApiKeyReader } from '../../api/tenants.js';
import type { ApiKey } from '../../domain/api-key.js';
import type { ApiKeyId, TenantId } from '../../domain/ids.js';
import type { Tenant } from '../../domain/tenant.js';

export interface FoundKey {
  readonly key: ApiKey;
  readonly tenant: Tenant;
}

/** Valid keys, remembered for less than a second. */
export interface KeyCache {
  /** The key with this hash and its tenant. Rejects as ApiKeyReader.findByHash does. */
  readonly find: (hash: string) => Promise<FoundKey | undefined>;
  /** Call when a key was deleted here, so that it is dead at once. */
  readonly forgetKey: (id: ApiKeyId) => void;
  /** Call when a tenant was deleted or changed here. */
  readonly forgetTenant: (id: TenantId) => void;
}

interface Entry {
  readonly startedAt: number;
  readonly reading: Promise<FoundKey | undefined>;
  /** Absent while the read is under way. */
  found?: FoundKey;
  refreshing: boolean;
}

interface KeyCacheParts {
  readonly findByHash: ApiKeyReader['findByHash'];
  /** Milliseconds on a clock that never goes back. */
  readonly now: () => number;
  readonly capacity?: number;
}

/**
 * Deleting a key is effective within 1 s on every instance (decisions.md 8). An entry is trusted
 * for 900 ms counted from the START of its read: a read that hangs for a second brings news that
 * are a second old.
 */
const TRUSTED_MS = 900;
/** A busy key is read again in good time, so that no request waits for it. */
const REFRESH_MS = 450;
const CAPACITY = 10_000;

export const makeKeyCache = ({ findByHash, now, capacity = CAPACITY }: KeyCacheParts): KeyCache => {
  const entries = new Map<string, Entry>();

  const keep = (hash: string, entry: Entry): void => {
    entries.delete(hash);
    entries.set(hash, entry);
    const [oldest] = entries.keys();
    if (entries.size > capacity && oldest !== undefined) entries.delete(oldest);
  };

  /** Puts what was read in the place of `held`, unless that was forgotten or replaced meanwhile. */
  const settle = (hash: string, held: Entry, entry: Entry, found: FoundKey | undefined): void => {
    if (entries.get(hash) !== held) return;
    if (found) keep(hash, Object.assign(entry, { found }));
    else entries.delete(hash);
  };

  const begin = (hash: string): Entry => ({
    startedAt: now(),
    reading: findByHash(hash),
    refreshing: false,
  });

  const read = (hash: string): Promise<FoundKey | undefined> => {
    const entry = begin(hash);
    keep(hash, entry);
    entry.reading.then(
      (found) => settle(hash, entry, entry, found),
      () => settle(hash, entry, entry, undefined),
    );
    return entry.reading;
  };

  /** Reads again while the old entry still serves; where that fails, the old one simply ends. */
  const refresh = (hash: string, old: Entry): void => {
    old.refreshing = true;
    const entry = begin(hash);
    entry.reading.then(
      (found) => settle(hash, old, entry, found),
      () => undefined,
    );
  };

  const find = (hash: string): Promise<FoundKey | undefined> => {
    const entry = entries.get(hash);
    const age = entry ? now() - entry.startedAt : Infinity;
    if (!entry || age > TRUSTED_MS) return read(hash);
    if (entry.found && age > REFRESH_MS && !entry.refreshing) refresh(hash, entry);
    return entry.reading;
  };

  /** A read under way may bring what was just deleted: it is not remembered either. */
  const forget = (matches: (found: FoundKey) => boolean): void => {
    for (const [hash, { found }] of entries) {
      if (!found || matches(found)) entries.delete(hash);
    }
  };

  return {
    find,
    forgetKey: (id) => forget(({ key }) => key.id === id),
    forgetTenant: (id) => forget(({ tenant }) => tenant.id === id),
  };
};
