import { setTimeout as wait } from 'node:timers/promises';
import type { SourceClock } from '../contract/connector-contract.js';

/** The machine's timers with this time. */
export const createSourceClock = (now: () => Date): SourceClock => ({
  now,
  sleep: async (ms, signal) => {
    try {
      await wait(ms, undefined, signal ? { signal } : undefined);
    } catch (error) {
      throw signal?.aborted ? signal.reason : error;
    }
  },
});
