import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { listen, type ListenAddress } from '../process/listen.js';
import { handleClientError, refuseConnect } from './protocol-errors.js';
import { discardBody } from './discard-body.js';
import { lingerBeforeClose } from './linger-before-close.js';
import { deferContinue } from './expect-continue.js';
import type { ServiceState } from './service-state.js';
import { takeTurns } from './take-turns.js';

export interface ServerSettings extends ListenAddress {
  readonly state: ServiceState;
}

export interface RunningServer {
  readonly port: number;
  /** `http://host:port` */
  readonly url: string;
  /**
   * Stops accepting connections, refuses new requests on open ones, completes those in progress,
   * and closes what is left after the grace period. Resolves when all connections are closed.
   */
  readonly stop: (grace: { readonly graceMs: number }) => Promise<void>;
}

/**
 * Limits for slow clients: headers within 10 s, the whole request within 30 s, checked every
 * second. Idle connections outlive the 60 s of common load balancers, which could otherwise send a
 * request on a connection that is being closed.
 */
const LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 1_000,
  maxHeaderSize: 16 * 1024,
  // The app refuses it in its own format; Node would respond without a body.
  requireHostHeader: false,
} as const;
const MAX_CONNECTIONS = 10_000;

/** The responses in progress. */
const trackResponses = (server: Server, state: ServiceState) => {
  const responses = new Set<ServerResponse>();
  const track = (response: ServerResponse): void => {
    responses.add(response);
    response.once('close', () => {
      responses.delete(response);
      // Its connection becomes idle only after this turn of the event loop.
      if (state.phase() === 'stopping') setImmediate(() => server.closeIdleConnections());
    });
  };
  return { responses, track };
};

const closeAfterResponse = (responses: ReadonlySet<ServerResponse>): void => {
  for (const response of responses) {
    if (!response.headersSent) response.setHeader('Connection', 'close');
  }
};

/** Starts to listen. Rejects with an error for the operator if that is not possible. */
export const startServer = async (
  listener: RequestListener,
  settings: ServerSettings,
): Promise<RunningServer> => {
  const { host, state } = settings;
  const server = createServer(LIMITS);
  const { responses, track } = trackResponses(server, state);
  const handle = takeTurns(listener);
  const serve: RequestListener = (request, response) => {
    track(response);
    // Before Node itself discards the rest of the body, at full speed.
    response.once('prefinish', () => {
      if (request.complete) return;
      lingerBeforeClose(request.socket);
      if (request.listenerCount('data') === 0) discardBody(request);
    });
    handle(request, response);
  };
  server.on('request', serve);
  // Without these two, Node itself would request any body and respond to other expectations.
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    deferContinue(request, response);
    serve(request, response);
  });
  server.on('checkExpectation', serve);
  server.on('connect', refuseConnect);
  server.on('clientError', handleClientError(responses));
  server.maxConnections = MAX_CONNECTIONS;
  const { port } = await listen(server, settings);

  return {
    port,
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    stop: ({ graceMs }) =>
      new Promise((resolve) => {
        state.stop();
        closeAfterResponse(responses);
        const timer = setTimeout(() => server.closeAllConnections(), graceMs);
        server.close(() => {
          clearTimeout(timer);
          resolve();
        });
        server.closeIdleConnections();
      }),
  };
};
