import { expect } from 'vitest';
import { cpuMs } from './cpu-time.js';

const cpuMsOf = (work: () => void): number => {
  const start = cpuMs();
  work();
  return cpuMs() - start;
};

/** The first runs are interpreted, and other processes share the caches of the processor. */
const MAX_RUNS = 10;

/**
 * Expects work to take less than 50 ms of CPU time in the fastest of ten runs, so that neither a garbage
 * collection nor the compiler counts. Work that grows with the square of its input takes seconds.
 */
export const expectQuick = (work: () => void): void => {
  let fastest = cpuMsOf(work);
  for (let runs = 1; runs < MAX_RUNS && fastest >= 50; runs += 1)
    fastest = Math.min(fastest, cpuMsOf(work));
  expect(fastest).toBeLessThan(50);
};
