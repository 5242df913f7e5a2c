import { defer, type Observable, timer } from 'rxjs';

const MAX_MS = 10;

/**
 * Waits for clients that were just answered, at most half as long as their batch took. Without it,
 * clients that send their next request after each response split into two groups that commit
 * alternately, and each batch costs as much as one of all of them.
 */
export const linger = (tookMs: number): Observable<unknown> =>
  timer(Math.min(MAX_MS, Math.max(1, tookMs / 2)));

/**
 * Emits when Node has read everything that has arrived by now: it reads before it runs callbacks of
 * `setImmediate`. The timer after it also lets connections that were closed meanwhile report their
 * end; the driver would wait forever on one that has not (see NeverAnswered in the store).
 */
export const afterIo = (): Observable<unknown> =>
  defer(() => new Promise<void>((resolve) => setImmediate(() => setTimeout(resolve, 0))));
