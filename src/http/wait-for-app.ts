import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

/** A listener for a port that is taken before there is an app to serve it. */
export interface WaitingListener {
  readonly listener: RequestListener;
  /** Serves what came meanwhile, and from now on whatever comes. */
  readonly serveBy: (app: RequestListener) => void;
}

/** Requests that come between the two wait; the server bounds how many there can be. */
export const waitForApp = (): WaitingListener => {
  let app: RequestListener | undefined;
  const waiting: (readonly [IncomingMessage, ServerResponse])[] = [];
  return {
    listener: (request, response) => {
      if (app) app(request, response);
      else waiting.push([request, response]);
    },
    serveBy: (given) => {
      app = given;
      for (const [request, response] of waiting.splice(0)) given(request, response);
    },
  };
};
