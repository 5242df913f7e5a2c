import { hash } from 'node:crypto';

/** A set of ids of which only a hash is kept: 500,000 of them take 16 MB, however long they are. */
export interface IdSet {
  readonly has: (id: string) => boolean;
  /** Returns whether it was not in the set before. */
  readonly add: (id: string) => boolean;
}

const FIRST_SLOTS = 1_024;

/**
 * Open addressing over the first 64 bits of the SHA-1 of each id: among a million ids, the chance that
 * two have the same is 1 to 37 million.
 */
export const createIdSet = (): IdSet => {
  let slots = new Uint32Array(2 * FIRST_SLOTS);
  let size = 0;

  /** The slot of a hash, or the free one where it belongs. */
  const slotOf = (high: number, low: number): number => {
    const last = slots.length / 2 - 1;
    let at = low & last;
    while (slots[2 * at] !== 0 && (slots[2 * at] !== high || slots[2 * at + 1] !== low))
      at = (at + 1) & last;
    return at;
  };

  const put = (high: number, low: number): boolean => {
    const at = slotOf(high, low);
    if (slots[2 * at] !== 0) return false;
    slots[2 * at] = high;
    slots[2 * at + 1] = low;
    return true;
  };

  const grow = (): void => {
    const old = slots;
    slots = new Uint32Array(2 * old.length);
    for (let at = 0; at < old.length; at += 2)
      if (old[at] !== 0) put(old[at] ?? 0, old[at + 1] ?? 0);
  };

  const hashed = (id: string): readonly [high: number, low: number] => {
    // As text, because a buffer for each would cost twice as much as the hash.
    const digest = hash('sha1', id, 'hex');
    // Zero marks a free slot.
    return [parseInt(digest.slice(0, 8), 16) || 1, parseInt(digest.slice(8, 16), 16)];
  };

  return {
    has: (id) => size > 0 && slots[2 * slotOf(...hashed(id))] !== 0,
    add: (id) => {
      const isNew = put(...hashed(id));
      if (isNew) size += 1;
      if (4 * size > slots.length) grow();
      return isNew;
    },
  };
};
