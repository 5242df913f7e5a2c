import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerBrokenRequest, answerConnect } from './answer-broken-request.js';
import { drainInTurns } from './drain-in-turns.js';
import { lingerBeforeClose } from './linger-before-close.js';
import { awaitContinue } from './expect-continue.js';
import type { ServiceState } from './service-state.js';

export interface ServerSettings {
  readonly host: string;
  /** 0 for any free one. */
  readonly port: number;
  readonly state: ServiceState;
}

export interface RunningServer {
  readonly port: number;
  /** `http://host:port` */
  readonly url: string;
  /**
   * Takes no new connection, refuses new requests on those that are open, lets what is under way
   * finish, and closes what is left when the grace is over. Resolves when all connections are gone.
   */
  readonly stop: (grace: { readonly graceMs: number }) => Promise<void>;
}

/**
 * Limits against clients that are slow, many or endless. The header must be there in 10 s, the
 * whole request in 30 s (looked at every second). Idle connections outlive the 60 s of common
 * balancers, which otherwise send a request into one that is just being closed.
 */
const LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 1_000,
  maxHeaderSize: 16 * 1024,
  // Refused by the app, in its own form: node would answer without a body.
  requireHostHeader: false,
} as const;
const MOST_CONNECTIONS = 10_000;

const NOT_LOCAL = 'the host is not an address of this machine';

const LISTEN_ERRORS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is already in use. Stop the other process or choose another port',
  EADDRNOTAVAIL: NOT_LOCAL,
  ENOTFOUND: NOT_LOCAL,
  EACCES: 'permission denied. Ports below 1024 require privileges',
};

const listen = (server: Server, { host, port }: ServerSettings): Promise<AddressInfo> =>
  new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const reason = LISTEN_ERRORS[cause.code ?? ''] ?? cause.message;
      const message =
        `Cannot listen on ${host} port ${port}: ${reason}. Set the address with ROLLGATE_HOST and ` +
        'ROLLGATE_PORT (host and port in the configuration).';
      reject(new Error(message, { cause }));
    });
    server.listen({ host, port }, () => resolve(server.address() as AddressInfo));
  });

/** The answers that are being made; told of each as it begins and ends. */
const trackAnswers = (server: Server, state: ServiceState) => {
  const answers = new Set<ServerResponse>();
  const track = (response: ServerResponse): void => {
    answers.add(response);
    response.once('close', () => {
      answers.delete(response);
      // Its connection is idle only after this turn; nobody else would close it then.
      if (state.phase() === 'stopping') setImmediate(() => server.closeIdleConnections());
    });
  };
  return { answers, track };
};

const closeAfterAnswer = (answers: ReadonlySet<ServerResponse>): void => {
  for (const answer of answers) {
    if (!answer.headersSent) answer.setHeader('Connection', 'close');
  }
};

/** Listens. Rejects with a sentence for the operator where that is not possible. */
export const startServer = async (
  listener: RequestListener,
  settings: ServerSettings,
): Promise<RunningServer> => {
  const { host, state } = settings;
  const server = createServer(LIMITS);
  const { answers, track } = trackAnswers(server, state);
  const serve: RequestListener = (request, response) => {
    track(response);
    // Before node does so, at full speed, when the answer has been sent.
    response.once('prefinish', () => {
      if (request.complete) return;
      lingerBeforeClose(request.socket);
      if (request.listenerCount('data') === 0) drainInTurns(request);
    });
    listener(request, response);
  };
  server.on('request', serve);
  // Without these two, node would ask for any body, and answer any other expectation, by itself.
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    awaitContinue(request, response);
    serve(request, response);
  });
  server.on('checkExpectation', serve);
  server.on('connect', answerConnect);
  server.on('clientError', answerBrokenRequest(answers));
  server.maxConnections = MOST_CONNECTIONS;
  const { port } = await listen(server, settings);

  return {
    port,
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    stop: ({ graceMs }) =>
      new Promise((resolve) => {
        state.stop();
        closeAfterAnswer(answers);
        const timer = setTimeout(() => server.closeAllConnections(), graceMs);
        server.close(() => {
          clearTimeout(timer);
          resolve();
        });
        server.closeIdleConnections();
      }),
  };
};
