/** A map that holds so many entries and lets go of the one that was asked for longest ago. */
export interface LruMap<Key, Value> {
  readonly get: (key: Key) => Value | undefined;
  /** Tells what had to go to make room, if anything. */
  readonly set: (key: Key, value: Value) => Value | undefined;
  readonly delete: (key: Key) => void;
  readonly values: () => Iterable<Value>;
}

export const createLruMap = <Key, Value>(capacity: number): LruMap<Key, Value> => {
  // A Map keeps the order of insertion: whoever is used is put in again, at the end.
  const entries = new Map<Key, { readonly value: Value }>();

  const evictOldest = (): Value | undefined => {
    for (const [key, { value }] of entries) {
      entries.delete(key);
      return value;
    }
    return undefined;
  };

  return {
    get: (key) => {
      const entry = entries.get(key);
      if (!entry) return undefined;
      entries.delete(key);
      entries.set(key, entry);
      return entry.value;
    },
    set: (key, value) => {
      entries.delete(key);
      entries.set(key, { value });
      return entries.size > capacity ? evictOldest() : undefined;
    },
    delete: (key) => void entries.delete(key),
    values: function* () {
      for (const { value } of entries.values()) yield value;
    },
  };
};
