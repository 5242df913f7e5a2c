import type { Clock } from '../contract/clock.js';

/**
 * Distinguishes a source that is slow from one that hangs: it has hung if nothing happened for the limit,
 * pauses that it requested not counted.
 */
export interface Watchdog {
  /** Something happened. */
  readonly touch: () => void;
  /** The connector waits on purpose until the returned function is called. */
  readonly hold: () => () => void;
  /** Calls `bite` if it has hung; returns a function that ends the watch. */
  readonly watch: (limitMs: number, bite: () => void) => () => void;
}

export const createWatchdog = ({ now, after }: Clock): Watchdog => {
  let lastAt = now();
  let holds = 0;
  const touch = (): void => {
    lastAt = now();
  };
  return {
    touch,
    hold: () => {
      let isHeld = true;
      holds += 1;
      return () => {
        if (!isHeld) return;
        isHeld = false;
        holds -= 1;
        touch();
      };
    },
    watch: (limitMs, bite) => {
      touch();
      let cancel: () => void = () => undefined;
      const check = (): void => {
        const idle = holds > 0 ? 0 : now() - lastAt;
        if (idle >= limitMs) bite();
        else cancel = after(limitMs - idle, check);
      };
      cancel = after(limitMs, check);
      return () => cancel();
    },
  };
};
