import type { IncomingMessage } from 'node:http';
import { closeSignalOf } from './request-context.js';

/**
 * The signal of a response: aborts when the client disconnects or the gateway drains. Created on
 * first use, since most responses do not need it, and then shared.
 */
export const responseSignal = (
  request: IncomingMessage,
  drainSignal: AbortSignal,
): (() => AbortSignal) => {
  let signal: AbortSignal | undefined;
  const create = (): AbortSignal => {
    const closeSignal = closeSignalOf(request);
    const controller = new AbortController();
    const abort = (): void => {
      drainSignal.removeEventListener('abort', abort);
      controller.abort();
    };
    if (drainSignal.aborted || closeSignal.aborted) abort();
    else for (const each of [drainSignal, closeSignal]) each.addEventListener('abort', abort);
    return controller.signal;
  };
  return () => (signal ??= create());
};
