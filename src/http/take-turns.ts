import type { RequestListener } from 'node:http';
import { type LoopScheduler, loopScheduler } from '../pipeline/loop-scheduler.js';
import type { LoopShares } from './access/loop-shares.js';

/**
 * Shares the event loop between clients. A burst of requests that arrives in one turn of the loop takes
 * tens of milliseconds to read, which every other client would wait for. After a time slice, further
 * requests wait until it is the turn of their share (pipeline-rules.md 9). Probes go first.
 */
export const takeTurns =
  (
    listener: RequestListener,
    shareOf: LoopShares['shareOf'],
    scheduler: LoopScheduler = loopScheduler,
  ): RequestListener =>
  (request, response) =>
    scheduler.enter(shareOf(request), () => {
      // The client of a destroyed one has left.
      if (!request.destroyed) listener(request, response);
    });
