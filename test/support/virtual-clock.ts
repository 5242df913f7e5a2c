import type { Clock } from '../../src/plugin/clock.js';

interface Timer {
  readonly at: number;
  readonly run: () => void;
}

/** Time that passes only when a test says so; work that follows is done before the next timer. */
export interface VirtualClock extends Clock {
  readonly advance: (ms: number) => Promise<void>;
  /** Lets everything that is ready to run do so, at this very moment. */
  readonly settle: () => Promise<void>;
}

export const createVirtualClock = (): VirtualClock => {
  let now = 0;
  const timers = new Set<Timer>();

  /** Promises only, no input or output: then nothing is left to do when an immediate comes. */
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
