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

type Enter = () => void;

/**
 * A limited number of slots, shared among keys: keys that wait take turns. A caller waits only while
 * its key can get no slot, since each slot that is freed goes to the callers that wait.
 */
export class FairSlots {
  private readonly limits: Required<SlotLimits>;
  private readonly takenByKey = new Map<string, number>();
  /** A Map keeps insertion order: the first key is served next, then moves to the end. */
  private readonly waiting = new Map<string, Set<Enter>>();
  private taken = 0;

  constructor({ overall, perKey = overall, waitingPerKey = Infinity }: SlotLimits) {
    this.limits = { overall, perKey, waitingPerKey };
  }

  /**
   * Resolves when a slot is free. Rejects with the signal's reason when it aborts first, and at once
   * when `waitingPerKey` callers of the key wait already.
   */
  async take(key: string, signal: AbortSignal): Promise<ReleaseSlot> {
    signal.throwIfAborted();
    return this.waiting.has(key) || !this.isFree(key) ? this.wait(key, signal) : this.hold(key);
  }

  /** Holds a slot while the work runs. Rejects as `take` and the work do. */
  async run<Result>(
    key: string,
    signal: AbortSignal,
    work: () => Promise<Result>,
  ): Promise<Result> {
    const release = await this.take(key, signal);
    try {
      return await work();
    } finally {
      release();
    }
  }

  private isFree(key: string): boolean {
    const { overall, perKey } = this.limits;
    return this.taken < overall && (this.takenByKey.get(key) ?? 0) < perKey;
  }

  private count(key: string, change: 1 | -1): void {
    this.taken += change;
    const ofKey = (this.takenByKey.get(key) ?? 0) + change;
    if (ofKey === 0) this.takenByKey.delete(key);
    else this.takenByKey.set(key, ofKey);
  }

  private hold(key: string): ReleaseSlot {
    let isTaken = true;
    this.count(key, 1);
    return () => {
      if (!isTaken) return;
      isTaken = false;
      this.count(key, -1);
      this.admitWaiting();
    };
  }

  private admitWaiting(): void {
    for (const [key, queue] of this.waiting) {
      if (this.taken >= this.limits.overall) return;
      const [enter] = queue;
      if (!enter || !this.isFree(key)) continue;
      this.waiting.delete(key);
      queue.delete(enter);
      if (queue.size > 0) this.waiting.set(key, queue);
      enter();
    }
  }

  private wait(key: string, signal: AbortSignal): Promise<ReleaseSlot> {
    const { waitingPerKey } = this.limits;
    return new Promise((resolve, reject) => {
      const queue = this.waiting.get(key) ?? new Set();
      if (queue.size >= waitingPerKey) {
        reject(new Error(`Too many callers wait for a slot; the limit is ${waitingPerKey}.`));
        return;
      }
      const abort = (): void => {
        queue.delete(enter);
        if (queue.size === 0) this.waiting.delete(key);
        reject(signal.reason as Error);
      };
      const enter = (): void => {
        signal.removeEventListener('abort', abort);
        resolve(this.hold(key));
      };
      signal.addEventListener('abort', abort, { once: true });
      this.waiting.set(key, queue.add(enter));
    });
  }
}
