import { vi } from 'vitest';

/**
 * Counts how often `work` yields to the event loop. Every read of the clock advances it by one
 * millisecond, so the count does not depend on the speed or load of the machine.
 */
export const countYields = async (work: () => Promise<unknown>): Promise<number> => {
  let now = performance.now();
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 1));
  const immediates = vi.spyOn(globalThis, 'setImmediate');
  try {
    await work();
    return immediates.mock.calls.length;
  } finally {
    clock.mockRestore();
    immediates.mockRestore();
  }
};
