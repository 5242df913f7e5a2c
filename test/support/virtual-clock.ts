import type { Clock } from '../../src/plugin/contract/clock.js';

interface Timer {
  readonly at: number;
  readonly run: () => void;
}

/** A clock that advances only on request; pending promises settle before the next timer runs. */
export interface VirtualClock extends Clock {
  readonly advance: (ms: number) => Promise<void>;
  /** Runs everything that is ready, without advancing the time. */
  readonly settle: () => Promise<void>;
}

export const createVirtualClock = (): VirtualClock => {
  let now = 0;
  const timers = new Set<Timer>();

  /** Waits for pending promises; sufficient because nothing does I/O. */
  const settle = async (): Promise<void> =>
    new Promise((resolve) => {
      setImmediate(resolve);
    });

  const nextUntil = (end: number): Timer | undefined => {
    let next: Timer | undefined;
    for (const timer of timers) {
      if (timer.at <= end && (!next || timer.at < next.at)) next = timer;
    }
    return next;
  };

  const advance = async (ms: number): Promise<void> => {
    const end = now + ms;
    await settle();
    for (let timer = nextUntil(end); timer; timer = nextUntil(end)) {
      timers.delete(timer);
      now = Math.max(now, timer.at);
      timer.run();
      await settle();
    }
    now = end;
  };

  return {
    now: () => now,
    after: (ms, run) => {
      const timer = { at: now + ms, run };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    advance,
    settle,
  };
};
