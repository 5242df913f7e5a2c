/** Assumed response time of a key without measurements. */
const INITIAL_MS = 250;
/** How much the latest attempt counts in the average. */
const WEIGHT = 0.2;

/** How fast a key takes its deliveries, as a moving average. */
export interface Throughput {
  readonly record: (attemptMs: number) => void;
  /** How many rows it can be expected to take in that time with so many attempts at once. */
  readonly expectedRows: (ms: number, concurrency: number) => number;
}

export const createThroughput = (): Throughput => {
  let averageMs = INITIAL_MS;
  return {
    record: (attemptMs) => {
      averageMs += WEIGHT * (attemptMs - averageMs);
    },
    expectedRows: (ms, concurrency) => Math.ceil((ms * concurrency) / Math.max(1, averageMs)),
  };
};
