import { LRUCache } from 'lru-cache';
import type { RateLimiter, RateLimitResult } from '../api/rate-limiter.js';

interface RateLimitSettings {
  /** Requests per window. */
  readonly limit: number;
  readonly windowMs: number;
  /**
   * Milliseconds since the epoch. Windows start at its multiples, so all instances have the same.
   */
  readonly now: () => number;
  /** Maximum number of keys; beyond it, the least recently used is dropped. */
  readonly capacity?: number;
}

const CAPACITY = 100_000;

/** A RateLimiter that never returns a promise. */
export interface FixedWindowRateLimiter extends RateLimiter {
  readonly take: (key: string) => RateLimitResult;
}

/**
 * Counts failed authentications in fixed windows, in this process only. The limit per API key is in
 * store/shared-rate-limiter.ts. Memory is bounded by the capacity and freed after each window.
 */
export const createFixedWindowRateLimiter = ({
  limit,
  windowMs,
  now,
  capacity = CAPACITY,
}: RateLimitSettings): FixedWindowRateLimiter => {
  // With `max` instead, all entries would be allocated at the start.
  const counts = new LRUCache<string, number>({ maxSize: capacity, sizeCalculation: () => 1 });
  let window = -1;

  /** Milliseconds left in the current window. */
  const enterWindow = (): number => {
    const time = now();
    const current = Math.floor(time / windowMs);
    // Any other window, not only a later one: a clock that was set back must not count for hours.
    if (current !== window) counts.clear();
    window = current;
    return (current + 1) * windowMs - time;
  };

  const count = (key: string): number => {
    const taken = (counts.get(key) ?? 0) + 1;
    counts.set(key, taken);
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
