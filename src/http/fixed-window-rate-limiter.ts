import type { RateLimiter, RateVerdict } from '../api/rate-limiter.js';

interface RateLimitSettings {
  /** How many may pass in one window. */
  readonly limit: number;
  readonly windowMs: number;
  /** Milliseconds since the epoch: windows begin at its multiples, on every instance alike. */
  readonly now: () => number;
  /** How many keys are counted at most; beyond, the one that came first is forgotten. */
  readonly capacity?: number;
}

const CAPACITY = 100_000;

/** Like RateLimiter, and always answers at once. */
export interface FixedWindowRateLimiter extends RateLimiter {
  readonly take: (key: string) => RateVerdict;
}

/**
 * Counts in fixed windows (decisions.md 3), in this process only. Memory is bounded by the window,
 * at whose end everything is forgotten, and by the capacity.
 */
export const makeFixedWindowRateLimiter = ({
  limit,
  windowMs,
  now,
  capacity = CAPACITY,
}: RateLimitSettings): FixedWindowRateLimiter => {
  const counts = new Map<string, number>();
  let window = -1;

  /** The milliseconds left in the window that it is now. */
  const enterWindow = (): number => {
    const time = now();
    const current = Math.floor(time / windowMs);
    // "Other", not "later": a clock set back begins anew too, instead of counting for hours.
    if (current !== window) counts.clear();
    window = current;
    return (current + 1) * windowMs - time;
  };

  const count = (key: string): number => {
    const taken = (counts.get(key) ?? 0) + 1;
    counts.set(key, taken);
    const [oldest] = counts.keys();
    if (counts.size > capacity && oldest !== undefined) counts.delete(oldest);
    return taken;
  };

  return {
    take: (key) => {
      const left = enterWindow();
      const taken = count(key);
      return {
        allowed: taken <= limit,
        limit,
        remaining: Math.max(0, limit - taken),
        resetSeconds: Math.max(1, Math.ceil(left / 1000)),
      };
    },
  };
};
