/** How far back is looked, in milliseconds: what was earlier counts less and less. */
const WINDOW_MS = 250;

/** Whether there is work most of the time: a command now and then keeps nobody busy. */
export interface BusyTime {
  /** Work begins after a time without any, or the last of it ends. */
  readonly turned: (isWorking: boolean) => void;
  readonly isBusy: () => boolean;
}

/** `elapsed`: milliseconds since some moment. */
export const createBusyTime = (elapsed: () => number): BusyTime => {
  let isWorking = false;
  let since = elapsed();
  /** The part of the time up to then in which there was work, from 0 to 1. */
  let share = 0;

  const shareAt = (now: number): number => {
    const kept = Math.exp((since - now) / WINDOW_MS);
    return share * kept + (isWorking ? 1 - kept : 0);
  };

  return {
    turned: (nowWorking) => {
      const now = elapsed();
      share = shareAt(now);
      since = now;
      isWorking = nowWorking;
    },
    isBusy: () => shareAt(elapsed()) > 0.5,
  };
};
