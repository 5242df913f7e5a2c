/** The database's time, extrapolated by a monotonic clock. */
export interface ServerClock {
  /** Never earlier than before, unless the server's clock was set back by more than a minute. */
  readonly now: () => Date;
  /** A reading of the server's clock, and when it was read by the monotonic clock. */
  readonly set: (time: Date, at: number) => void;
}

/**
 * A new reading may be earlier because of network latency or another primary. Up to this much the
 * clock stands still rather than going back. More is a clock that was corrected: standing still
 * would leave it wrong for that long.
 */
const MAX_HOLD_MS = 60_000;

export const createServerClock = (
  monotonic: () => number = () => performance.now(),
): ServerClock => {
  let known = { time: Date.now(), at: monotonic() };
  let latest = -Infinity;
  return {
    now: () => {
      const time = known.time + monotonic() - known.at;
      const standsStill = time < latest && latest - time <= MAX_HOLD_MS;
      if (!standsStill) latest = time;
      return new Date(latest);
    },
    set: (time, at) => {
      known = { time: time.getTime(), at };
    },
  };
};
