import { setTimeout as wait } from 'node:timers/promises';
import type { SourceClock } from './connector-contract.js';

/** Clock and timers of the engine; injected, so that tests can replace them. */
export interface Clock {
  /** Monotonic milliseconds: for durations, never for dates. */
  readonly now: () => number;
  /** Runs it once after this many milliseconds; returns a function that cancels it. */
  readonly after: (ms: number, run: () => void) => () => void;
}

/** The machine's own clock; steady, so that a corrected wall clock shortens no lease. */
export const systemClock: Clock = {
  now: () => performance.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

/** The machine's timers with this time. */
export const createSourceClock = (now: () => Date): SourceClock => ({
  now,
  sleep: async (ms, signal) => {
    try {
      await wait(ms, undefined, signal ? { signal } : undefined);
    } catch (error) {
      throw signal?.aborted ? signal.reason : error;
    }
  },
});
