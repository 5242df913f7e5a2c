import { systemClock } from '../contract/clock.js';
import type { DeliveryOutcome } from '../contract/contract.js';
import type { StreamLimits } from './stream-limits.js';

/** ±20 %, so that what failed together does not come back together. */
const JITTER = 0.2;

interface FailedAttempt {
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

const MIN_GIVE_UP_MS = 3_600_000;

/** How long a receiver may be silent: for the longest schedule, and at least for an hour. */
export const giveUpAfter = (schedule: readonly number[]): number => {
  const longest = schedule.reduce((sum, step) => sum + step * (1 + JITTER), 0);
  return Math.max(MIN_GIVE_UP_MS, longest);
};

/** An attempt in flight. */
export interface Attempt {
  /** Never rejects. */
  readonly outcome: Promise<DeliveryOutcome>;
  /** Aborts its signal; it has a short time to end. */
  readonly abort: () => void;
}

/** Plugins are third-party code: an invalid outcome must not crash the engine. */
const isOutcome = (value: unknown): value is DeliveryOutcome =>
  typeof value === 'object' &&
  value !== null &&
  'kind' in value &&
  (value.kind === 'delivered' ||
    (value.kind === 'failed' && 'reason' in value && typeof value.reason === 'string'));

const failed = (reason: string): DeliveryOutcome => ({ kind: 'failed', retry: true, reason });

/**
 * Starts an attempt that surely ends, however the subscriber behaves: a slot is never lost. `onError`
 * is called with what the subscriber threw.
 */
export const startAttempt = (
  deliver: (signal: AbortSignal) => Promise<DeliveryOutcome>,
  { attemptMs, abortGraceMs }: Pick<StreamLimits, 'attemptMs' | 'abortGraceMs'>,
  onError: (cause: unknown) => void,
): Attempt => {
  const controller = new AbortController();
  let cancelTimer = (): void => undefined;
  let giveUp = (): void => undefined;
  const abort = (): void => {
    if (controller.signal.aborted) return;
    cancelTimer();
    cancelTimer = systemClock.after(abortGraceMs, () => giveUp());
    controller.abort();
  };

  const run = async (): Promise<DeliveryOutcome> => {
    const settled: unknown = await deliver(controller.signal);
    if (isOutcome(settled)) return settled;
    throw new TypeError('deliver must resolve with an outcome.');
  };

  const outcome = new Promise<DeliveryOutcome>((resolve) => {
    giveUp = () => resolve(failed('The attempt did not end in time.'));
    cancelTimer = systemClock.after(attemptMs, abort);
    run()
      .catch((cause: unknown) => {
        onError(cause);
        return failed('The subscriber failed.');
      })
      .then((settled) => {
        cancelTimer();
        resolve(settled);
      })
      .catch(onError);
  });
  return { outcome, abort };
};
