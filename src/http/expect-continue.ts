import type { IncomingMessage, ServerResponse } from 'node:http';

/** Clients that send their body only when they are asked to (RFC 9110, 10.1.1). */
const waiting = new WeakMap<IncomingMessage, ServerResponse>();

/**
 * Notes that the client of this request waits for `100 Continue`. Where it gets its final response
 * instead, it is unknown whether the next bytes are the body or another request: node ends the
 * connection with that response.
 */
export const awaitContinue = (request: IncomingMessage, response: ServerResponse): void => {
  waiting.set(request, response);
};

/** Asks for the body, where the client waits for that. Call when the request is to be read. */
export const sendContinue = (request: IncomingMessage): void => {
  waiting.get(request)?.writeContinue();
  waiting.delete(request);
};
