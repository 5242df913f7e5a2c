import { expect } from 'vitest';
import { cpuMs } from './cpu-time.js';

const cpuMsOf = (work: () => void): number => {
  const start = cpuMs();
  work();
  return cpuMs() - start;
};

const MEMBERS = Array.from({ length: 50_000 }, (_, at) => ({ id: `member ${at}`, value: at }));

/** Takes about 20 ms on an idle processor; on one that other processes share, as much longer as the work. */
const reference = (): void => void JSON.parse(JSON.stringify(MEMBERS));

/** The first runs are interpreted. */
const MAX_RUNS = 10;
const MAX_RATIO = 3;

/**
 * Expects work to take less than 60 ms of CPU time, as a ratio to other work at the same time. The best of
 * ten runs counts, so that neither a garbage collection nor the compiler does. Work that grows with the
 * square of its input takes seconds.
 */
export const expectQuick = (work: () => void): void => {
  const ratio = (): number => cpuMsOf(work) / cpuMsOf(reference);
  let best = ratio();
  for (let runs = 1; runs < MAX_RUNS && best >= MAX_RATIO; runs += 1)
    best = Math.min(best, ratio());
  expect(best).toBeLessThan(MAX_RATIO);
};
