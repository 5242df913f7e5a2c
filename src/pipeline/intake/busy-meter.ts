/** Time constant of the average: older work counts less. */
const WINDOW_MS = 250;

/** Measures whether the instance has been working for most of the recent past. */
export interface BusyMeter {
  /** Call it when work starts after idle time, and when the last work ends. */
  readonly setWorking: (isWorking: boolean) => void;
  readonly isBusy: () => boolean;
}

/** `elapsed`: milliseconds of a monotonic clock. */
export const createBusyMeter = (elapsed: () => number): BusyMeter => {
  let isWorking = false;
  let since = elapsed();
  /** Exponentially weighted share of working time up to `since`, from 0 to 1. */
  let share = 0;

  const shareAt = (now: number): number => {
    const kept = Math.exp((since - now) / WINDOW_MS);
    return share * kept + (isWorking ? 1 - kept : 0);
  };

  return {
    setWorking: (nowWorking) => {
      const now = elapsed();
      share = shareAt(now);
      since = now;
      isWorking = nowWorking;
    },
    isBusy: () => shareAt(elapsed()) > 0.5,
  };
};
