import type { IncomingMessage, RequestListener } from 'node:http';
import { type LoopScheduler, loopScheduler, URGENT } from '../pipeline/loop-scheduler.js';

/**
 * Shares the event loop between clients. A burst of requests that arrives in one turn of the loop takes
 * tens of milliseconds to read, which every other client would wait for. After a time slice, further
 * requests wait, and one is handled per turn, that of the client that has used the least time
 * (pipeline-rules.md 9). Probes go first.
 */
export const takeTurns =
  (listener: RequestListener, scheduler: LoopScheduler = loopScheduler): RequestListener =>
  (request, response) =>
    scheduler.enter(clientOf(request), () => {
      // The client of a destroyed one has left.
      if (!request.destroyed) listener(request, response);
    });

const PROBES: ReadonlySet<string | undefined> = new Set(['/healthz', '/readyz']);

/** Requests with the same credentials; without any, of the same address. */
const clientOf = ({ headers, socket, url }: IncomingMessage): unknown =>
  PROBES.has(url)
    ? URGENT
    : (headers.authorization ?? headers.cookie ?? socket.remoteAddress ?? '');
