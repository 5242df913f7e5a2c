import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Buffer } from 'node:buffer';

/** A request as the server received it. */
export interface VendorRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** The query as it was sent. */
  readonly rawQuery: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** The answer: a status with a body, or a function that writes it. */
export type VendorAnswer =
  | {
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
      /** Sent as JSON, unless it is text. */
      readonly body?: unknown;
    }
  | ((response: ServerResponse) => void | Promise<void>);

/** A small server on loopback that stands in for a vendor's service. */
export interface VendorServer {
  readonly url: string;
  readonly requests: readonly VendorRequest[];
  /** Answers the next requests instead of the vendor, one by one; undefined: as usual. */
  readonly interrupt: (...answers: (VendorAnswer | undefined)[]) => void;
  /** Answers all requests for a path instead of the vendor, until it is undone. */
  readonly always: (path: RegExp, answer: VendorAnswer) => () => void;
  /** Changes the vendor's answers for a path, until it is undone. */
  readonly alter: (path: RegExp, change: (answer: JsonAnswer) => VendorAnswer) => () => void;
  readonly stop: () => Promise<void>;
}

/** An answer that is written at once. */
export type JsonAnswer = Exclude<VendorAnswer, (response: ServerResponse) => unknown>;

/** Starts a server that answers by a function. */
export const startVendor = async (
  answer: (request: VendorRequest) => VendorAnswer,
): Promise<VendorServer> => {
  const requests: VendorRequest[] = [];
  let interruptions: (VendorAnswer | undefined)[] = [];
  let standing: { readonly path: RegExp; readonly answer: VendorAnswer } | undefined;
  let alteration:
    { readonly path: RegExp; readonly change: (answer: JsonAnswer) => VendorAnswer } | undefined;
  const altered = (path: string, usual: VendorAnswer): VendorAnswer =>
    alteration?.path.test(path) && typeof usual !== 'function' ? alteration.change(usual) : usual;
  const server = createServer((incoming, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) chunks.push(chunk as Buffer);
      const url = new URL(incoming.url ?? '/', 'http://vendor');
      const request: VendorRequest = {
        method: incoming.method ?? '',
        path: url.pathname,
        query: url.searchParams,
        rawQuery: url.search,
        headers: incoming.headers,
        body: Buffer.concat(chunks).toString(),
      };
      requests.push(request);
      const instead = standing?.path.test(url.pathname) ? standing.answer : undefined;
      await send(
        response,
        interruptions.shift() ?? instead ?? altered(url.pathname, answer(request)),
      );
    })();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    interrupt: (...answers) => (interruptions = answers),
    always: (path, instead) => {
      standing = { path, answer: instead };
      return () => (standing = undefined);
    },
    alter: (path, change) => {
      alteration = { path, change };
      return () => (alteration = undefined);
    },
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
};

const send = async (response: ServerResponse, answer: VendorAnswer): Promise<void> => {
  if (typeof answer === 'function') return answer(response);
  const { status = 200, headers = {}, body = '' } = answer;
  const isText = typeof body === 'string';
  response.writeHead(status, {
    'content-type': isText ? 'text/plain' : 'application/json',
    ...headers,
  });
  response.end(isText ? body : JSON.stringify(body));
};

/** The answer to a request over the rate limit. */
export const tooMany = (headers: Readonly<Record<string, string>> = {}): VendorAnswer => ({
  status: 429,
  headers,
  body: { error: 'Too many requests' },
});

/** Whether the request has these credentials (Basic). */
export const hasBasic = (request: VendorRequest, user: string, password: string): boolean =>
  request.headers.authorization ===
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
