import { expect } from 'vitest';

/** CPU time, which does not depend on other processes. */
const cpuMilliseconds = (work: () => void): number => {
  const start = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
};

/**
 * Expects work to take less than 50 ms of CPU time in the fastest of three runs, so that a garbage
 * collection does not count.
 */
export const expectQuick = (work: () => void): void => {
  let fastest = cpuMilliseconds(work);
  for (let retry = 0; retry < 2 && fastest >= 50; retry += 1) {
    fastest = Math.min(fastest, cpuMilliseconds(work));
  }
  expect(fastest).toBeLessThan(50);
};
