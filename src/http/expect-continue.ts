import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Requests with `Expect: 100-continue` whose client waits before it sends the body (RFC 9110,
 * 10.1.1).
 */
const waiting = new WeakMap<IncomingMessage, ServerResponse>();

/**
 * Defers `100 Continue` until the body is read. If the client gets a final response instead, Node
 * closes the connection, because the next bytes may be the body or another request.
 */
export const deferContinue = (request: IncomingMessage, response: ServerResponse): void => {
  waiting.set(request, response);
};

/** Sends the deferred `100 Continue`. Call it before reading the body. */
export const sendContinue = (request: IncomingMessage): void => {
  waiting.get(request)?.writeContinue();
  waiting.delete(request);
};
