import { defer, type Observable, timer } from 'rxjs';

const LONGEST_MS = 10;

/**
 * How long a lane waits for the clients it has just answered: at most half of what the batch took,
 * for clients that wait for their answers would otherwise fall into two parts that commit in turns,
 * each batch at the price of the whole.
 */
export const linger = (tookMs: number): Observable<unknown> =>
  timer(Math.min(LONGEST_MS, Math.max(1, tookMs / 2)));

/**
 * Ends when all that has arrived by now was read: what node reads in a turn of the event loop it
 * reads before it runs what `setImmediate` was given. And then when what was closed in this turn
 * has said so, which comes after that: on a connection whose end is not known yet the driver would
 * wait for ever (see NeverAnswered in the store).
 */
export const turn = (): Observable<unknown> =>
  defer(() => new Promise<void>((resolve) => setImmediate(() => setTimeout(resolve, 0))));
