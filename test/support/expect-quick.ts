import { expect } from 'vitest';
import { cpuMs } from './cpu-time.js';

const cpuMsOf = (work: () => void): number => {
  const start = cpuMs();
  work();
  return cpuMs() - start;
};

/**
 * Expects work to take less than 50 ms of CPU time in the fastest of three runs, so that a garbage
 * collection does not count.
 */
export const expectQuick = (work: () => void): void => {
  let fastest = cpuMsOf(work);
  for (let retry = 0; retry < 2 && fastest >= 50; retry += 1) {
    fastest = Math.min(fastest, cpuMsOf(work));
  }
  expect(fastest).toBeLessThan(50);
};
