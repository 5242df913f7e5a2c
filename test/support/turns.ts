import { vi } from 'vitest';

/**
 * How often some work gave the event loop back. Every look at the clock is a millisecond, so how
 * fast the machine is and what else runs on it does not show: work that paces itself by the clock
 * gives the loop back every few looks.
 */
export const turnsGivenBy = async (work: () => Promise<unknown>): Promise<number> => {
  let now = performance.now();
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 1));
  const given = vi.spyOn(globalThis, 'setImmediate');
  try {
    await work();
    return given.mock.calls.length;
  } finally {
    clock.mockRestore();
    given.mockRestore();
  }
};
