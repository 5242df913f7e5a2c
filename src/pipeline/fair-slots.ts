/** How many slots there are. */
export interface SlotLimits {
  readonly overall: number;
  /** Slots one key may hold; absent: all of them. */
  readonly perKey?: number;
  /** Callers of one key that may wait; absent: any number. */
  readonly waitingPerKey?: number;
}

/** Frees the slot; further calls have no effect. */
export type ReleaseSlot = () => void;

/** A limited number of slots, shared among keys: keys that wait take turns. */
export interface FairSlots {
  /**
   * Resolves when a slot is free. Rejects with the signal's reason when it aborts first, and at once
   * when `waitingPerKey` callers of the key wait already.
   */
  readonly take: (key: string, signal: AbortSignal) => Promise<ReleaseSlot>;
  /** Holds a slot while the work runs. Rejects as `take` and the work do. */
  readonly run: <Result>(
    key: string,
    signal: AbortSignal,
    work: () => Promise<Result>,
  ) => Promise<Result>;
}

type Enter = () => void;

export const createFairSlots = ({
  overall,
  perKey = overall,
  waitingPerKey = Infinity,
}: SlotLimits): FairSlots => {
  const takenByKey = new Map<string, number>();
  // A Map keeps insertion order: the first key is served next, then moves to the end.
  const waiting = new Map<string, Set<Enter>>();
  let taken = 0;

  const isFree = (key: string): boolean => taken < overall && (takenByKey.get(key) ?? 0) < perKey;

  const count = (key: string, change: 1 | -1): void => {
    taken += change;
    const ofKey = (takenByKey.get(key) ?? 0) + change;
    if (ofKey === 0) takenByKey.delete(key);
    else takenByKey.set(key, ofKey);
  };

  const hold = (key: string): ReleaseSlot => {
    let isTaken = true;
    count(key, 1);
    return () => {
      if (!isTaken) return;
      isTaken = false;
      count(key, -1);
      admitWaiting();
    };
  };

  const leaveQueue = (key: string, enter: Enter): void => {
    const queue = waiting.get(key);
    queue?.delete(enter);
    if (queue?.size === 0) waiting.delete(key);
  };

  const admitWaiting = (): void => {
    for (const [key, queue] of waiting) {
      if (taken >= overall) return;
      const [enter] = queue;
      if (!enter || !isFree(key)) continue;
      waiting.delete(key);
      queue.delete(enter);
      if (queue.size > 0) waiting.set(key, queue);
      enter();
    }
  };

  const wait = (key: string, signal: AbortSignal): Promise<ReleaseSlot> =>
    new Promise((resolve, reject) => {
      const queue = waiting.get(key) ?? new Set();
      if (queue.size >= waitingPerKey) {
        reject(new Error(`Too many callers wait for a slot; the limit is ${waitingPerKey}.`));
        return;
      }
      const abort = (): void => {
        leaveQueue(key, enter);
        reject(signal.reason as Error);
      };
      const enter = (): void => {
        signal.removeEventListener('abort', abort);
        resolve(hold(key));
      };
      signal.addEventListener('abort', abort, { once: true });
      waiting.set(key, queue.add(enter));
    });

  const take: FairSlots['take'] = async (key, signal) => {
    signal.throwIfAborted();
    return waiting.has(key) || !isFree(key) ? wait(key, signal) : hold(key);
  };

  return {
    take,
    run: async (key, signal, work) => {
      const release = await take(key, signal);
      try {
        return await work();
      } finally {
        release();
      }
    },
  };
};
