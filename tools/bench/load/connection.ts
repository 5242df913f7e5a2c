import { Client } from 'undici';

/** The SCIM API of a server. */
export interface Target {
  /** `http://127.0.0.1:<port>` */
  readonly origin: string;
  /** `/scim/v2` or `/v1/<tenant>/scim/v2` */
  readonly base: string;
  /** Authorization, if the server requires it. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A user that existed before the workloads. */
export interface KnownUser {
  readonly id: string;
  readonly userName: string;
}

/** A group that the benchmark created. */
export interface KnownGroup {
  readonly id: string;
  readonly displayName: string;
  /** Its members between operations. */
  readonly memberIds: readonly string[];
}

export interface LoadResponse {
  readonly status: number;
  readonly text: string;
}

export interface CheckedRequest {
  readonly method: 'GET' | 'POST' | 'PATCH';
  /** Relative to the target's base. */
  readonly path: string;
  readonly body?: string;
  /** Returns what is wrong with the response; undefined if nothing is. */
  readonly check: (response: LoadResponse) => string | undefined;
}

/** One keep-alive connection with one request at a time. */
export interface Connection {
  readonly send: (request: CheckedRequest) => Promise<LoadResponse>;
  readonly close: () => Promise<void>;
}

const TIMEOUT_MS = 30_000;

/**
 * Uses undici's callbacks, which cost a third less CPU than a promise and a stream per request: the
 * load generator shares the machine with the servers.
 */
export const openConnection = ({ origin, base, headers }: Target): Connection => {
  const client = new Client(origin, {
    pipelining: 1,
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
    keepAliveTimeout: TIMEOUT_MS,
  });
  const withBody = { ...headers, 'content-type': 'application/scim+json' };

  const send = ({ method, path, body }: CheckedRequest): Promise<LoadResponse> =>
    new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      let status = 0;
      client.dispatch(
        {
          method,
          path: base + path,
          headers: body === undefined ? headers : withBody,
          ...(body !== undefined && { body }),
        },
        {
          onConnect: () => undefined,
          onHeaders: (code) => ((status = code), true),
          onData: (chunk) => (chunks.push(chunk), true),
          onComplete: () => resolve({ status, text: textOf(chunks) }),
          onError: reject,
        },
      );
    });

  return { send, close: () => client.close() };
};

const textOf = (chunks: readonly Buffer[]): string => {
  const [only] = chunks;
  return (chunks.length === 1 && only ? only : Buffer.concat(chunks)).toString();
};
