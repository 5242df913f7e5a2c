import { firstValueFrom, type Observable, Subject, timer } from 'rxjs';
import type { Refusal } from '../domain/kernel/refusals.js';
import type { Arrival } from './batch.js';

/** How long a command that waits for a job is set aside before it is decided again. */
const POSTPONE_MS = 100;

export interface Postponements {
  /** Commands that are due to be decided again. */
  readonly due$: Observable<Arrival>;
  /** Sets a command aside, or refuses it if it has waited long enough. */
  readonly postpone: (arrival: Arrival, refusal: Refusal) => void;
}

export const createPostponements = ({
  isStopping,
  maxWaitMs,
}: {
  readonly isStopping: () => boolean;
  readonly maxWaitMs: number;
}): Postponements => {
  const due$ = new Subject<Arrival>();
  return {
    due$,
    postpone: (arrival, refusal) => {
      const hasWaited = performance.now() - arrival.receivedAt > maxWaitMs;
      if (isStopping() || hasWaited) arrival.resolve({ ok: false, refusal });
      else void firstValueFrom(timer(POSTPONE_MS)).then(() => due$.next(arrival));
    },
  };
};
