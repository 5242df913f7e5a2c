import { LRUCache } from 'lru-cache';
import type { Dispatcher } from 'undici';
import type {
  OutboundRequest,
  HttpSender,
  OutboundResponse,
  OutboundPolicy,
} from '../contract/http-sender.js';
import { createSecureContext, type SecureContext } from 'node:tls';
import { createAddressGuard } from './address-guard.js';
import type { ConnectionPools } from './connection-pools.js';
import { createNameResolver, type NameResolver } from './name-resolver.js';
import { classifyFault, RequestAbortedError, RequestTimeoutError } from './outbound-fault.js';
import { trustedCertificates } from './trusted-certificates.js';

interface HttpResponse {
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
const exchange = (
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

export interface SenderOptions extends OutboundPolicy {
  /** Sent with every request that does not bring its own. */
  readonly userAgent: string;
  /** Resolves names, for the pool of the request. Absent: a resolver of its own. */
  readonly resolve?: NameResolver['resolve'];
}

/** URLs of busy receivers, whose check is not repeated: addresses are checked when they are dialled. */
const MAX_CHECKED_URLS = 1_000;

export interface ClosableSender extends HttpSender {
  /** Aborts requests in flight and closes all connections; afterwards nothing is sent. */
  readonly close: () => Promise<void>;
}

/**
 * The HttpSender over undici, which costs a seventh of got's CPU (measured). Throws an
 * Error for an operator where the policy cannot be read.
 */
export const createHttpSender = (options: SenderOptions): ClosableSender => {
  const guard = createAddressGuard(options.allow ?? []);
  const secureContext = contextOf(options.ca);
  const { resolve = createNameResolver().resolve } = options;
  let pools: Promise<ConnectionPools> | undefined;
  /** undici is a hundred modules: read for the first request, not for the start of the gateway. */
  const openPools = async (): Promise<ConnectionPools> => {
    const { createConnectionPools, createConnector } = await import('./connection-pools.js');
    return createConnectionPools((owner) =>
      createConnector({
        guard,
        resolve: (hostname) => resolve(hostname, owner),
        ...(secureContext && { secureContext }),
      }),
    );
  };
  const limits = createRequestLimits();
  const checkedUrls = new LRUCache<string, ReturnType<typeof guard.check>>({
    max: MAX_CHECKED_URLS,
    memoMethod: guard.check,
  });

  const send = async (
    method: 'GET' | 'POST',
    request: OutboundRequest,
    signal: AbortSignal | undefined,
  ): Promise<OutboundResponse> => {
    const start = performance.now();
    const durationMs = (): number => Math.round(performance.now() - start);
    const checked = checkedUrls.memo(request.url);
    if ('fault' in checked) return { kind: 'unreachable', ...checked, durationMs: durationMs() };
    const { url } = checked;
    const limit = limits.begin(request.timeoutMs, signal);
    try {
      pools ??= openPools();
      const pool = (await pools).get(request.pool ?? '', url.origin);
      const headers = { 'user-agent': options.userAgent, ...request.headers };
      const response = await exchange(pool, url, { ...request, method, headers }, limit.signal);
      return responded(response, durationMs());
    } catch (error) {
      return { kind: 'unreachable', ...classifyFault(error, url), durationMs: durationMs() };
    } finally {
      limit.end();
    }
  };

  return {
    post: (request, signal) => send('POST', request, signal),
    get: (request, signal) => send('GET', request, signal),
    close: async () => {
      limits.close();
      await (await pools)?.close();
    },
  };
};

/** Made once: to parse the authorities for every connection would cost more than the connection. */
const contextOf = (ca: string | undefined): SecureContext | undefined =>
  ca === undefined ? undefined : createSecureContext({ ca: [...trustedCertificates(ca)] });

const responded = (response: HttpResponse, durationMs: number): OutboundResponse => ({
  kind: 'responded',
  ...response,
  durationMs,
});

/** The requests in flight of a sender. */
interface RequestLimits {
  /** One limit for all of a request: separate ones for its parts would not stop a drip of bytes. */
  readonly begin: (
    timeoutMs: number,
    other: AbortSignal | undefined,
  ) => { readonly signal: AbortSignal; readonly end: () => void };
  readonly close: () => void;
}

const createRequestLimits = (): RequestLimits => {
  const inFlight = new Set<AbortController>();
  let isClosed = false;
  return {
    begin: (timeoutMs, other) => {
      const controller = new AbortController();
      const abort = (): void => controller.abort(new RequestAbortedError());
      const timer = setTimeout(() => controller.abort(new RequestTimeoutError()), timeoutMs);
      if (isClosed || other?.aborted) abort();
      inFlight.add(controller);
      other?.addEventListener('abort', abort);
      return {
        signal: controller.signal,
        end: () => {
          clearTimeout(timer);
          inFlight.delete(controller);
          other?.removeEventListener('abort', abort);
        },
      };
    },
    close: () => {
      isClosed = true;
      for (const controller of inFlight) controller.abort(new RequestAbortedError());
    },
  };
};
