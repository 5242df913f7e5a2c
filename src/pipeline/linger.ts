import { concatMap, type Observable, timer } from 'rxjs';

const LONGEST_MS = 10;

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * How long a lane waits for the clients it has just answered: at most half of what the batch took,
 * for clients that wait for their answers would otherwise fall into two parts that commit in turns,
 * each batch at the price of the whole. The last turn of the event loop is for requests that have
 * arrived but were not read yet, as answering took its time.
 */
export const linger = (tookMs: number): Observable<unknown> =>
  timer(Math.min(LONGEST_MS, Math.max(1, tookMs / 2))).pipe(concatMap(nextTurn));
