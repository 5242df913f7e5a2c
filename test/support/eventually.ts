import { vi } from 'vitest';

/**
 * Waits until the assertion holds. The only bound is the test's own (vitest.config.ts), reached a
 * little earlier so that the failure shows what did not hold.
 */
export const eventually = <Result>(assertion: () => Result | Promise<Result>): Promise<Result> =>
  vi.waitFor(assertion, { timeout: 80_000, interval: 20 });
