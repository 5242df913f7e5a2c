import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { pipeline, Readable } from 'node:stream';
import type { Identity } from './authority.js';
import { createHmac, timingSafeEqual } from 'node:crypto';

/** How the receiver handles a request. */
export type Behaviour =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly body?: string;
      readonly headers?: Readonly<Record<string, string>>;
      /** The response waits for it. */
      readonly after?: Promise<void>;
    }
  /** Never responds. */
  | { readonly kind: 'hang' }
  /** Responds with an endless body, one byte at a time. */
  | { readonly kind: 'drip'; readonly status: number; readonly everyMs?: number }
  /** Responds with an endless body, as fast as it is read. */
  | { readonly kind: 'endless'; readonly status: number }
  /** Closes the connection without a response. */
  | { readonly kind: 'reset' }
  /** Sends a response that is not HTTP. */
  | { readonly kind: 'gibberish' };

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The bytes that the signatures cover. */
  readonly body: Buffer;
  /** The body's JSON; undefined if it is not JSON. */
  readonly json: unknown;
  /** The number of the TLS connection, from 1. */
  readonly connection: number;
  readonly at: Date;
  /** Whether it is signed with this secret. */
  readonly hasValidSignature: (secret: string) => boolean;
}

/** An HTTPS server that records requests and can misbehave. */
export interface HttpsReceiver {
  /** `https://localhost:<port>` */
  readonly url: string;
  readonly port: number;
  readonly requests: readonly ReceivedRequest[];
  /** The number of connections, including those without a TLS handshake. */
  readonly connections: () => number;
  /** Sets the behaviour for all requests from now on. */
  readonly setBehaviour: (behaviour: Behaviour) => void;
  /** Sets the behaviours of the next requests, one each. */
  readonly queueBehaviours: (...behaviours: readonly Behaviour[]) => void;
  /** Waits for this many requests, and resolves with all of them. Rejects after the time. */
  readonly received: (count: number, withinMs?: number) => Promise<readonly ReceivedRequest[]>;
  readonly close: () => Promise<void>;
}

interface ReceiverOptions {
  /** Called for each request; then `requests` stays empty. */
  readonly onRequest?: (request: ReceivedRequest) => void;
}

const OK: Behaviour = { kind: 'answer', status: 200, body: 'ok' };

export const openHttpsReceiver = async (
  identity: Identity,
  { onRequest }: ReceiverOptions = {},
): Promise<HttpsReceiver> => {
  const requests: ReceivedRequest[] = [];
  const waiting = new Set<() => void>();
  const upcoming: Behaviour[] = [];
  const connectionNumbers = new WeakMap<object, number>();
  let current: Behaviour = OK;
  let connections = 0;
  let secured = 0;

  const server = createServer({ cert: identity.certificate, key: identity.key });
  server.on('connection', () => (connections += 1));
  server.on('secureConnection', (socket) => connectionNumbers.set(socket, ++secured));
  // Expected in tests of clients that do not trust the certificate.
  server.on('tlsClientError', () => undefined);
  server.on('request', (request, response) => {
    void readBody(request).then((body) => {
      const received = toReceived(request, body, connectionNumbers.get(request.socket) ?? 0);
      if (onRequest) onRequest(received);
      else requests.push(received);
      for (const check of waiting) check();
      respond(upcoming.shift() ?? current, response);
    }, ignore);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address() as AddressInfo;

  const received = (count: number, withinMs = 5_000): Promise<readonly ReceivedRequest[]> =>
    new Promise((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer);
        waiting.delete(check);
      };
      const check = (): void => {
        if (requests.length < count) return;
        end();
        resolve(requests);
      };
      const timer = setTimeout(() => {
        end();
        reject(new Error(`${requests.length} of ${count} requests arrived within ${withinMs} ms.`));
      }, withinMs);
      waiting.add(check);
      check();
    });

  return {
    url: `https://localhost:${address.port}`,
    port: address.port,
    requests,
    connections: () => connections,
    setBehaviour: (behaviour) => (current = behaviour),
    queueBehaviours: (...behaviours) => upcoming.push(...behaviours),
    received,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
};

const ignore = (): void => undefined;

const readBody = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
};

const toReceived = (
  request: IncomingMessage,
  body: Buffer,
  connection: number,
): ReceivedRequest => ({
  method: request.method ?? '',
  path: request.url ?? '',
  headers: request.headers,
  body,
  json: jsonOf(body),
  connection,
  at: new Date(),
  hasValidSignature: (secret) => hasValidSignature(secret, request.headers, body),
});

const jsonOf = (body: Buffer): unknown => {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
};

const respond = (behaviour: Behaviour, response: ServerResponse): void => {
  switch (behaviour.kind) {
    case 'answer':
      void (behaviour.after ?? Promise.resolve()).then(() =>
        response.writeHead(behaviour.status, behaviour.headers).end(behaviour.body),
      );
      return;
    case 'hang':
      return;
    case 'drip':
      response.writeHead(behaviour.status);
      drip(response, behaviour.everyMs ?? 20);
      return;
    case 'endless':
      response.writeHead(behaviour.status);
      pipeline(Readable.from(endlessBlocks()), response, ignore);
      return;
    case 'reset':
      response.socket?.destroy();
      return;
    case 'gibberish':
      response.socket?.end('not HTTP\r\n\r\n');
  }
};

const drip = (response: ServerResponse, everyMs: number): void => {
  const timer = setInterval(() => response.write('.'), everyMs);
  response.on('close', () => clearInterval(timer));
};

function* endlessBlocks(): Generator<Buffer> {
  const block = Buffer.alloc(16_384, 'x');
  for (;;) yield block;
}

/**
 * Verifies the signature of a delivery as a receiver does. Written from interface.md (Delivery
 * headers), independently of the gateway's signing code.
 */
export const hasValidSignature = (
  secret: string,
  headers: IncomingHttpHeaders,
  body: Buffer,
): boolean => {
  const signature = headers['x-service-signature'];
  if (typeof signature !== 'string') return false;
  const expected = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  return (
    signature.length === expected.length &&
    timingSafeEqual(Buffer.from(signature), Buffer.from(expected))
  );
};
