import { LRUCache } from 'lru-cache';

/** A cache of up to `size` entries. With the option `max` instead, all of them would be allocated now. */
export const createBoundedCache = <
  Key extends string,
  Value extends object | string | number | true,
>(
  size: number,
): LRUCache<Key, Value> => new LRUCache({ maxSize: size, sizeCalculation: () => 1 });
