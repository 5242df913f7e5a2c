import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { pipeline, Readable } from 'node:stream';
import type { Identity } from './authority.js';
import { isGenuine } from './verify-delivery.js';

/** What the receiver does with a request. */
export type Behaviour =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly body?: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** Takes the request and never answers. */
  | { readonly kind: 'hang' }
  /** Answers with this status and a body that never ends: a byte now and then… */
  | { readonly kind: 'drip'; readonly status: number; readonly everyMs?: number }
  /** …or as many as are taken, as fast as they are. */
  | { readonly kind: 'endless'; readonly status: number }
  /** Breaks the connection off without an answer. */
  | { readonly kind: 'reset' }
  /** Answers what is no HTTP. */
  | { readonly kind: 'gibberish' };

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** As it came, byte for byte: what signatures are over. */
  readonly body: Buffer;
  /** The body's JSON; undefined where it is none. */
  readonly json: unknown;
  /** The number of the TLS connection it came over, from 1. */
  readonly connection: number;
  readonly at: Date;
  /** Whether its signature is right under this secret. */
  readonly isGenuine: (secret: string) => boolean;
}

/** A real HTTPS server that keeps what it is sent and misbehaves on command. */
export interface HttpsReceiver {
  /** `https://localhost:<port>` */
  readonly url: string;
  readonly port: number;
  readonly requests: readonly ReceivedRequest[];
  /** How many connections were made, TLS finished or not. */
  readonly connections: () => number;
  /** From now on. */
  readonly behave: (behaviour: Behaviour) => void;
  /** For the next requests, one each, before the lasting behaviour holds again. */
  readonly behaveOnce: (...behaviours: readonly Behaviour[]) => void;
  /** The requests so far, as soon as there are this many; rejects after the time. */
  readonly received: (count: number, withinMs?: number) => Promise<readonly ReceivedRequest[]>;
  readonly close: () => Promise<void>;
}

export interface ReceiverOptions {
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
  let lasting: Behaviour = OK;
  let connections = 0;
  let secured = 0;

  const server = createServer({ cert: identity.certificate, key: identity.key });
  server.on('connection', () => (connections += 1));
  server.on('secureConnection', (socket) => connectionNumbers.set(socket, ++secured));
  // A client that does not trust us or goes away is what many a test is about.
  server.on('tlsClientError', () => undefined);
  server.on('request', (request, response) => {
    void readBody(request).then((body) => {
      const received = keep(request, body, connectionNumbers.get(request.socket) ?? 0);
      if (onRequest) onRequest(received);
      else requests.push(received);
      for (const check of waiting) check();
      behaveSo(upcoming.shift() ?? lasting, response);
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
        reject(new Error(`${requests.length} of ${count} requests came within ${withinMs} ms.`));
      }, withinMs);
      waiting.add(check);
      check();
    });

  return {
    url: `https://localhost:${address.port}`,
    port: address.port,
    requests,
    connections: () => connections,
    behave: (behaviour) => (lasting = behaviour),
    behaveOnce: (...behaviours) => upcoming.push(...behaviours),
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

const keep = (request: IncomingMessage, body: Buffer, connection: number): ReceivedRequest => ({
  method: request.method ?? '',
  path: request.url ?? '',
  headers: request.headers,
  body,
  json: jsonOf(body),
  connection,
  at: new Date(),
  isGenuine: (secret) => isGenuine(secret, request.headers, body),
});

const jsonOf = (body: Buffer): unknown => {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
};

const behaveSo = (behaviour: Behaviour, response: ServerResponse): void => {
  switch (behaviour.kind) {
    case 'answer':
      response.writeHead(behaviour.status, behaviour.headers).end(behaviour.body);
      return;
    case 'hang':
      return;
    case 'drip':
      response.writeHead(behaviour.status);
      drip(response, behaviour.everyMs ?? 20);
      return;
    case 'endless':
      response.writeHead(behaviour.status);
      pipeline(Readable.from(withoutEnd()), response, ignore);
      return;
    case 'reset':
      response.socket?.destroy();
      return;
    case 'gibberish':
      response.socket?.end('I speak no HTTP.\r\n\r\n');
  }
};

const drip = (response: ServerResponse, everyMs: number): void => {
  const timer = setInterval(() => response.write('.'), everyMs);
  response.on('close', () => clearInterval(timer));
};

function* withoutEnd(): Generator<Buffer> {
  const block = Buffer.alloc(16_384, 'x');
  for (;;) yield block;
}
