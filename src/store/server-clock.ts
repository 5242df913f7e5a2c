/** The database's time, carried on by a steady clock. */
export interface ServerClock {
  /** Never earlier than what it said before, unless the server's clock was set back by long. */
  readonly now: () => Date;
  /** What the server's clock said, and when by the steady one. */
  readonly set: (time: Date, at: number) => void;
}

/**
 * What the time an answer takes may make of a clock, or another member that is the primary from now
 * on: by so much it waits rather than going back. More than that is a clock that was corrected, and
 * waiting for it would leave it wrong for that long.
 */
const MAX_HOLD_MS = 60_000;

export const createServerClock = (steady: () => number = () => performance.now()): ServerClock => {
  let known = { time: Date.now(), at: steady() };
  let latest = -Infinity;
  return {
    now: () => {
      const time = known.time + steady() - known.at;
      const isBack = time < latest && latest - time <= MAX_HOLD_MS;
      if (!isBack) latest = time;
      return new Date(latest);
    },
    set: (time, at) => {
      known = { time: time.getTime(), at };
    },
  };
};
