import type { JsonObject } from '../../domain/kernel/json.js';
import {
  type DocumentOwner,
  type Fence,
  LeaseLost,
  type LeaseStore,
  MAX_DOCUMENTS,
  type NewDocument,
  type PluginCollection,
  type PluginDocument,
  type ReadOptions,
  requireFew,
  requireWritable,
  VersionConflict,
} from '../../ports/plugin-storage.js';

/** What plugins store, in memory, with the same rules as in the database. */
export interface MemoryStorage {
  readonly leases: LeaseStore;
  readonly collectionOf: (plugin: string, collection: string) => PluginCollection;
}

interface Lease {
  token: number;
  takenAt: number;
  freeAt: number;
}

interface Kept extends PluginDocument {
  readonly expiresAt: Date | undefined;
}

const createLeases = (now: () => Date) => {
  const leases = new Map<string, Lease>();
  const held = ({ lease, token }: Fence): Lease | undefined => {
    const found = leases.get(lease);
    return found?.token === token && found.freeAt > now().getTime() ? found : undefined;
  };
  const store: LeaseStore = {
    take: ({ lease, ttlMs }) => {
      const at = now().getTime();
      const found = leases.get(lease) ?? { token: 0, takenAt: 0, freeAt: 0 };
      if (found.freeAt > at) return Promise.resolve({ waitMs: found.freeAt - at });
      const token = found.token + 1;
      leases.set(lease, { token, takenAt: at, freeAt: at + ttlMs });
      return Promise.resolve({ fence: { lease, token } });
    },
    renew: (fence, ttlMs) => {
      const found = held(fence);
      if (found) found.freeAt = now().getTime() + ttlMs;
      return Promise.resolve(found !== undefined);
    },
    release: (fence, pauseMs) => {
      const found = held(fence);
      if (found) found.freeAt = Math.max(now().getTime(), found.takenAt + pauseMs);
      return Promise.resolve();
    },
  };
  const requireHeld = (fence: Fence | undefined): void => {
    if (fence && !held(fence)) throw new LeaseLost(`The lease ${fence.lease} is lost.`);
  };
  return { store, requireHeld };
};

const requireVersion = (
  documents: ReadonlyMap<string, Kept>,
  { key, ifVersion }: NewDocument,
): void => {
  if (ifVersion !== undefined && (documents.get(key)?.version ?? 0) !== ifVersion)
    throw new VersionConflict(`The document "${key}" has another version.`);
};

const shown = (
  { expiresAt: _expiresAt, ...document }: Kept,
  { fields }: ReadOptions = {},
): PluginDocument => {
  const isRead = ([field]: readonly [string, unknown]) => fields?.includes(field) ?? true;
  const value = Object.fromEntries(Object.entries(document.value).filter(isRead));
  return structuredClone({ ...document, value });
};

/** A collection in memory; `of`: the documents of an owner that have not expired. */
const createCollection = (
  of: (owner: DocumentOwner) => Map<string, Kept>,
  requireHeld: (fence: Fence | undefined) => void,
  now: () => Date,
): PluginCollection => ({
  get: async (owner, key) => {
    const found = of(owner).get(key);
    return Promise.resolve(found && shown(found));
  },
  getMany: async (owner, keys, options) => {
    const found = keys.flatMap((key) => of(owner).get(key) ?? []);
    return Promise.resolve(
      new Map(found.map((document) => [document.key, shown(document, options)])),
    );
  },
  list: async (owner, { prefix = '', after, limit = 100, ...options } = {}) =>
    Promise.resolve(
      [...of(owner).values()]
        .filter(({ key }) => key.startsWith(prefix) && (after === undefined || key > after))
        .sort((one, other) => (one.key < other.key ? -1 : 1))
        .slice(0, Math.min(limit, MAX_DOCUMENTS))
        .map((document) => shown(document, options)),
    ),
  put: async (owner, given, { fence } = {}) => {
    const documents = of(owner);
    requireWritable(given);
    requireHeld(fence);
    for (const document of given) requireVersion(documents, document);
    for (const { key, value, expiresAt } of given)
      documents.set(key, {
        key,
        value: structuredClone(value),
        version: (documents.get(key)?.version ?? 0) + 1,
        updatedAt: now(),
        expiresAt,
      });
    return Promise.resolve();
  },
  add: async (owner, key, amounts) => {
    const documents = of(owner);
    const { value = {}, version = 0, expiresAt } = documents.get(key) ?? {};
    const sums = Object.entries(amounts).map(([name, amount]) => [
      name,
      (typeof value[name] === 'number' ? value[name] : 0) + amount,
    ]);
    const sum = { ...value, ...(Object.fromEntries(sums) as JsonObject) };
    const added = { key, value: sum, version: version + 1, updatedAt: now(), expiresAt };
    documents.set(key, added);
    return Promise.resolve(shown(added));
  },
  delete: async (owner, keys, { fence } = {}) => {
    requireFew(keys);
    requireHeld(fence);
    for (const key of keys) of(owner).delete(key);
    return Promise.resolve();
  },
  clear: async (owner, prefix, { fence, after = '', upTo } = {}) => {
    if (prefix === '') throw new RangeError('A prefix is needed to delete documents.');
    requireHeld(fence);
    for (const key of [...of(owner).keys()])
      if (key.startsWith(prefix) && key > after && (upTo === undefined || key <= upTo))
        of(owner).delete(key);
    return Promise.resolve();
  },
});

/** Creates storage in memory that follows the contract of the real one. */
export const createMemoryStorage = (now: () => Date): MemoryStorage => {
  const leases = createLeases(now);
  const collections = new Map<string, Map<string, Kept>>();
  const documentsOf = (key: string): Map<string, Kept> => {
    const found = collections.get(key) ?? new Map<string, Kept>();
    collections.set(key, found);
    for (const [name, { expiresAt }] of found)
      if (expiresAt && expiresAt <= now()) found.delete(name);
    return found;
  };
  return {
    leases: leases.store,
    collectionOf: (plugin, collection) =>
      createCollection(
        (owner) => documentsOf(JSON.stringify([plugin, collection, owner])),
        leases.requireHeld,
        now,
      ),
  };
};
