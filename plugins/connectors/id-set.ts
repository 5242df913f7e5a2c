import { hash } from 'node:crypto';

/** A set of ids of which only a hash is kept: 500,000 of them take 25 MB, however long they are. */
export interface IdSet {
  readonly has: (id: string) => boolean;
  /** Returns whether it was not in the set before. */
  readonly add: (id: string) => boolean;
}

/** 72 bits: among a million ids, the chance that two have the same hash is below 1 to a billion. */
const hashed = (id: string): string => hash('sha1', id, 'base64').slice(0, 12);

export const createIdSet = (): IdSet => {
  const hashes = new Set<string>();
  return {
    has: (id) => hashes.size > 0 && hashes.has(hashed(id)),
    add: (id) => {
      const before = hashes.size;
      return hashes.add(hashed(id)).size > before;
    },
  };
};
