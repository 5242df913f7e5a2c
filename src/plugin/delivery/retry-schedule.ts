/** ±20 %, so that what failed together does not come back together. */
const JITTER = 0.2;

export interface FailedAttempt {
  /** Which attempt it was, from 1. */
  readonly attempt: number;
  /** The wait that the receiver requested (Retry-After). */
  readonly waitMs?: number | undefined;
}

/**
 * How long to wait after a failed attempt, or undefined where it was the last. A receiver may ask
 * for more than the schedule's step, but for no more than twice it.
 */
export const delayAfter = (
  schedule: readonly number[],
  { attempt, waitMs }: FailedAttempt,
  random: () => number,
): number | undefined => {
  const step = schedule[attempt - 1];
  if (step === undefined || !Number.isFinite(step)) return undefined;
  const jittered = step * (1 - JITTER + 2 * JITTER * random());
  if (waitMs === undefined || Number.isNaN(waitMs)) return jittered;
  return Math.max(jittered, Math.min(Math.max(waitMs, step), 2 * step));
};

/** How long the schedule lasts at most, from the first attempt to the last. */
export const scheduleLength = (schedule: readonly number[]): number =>
  schedule.reduce((sum, step) => sum + step * (1 + JITTER), 0);
