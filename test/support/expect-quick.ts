import { expect } from 'vitest';

/** CPU time of this process: unlike wall time, it does not depend on other processes. */
const cpuMsOf = async (work: () => unknown): Promise<number> => {
  const start = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
};

const MEMBERS = Array.from({ length: 50_000 }, (_, at) => ({ id: `member ${at}`, value: at }));

/** Takes about 20 ms on an idle processor. */
const ordinaryWork = (): void => void JSON.parse(JSON.stringify(MEMBERS));

const MAX_ROUNDS = 10;
/** Measured: up to 2.7 for what is linear (64 KiB of line breaks), 33 and more for quadratic loops. */
const MAX_RATIO = 9;

/**
 * Expects work on hostile input to take at most nine times the CPU time of other work, by default of
 * parsing a text of 2 MB; for a request, pass one with an ordinary body of the same size. Both are measured
 * in turn until a round is within the factor: one of ten is not disturbed by a garbage collection, the
 * compiler, or the end of an earlier test. Work that grows with the square of its input never is.
 */
export const expectQuick = async (
  work: () => unknown,
  than: () => unknown = ordinaryWork,
): Promise<void> => {
  // Slower than it is: what Stryker has changed counts its statements.
  if (process.env['MUTATION_TESTS'] !== undefined) {
    await work();
    return;
  }
  let best = Infinity;
  for (let round = 0; round < MAX_ROUNDS && best > MAX_RATIO; round += 1)
    best = Math.min(best, (await cpuMsOf(work)) / (await cpuMsOf(than)));
  expect(best).toBeLessThanOrEqual(MAX_RATIO);
};
