/** A key of which nothing is known yet is taken for one that answers in this time. */
const UNKNOWN_MS = 250;
/** How much the latest attempt counts in the average. */
const WEIGHT = 0.2;

/** How fast a key takes its deliveries, as a moving average. */
export interface Pace {
  readonly note: (attemptMs: number) => void;
  /** How many rows it can be expected to take in that time with so many attempts at once. */
  readonly rowsWithin: (ms: number, concurrency: number) => number;
}

export const createPace = (): Pace => {
  let averageMs = UNKNOWN_MS;
  return {
    note: (attemptMs) => {
      averageMs += WEIGHT * (attemptMs - averageMs);
    },
    rowsWithin: (ms, concurrency) => Math.ceil((ms * concurrency) / Math.max(1, averageMs)),
  };
};
