/** A few places for work that must not all be done at once. */
export interface FairSlots {
  /**
   * Does the work as soon as a place is free; where several keys wait, they take turns, however much
   * each of them has. Rejects with the signal's reason where it is aborted before.
   */
  readonly run: <Result>(
    key: string,
    signal: AbortSignal,
    work: () => Promise<Result>,
  ) => Promise<Result>;
}

type Enter = () => void;

export const createFairSlots = (count: number): FairSlots => {
  // A Map keeps the order of insertion: the first key is next, and goes to the end when it was.
  const waiting = new Map<string, Set<Enter>>();
  let free = count;

  const leaveQueue = (key: string, enter: Enter): void => {
    const queue = waiting.get(key);
    queue?.delete(enter);
    if (queue?.size === 0) waiting.delete(key);
  };

  const admitNext = (): void => {
    const [next] = waiting;
    if (!next || free === 0) return;
    const [key, queue] = next;
    const [enter] = queue;
    waiting.delete(key);
    if (!enter) return;
    queue.delete(enter);
    if (queue.size > 0) waiting.set(key, queue);
    free -= 1;
    enter();
  };

  const enterQueue = (key: string, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const giveUp = (): void => {
        leaveQueue(key, enter);
        reject(signal.reason as Error);
      };
      const enter = (): void => {
        signal.removeEventListener('abort', giveUp);
        resolve();
      };
      signal.addEventListener('abort', giveUp, { once: true });
      waiting.set(key, (waiting.get(key) ?? new Set()).add(enter));
      admitNext();
    });

  return {
    run: async (key, signal, work) => {
      signal.throwIfAborted();
      await enterQueue(key, signal);
      try {
        return await work();
      } finally {
        free += 1;
        admitNext();
      }
    },
  };
};
