import { setTimeout as pause } from 'node:timers/promises';
import { quantile } from '../../tooling/statistics.js';

/** How long others wait for their answers meanwhile, in milliseconds. */
export interface Waits {
  readonly requests: number;
  readonly p50: number;
  readonly p99: number;
  readonly most: number;
}

/**
 * Asks the same things again and again, one request at a time and each measured by itself, until it
 * is told to stop. What is not answered is no wait.
 */
export const startProbe = (asks: readonly (() => Promise<unknown>)[], everyMs: number) => {
  let waits: number[] = [];
  let isOver = false;

  const run = async (): Promise<void> => {
    while (!isOver) {
      for (const ask of asks) {
        const began = performance.now();
        const isAnswered = await ask().then(
          () => true,
          () => false,
        );
        if (isAnswered) waits.push(performance.now() - began);
      }
      await pause(everyMs);
    }
  };
  const running = run();

  return {
    /** What was measured since the last time. */
    take: (): Waits => {
      const taken = waits;
      waits = [];
      return {
        requests: taken.length,
        p50: quantile(taken, 0.5),
        p99: quantile(taken, 0.99),
        most: Math.max(0, ...taken),
      };
    },
    stop: async (): Promise<void> => {
      isOver = true;
      await running;
    },
  };
};
