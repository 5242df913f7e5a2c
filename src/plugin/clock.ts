/** Time as the engine needs it: injected, so that tests can draw it. */
export interface Clock {
  /** Milliseconds that only ever go forward: for spans of time, never for dates. */
  readonly now: () => number;
  /** Runs it once, so many milliseconds from now; returns how to call that off. */
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
