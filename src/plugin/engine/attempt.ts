import type { Clock } from '../clock.js';
import type { DeliveryOutcome } from '../contract.js';

/** An attempt that is under way. */
export interface Attempt {
  /** Never rejects. */
  readonly outcome: Promise<DeliveryOutcome>;
  /** Asks it to end; it has a short time for that. */
  readonly breakOff: () => void;
}

export interface AttemptLimits {
  readonly clock: Clock;
  /** How long it may take before it is broken off. */
  readonly limitMs: number;
  /** How long it has to end after that, before it counts as failed. */
  readonly breakOffMs: number;
  /** Told what the subscriber threw. */
  readonly threw: (cause: unknown) => void;
}

/** Plugins are anybody's: what is no outcome must not bring the engine down. */
const isOutcome = (value: unknown): value is DeliveryOutcome =>
  typeof value === 'object' &&
  value !== null &&
  'kind' in value &&
  (value.kind === 'delivered' ||
    (value.kind === 'failed' && 'reason' in value && typeof value.reason === 'string'));

const failed = (reason: string): DeliveryOutcome => ({ kind: 'failed', retry: true, reason });

/** Starts an attempt that surely ends, however the subscriber behaves: a slot is never lost. */
export const startAttempt = (
  deliver: (signal: AbortSignal) => Promise<DeliveryOutcome>,
  { clock, limitMs, breakOffMs, threw }: AttemptLimits,
): Attempt => {
  const controller = new AbortController();
  let cancelTimer = (): void => undefined;
  let giveUp = (): void => undefined;
  const breakOff = (): void => {
    if (controller.signal.aborted) return;
    cancelTimer();
    cancelTimer = clock.after(breakOffMs, () => giveUp());
    controller.abort();
  };

  const outcome = new Promise<DeliveryOutcome>((resolve) => {
    giveUp = () => resolve(failed('The attempt did not end in time.'));
    cancelTimer = clock.after(limitMs, breakOff);
    const run = async (): Promise<DeliveryOutcome> => {
      const settled: unknown = await deliver(controller.signal);
      if (isOutcome(settled)) return settled;
      throw new TypeError('deliver must resolve with an outcome.');
    };
    run()
      .catch((cause: unknown) => {
        threw(cause);
        return failed('The subscriber failed.');
      })
      .then((settled) => {
        cancelTimer();
        resolve(settled);
      })
      .catch(threw);
  });
  return { outcome, breakOff };
};
