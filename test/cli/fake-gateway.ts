import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SentRequest {
  /** With its query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

export interface FakeResponse {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An HTTP server that accepts one token and returns an empty list of tenants. */
export interface FakeGateway {
  readonly url: string;
  readonly token: string;
  readonly requests: readonly SentRequest[];
  /** Sets the response to the next request. */
  readonly respondOnce: (response: FakeResponse) => void;
  readonly close: () => Promise<void>;
}

const TOKEN = 'rgadm_fake';
const EMPTY = { status: 200, body: { tenants: [], total: 0, limit: 100, offset: 0 } };
const UNAUTHENTICATED = {
  status: 401,
  body: { error: 'UNAUTHENTICATED', message: 'Unknown token.', request_id: 'request-0001' },
};

export const openFakeGateway = async (): Promise<FakeGateway> => {
  const requests: SentRequest[] = [];
  const next: FakeResponse[] = [];
  const server = createServer(({ url: path = '', headers }, response) => {
    requests.push({ path, headers });
    const isKnown = headers.authorization === `Bearer ${TOKEN}`;
    const { status, body, ...more }: FakeResponse =
      next.shift() ?? (isKnown ? EMPTY : UNAUTHENTICATED);
    response.writeHead(status, { 'content-type': 'application/json', ...more.headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token: TOKEN,
    requests,
    respondOnce: (response) => void next.push(response),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};
