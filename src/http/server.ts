import {
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
  createServer,
  type Server,
} from 'node:http';
import type { Socket } from 'node:net';
import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { refuse, type RefusalCode } from '../domain/kernel/refusals.js';
import { errorBodyOf } from './errors.js';
import { listen, type ListenAddress } from '../process/listen.js';
import { openFileLimit } from '../process/open-files.js';
import { addressKeyOf, createProxyCheck } from './access/refuse-credentials.js';
import { discardBody } from './json/body-intake.js';
import { deferContinue } from './json/read-json.js';
import type { ServiceState } from './service-state.js';

/** Time for the client to stop sending and read its response, in milliseconds. */
const LINGER_MS = 2_000;

/**
 * Closes a connection in two steps after its response: first the sending side, then all of it, when
 * the client has closed too or after a time limit. If it were closed at once while the client still
 * sends, the connection would be reset and the client could lose the response (RFC 9112, 9.6). Node
 * closes by `destroySoon`, which this replaces for the connection.
 */
const lingerBeforeClose = (socket: Socket): void => {
  socket.destroySoon = () => {
    const timer = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once('close', () => clearTimeout(timer));
    socket.once('end', () => socket.destroy());
    socket.end();
  };
};

interface ProtocolError {
  readonly status: string;
  readonly message: string;
  readonly code?: RefusalCode;
}

/** Errors of the HTTP parser, by Node's code. */
const PROTOCOL_ERRORS: Readonly<Record<string, ProtocolError>> = {
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: '408 Request Timeout',
    message: 'The request was not received in time.',
    code: 'REQUEST_TIMEOUT',
  },
  HPE_HEADER_OVERFLOW: {
    status: '431 Request Header Fields Too Large',
    message: 'The request line and headers exceed 16 KiB.',
  },
};
const MALFORMED: ProtocolError = {
  status: '400 Bad Request',
  message: 'The request is not well-formed HTTP.',
};

const rawResponse = ({ status, message, code = 'INVALID_REQUEST' }: ProtocolError): string => {
  const requestId = randomUUID();
  const body = JSON.stringify(errorBodyOf(refuse(code, message), requestId));
  const head = [
    `HTTP/1.1 ${status}`,
    'Connection: close',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    `X-Request-Id: ${requestId}`,
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
};

const hasStarted = (responses: ReadonlySet<ServerResponse>, socket: Duplex): boolean => {
  for (const response of responses) {
    if (response.socket === socket && response.headersSent) return true;
  }
  return false;
};

/**
 * Responds to a malformed request in the native format and closes the connection, since the start
 * of the next request is unknown (RFC 9112, 9.6). Never writes into another response.
 */
const handleClientError =
  (responses: ReadonlySet<ServerResponse>) =>
  (error: NodeJS.ErrnoException, socket: Duplex): void => {
    if (!socket.writable || error.code === 'ECONNRESET' || hasStarted(responses, socket)) {
      socket.destroy();
      return;
    }
    socket.end(rawResponse(PROTOCOL_ERRORS[error.code ?? ''] ?? MALFORMED), () => socket.destroy());
  };

const NO_TUNNELS: ProtocolError = {
  status: '501 Not Implemented',
  message: 'CONNECT is not supported: this server is not a proxy.',
  code: 'NOT_IMPLEMENTED',
};

/** CONNECT hands over the bare socket (RFC 9110, 9.3.6). */
const refuseConnect = (_request: IncomingMessage, socket: Duplex): void => {
  socket.on('error', () => socket.destroy());
  socket.end(rawResponse(NO_TUNNELS), () => socket.destroy());
};

interface ServerSettings extends ListenAddress {
  readonly state: ServiceState;
  /** The connections of other addresses are limited. */
  readonly trustedProxies?: readonly string[];
  readonly maxConnections?: number;
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
/** The part of the connections that one address may have, so that it does not lock out the others. */
const ADDRESS_SHARE = 0.5;

/** Half of the files that the process may open are left for the database and everything else. */
const defaultMaxConnections = (): number =>
  Math.min(MAX_CONNECTIONS, Math.floor(openFileLimit() / 2));

/** Closes the connections of an address beyond its share. Those of a proxy are of many clients. */
const limitByAddress = (
  server: Server,
  { trustedProxies = [], maxConnections }: ServerSettings,
): void => {
  const isProxy = createProxyCheck(trustedProxies);
  const open = new Map<string, number>();
  server.maxConnections = maxConnections ?? defaultMaxConnections();
  const limit = server.maxConnections * ADDRESS_SHARE;

  server.on('connection', (socket) => {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined || isProxy(remoteAddress)) return;
    const key = addressKeyOf(remoteAddress);
    const count = (open.get(key) ?? 0) + 1;
    open.set(key, count);
    if (count > limit) socket.destroy();
    socket.once('close', () => {
      const left = (open.get(key) ?? 1) - 1;
      if (left > 0) open.set(key, left);
      else open.delete(key);
    });
  });
};

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

/** How long a connection without a request may still send one after the stop, in milliseconds. */
const UNUSED_MS = 1_000;

/**
 * The connections without a request so far, which browsers and load balancers open in advance. Node
 * takes them for busy, so a stop would wait for their first request.
 */
const trackUnused = (server: Server) => {
  const unused = new Set<Socket>();
  server.on('connection', (socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  return unused;
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
  const unused = trackUnused(server);
  limitByAddress(server, settings);
  const serve: RequestListener = (request, response) => {
    unused.delete(request.socket);
    track(response);
    // Before Node itself discards the rest of the body, at full speed.
    response.once('prefinish', () => {
      if (request.complete) return;
      lingerBeforeClose(request.socket);
      if (request.listenerCount('data') === 0) discardBody(request);
    });
    listener(request, response);
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
  const { port } = await listen(server, settings);

  return {
    port,
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    stop: ({ graceMs }) =>
      new Promise((resolve) => {
        state.stop();
        closeAfterResponse(responses);
        const timers = [
          setTimeout(() => unused.forEach((socket) => socket.destroy()), UNUSED_MS),
          setTimeout(() => server.closeAllConnections(), graceMs),
        ];
        server.close(() => {
          timers.forEach(clearTimeout);
          resolve();
        });
        server.closeIdleConnections();
      }),
  };
};
