/** A map of limited size that evicts the least recently used entry. */
export interface LruMap<Key, Value> {
  readonly get: (key: Key) => Value | undefined;
  /** Returns the value of the evicted entry, if any. */
  readonly set: (key: Key, value: Value) => Value | undefined;
  readonly delete: (key: Key) => void;
  readonly values: () => Iterable<Value>;
}

export const createLruMap = <Key, Value>(capacity: number): LruMap<Key, Value> => {
  // A Map iterates in insertion order, so a used entry is inserted again at the end.
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
