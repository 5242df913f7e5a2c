import type { ServerResponse } from 'node:http';

/**
 * The signal of a response: aborts when the client disconnects or the gateway drains. Created on
 * first use, since most responses do not need it, and then shared.
 */
export const responseSignal = (
  response: ServerResponse,
  drainSignal: AbortSignal,
): (() => AbortSignal) => {
  let signal: AbortSignal | undefined;
  const create = (): AbortSignal => {
    const controller = new AbortController();
    const abort = (): void => {
      drainSignal.removeEventListener('abort', abort);
      controller.abort();
    };
    if (drainSignal.aborted || response.destroyed) abort();
    else {
      drainSignal.addEventListener('abort', abort);
      response.once('close', abort);
    }
    return controller.signal;
  };
  return () => (signal ??= create());
};
