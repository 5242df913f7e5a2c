import type { Dispatcher } from 'undici';
import type { OutboundRequest } from '../contract/http-sender.js';

export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** How much of a long body is read on, unkept, so that the connection can be used again. */
const DRAIN_BYTES = 64 * 1024;

/**
 * Sends one request over a pool and reads the response. Rejects with the error of what failed
 * before the status line came; after it, whatever happens to the body only cuts the body off
 * (decisions.md 7): too long, broken, or still coming when the signal aborts.
 */
export const exchange = (
  pool: Dispatcher,
  url: URL,
  request: OutboundRequest & { readonly method: 'GET' | 'POST' },
  signal: AbortSignal,
): Promise<HttpResponse> =>
  new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const body = collectBody(request.bodyLimit);
    let head: Omit<HttpResponse, 'body'> | undefined;
    let release: () => void = () => undefined;

    // Settling twice is harmless; the first to come decides.
    const end = (error = new Error('The exchange ended without a response')): void => {
      signal.removeEventListener('abort', onAbort);
      if (head) resolve({ ...head, body: body.text() });
      else reject(error);
    };
    const onAbort = (): void => {
      end(signal.reason as Error);
      release();
    };
    signal.addEventListener('abort', onAbort);

    pool.dispatch(
      {
        origin: url.origin,
        path: url.pathname + url.search,
        method: request.method,
        headers: request.headers,
        body: request.body ?? null,
      },
      {
        onConnect: (abort) => {
          release = abort;
          if (signal.aborted) abort();
        },
        onHeaders: (status, rawHeaders) => {
          if (status >= 200) head = { status, headers: readHeaders(rawHeaders) };
          return true;
        },
        onData: (chunk) => {
          if (body.append(chunk) <= Math.max(request.bodyLimit, DRAIN_BYTES)) return true;
          end();
          release();
          return false;
        },
        // undici waits for the loop's next turn before it uses the connection again: the next
        // request should find it free instead of opening another.
        onComplete: () => void setImmediate(() => setImmediate(end)),
        onError: end,
      },
    );
  });

/** Names in lower case; a header that comes more than once is joined with commas (RFC 9110, 5.3). */
const readHeaders = (raw: readonly Buffer[]): Readonly<Record<string, string>> => {
  const headers = new Map<string, string>();
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = String(raw[at]).toLowerCase();
    const value = raw[at + 1]?.toString('latin1') ?? '';
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return Object.fromEntries(headers);
};

interface Body {
  /** How many bytes have come by now. */
  readonly append: (chunk: Buffer) => number;
  readonly text: () => string;
}

const collectBody = (limit: number): Body => {
  const chunks: Buffer[] = [];
  let received = 0;
  return {
    append: (chunk) => {
      // Copied: undici's parser uses the memory again.
      if (received < limit) chunks.push(Buffer.from(chunk.subarray(0, limit - received)));
      received += chunk.length;
      return received;
    },
    text: () => (chunks.length === 0 ? '' : decode(Buffer.concat(chunks), received > limit)),
  };
};

/** A cut may fall into the middle of a character: `stream` leaves the half of it out. */
const decode = (bytes: Buffer, isCut: boolean): string =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: isCut });
