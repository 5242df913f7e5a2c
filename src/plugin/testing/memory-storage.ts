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

/** Creates storage in memory that follows the contract of the real one. */
export const createMemoryStorage = (now: () => Date): MemoryStorage => {
  const leases = new Map<string, Lease>();
  const collections = new Map<string, Map<string, Kept>>();

  const held = ({ lease, token }: Fence): Lease | undefined => {
    const found = leases.get(lease);
    return found?.token === token && found.freeAt > now().getTime() ? found : undefined;
  };

  const requireLease = (fence: Fence | undefined): void => {
    if (fence && !held(fence)) throw new LeaseLost(`The lease ${fence.lease} is lost.`);
  };

  const leaseStore: LeaseStore = {
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

  const documentsOf = (
    plugin: string,
    collection: string,
    owner: DocumentOwner,
  ): Map<string, Kept> => {
    const key = JSON.stringify([plugin, collection, owner]);
    const found = collections.get(key) ?? new Map<string, Kept>();
    collections.set(key, found);
    for (const [name, { expiresAt }] of found)
      if (expiresAt && expiresAt <= now()) found.delete(name);
    return found;
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

  const collectionOf: MemoryStorage['collectionOf'] = (plugin, collection) => {
    const of = (owner: DocumentOwner) => documentsOf(plugin, collection, owner);
    const settled = async <Result>(work: () => Result): Promise<Result> =>
      Promise.resolve().then(work);
    return {
      get: (owner, key) =>
        settled(() => {
          const found = of(owner).get(key);
          return found && shown(found);
        }),
      getMany: (owner, keys, options) =>
        settled(() => {
          const found = keys.flatMap((key) => of(owner).get(key) ?? []);
          return new Map(found.map((document) => [document.key, shown(document, options)]));
        }),
      list: (owner, { prefix = '', after, limit = 100, ...options } = {}) =>
        settled(() =>
          [...of(owner).values()]
            .filter(({ key }) => key.startsWith(prefix) && (after === undefined || key > after))
            .sort((one, other) => (one.key < other.key ? -1 : 1))
            .slice(0, Math.min(limit, MAX_DOCUMENTS))
            .map((document) => shown(document, options)),
        ),
      put: (owner, given, { fence } = {}) =>
        settled(() => {
          const documents = of(owner);
          requireWritable(given);
          requireLease(fence);
          for (const document of given) requireVersion(documents, document);
          for (const { key, value, expiresAt } of given)
            documents.set(key, {
              key,
              value: structuredClone(value),
              version: (documents.get(key)?.version ?? 0) + 1,
              updatedAt: now(),
              expiresAt,
            });
        }),
      add: (owner, key, amounts) =>
        settled(() => {
          const documents = of(owner);
          const { value = {}, version = 0, expiresAt } = documents.get(key) ?? {};
          const sums = Object.entries(amounts).map(([name, amount]) => [
            name,
            (typeof value[name] === 'number' ? value[name] : 0) + amount,
          ]);
          const sum = { ...value, ...(Object.fromEntries(sums) as JsonObject) };
          const added = { key, value: sum, version: version + 1, updatedAt: now(), expiresAt };
          documents.set(key, added);
          return shown(added);
        }),
      delete: (owner, keys, { fence } = {}) =>
        settled(() => {
          requireFew(keys);
          requireLease(fence);
          for (const key of keys) of(owner).delete(key);
        }),
      clear: (owner, prefix, { fence, after = '', upTo } = {}) =>
        settled(() => {
          if (prefix === '') throw new RangeError('A prefix is needed to delete documents.');
          requireLease(fence);
          for (const key of [...of(owner).keys()])
            if (key.startsWith(prefix) && key > after && (upTo === undefined || key <= upTo))
              of(owner).delete(key);
        }),
    };
  };

  return { leases: leaseStore, collectionOf };
};
