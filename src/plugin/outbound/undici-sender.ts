import { createSecureContext, type SecureContext } from 'node:tls';
import { LRUCache } from 'lru-cache';
import { createAddressGuard } from './address-guard.js';
import type { ConnectionPools } from './connection-pools.js';
import { type HttpResponse, exchange } from './exchange.js';
import type {
  HttpSender,
  OutboundResponse,
  OutboundPolicy,
  OutboundRequest,
} from '../contract/http-sender.js';
import { createNameResolver, type NameResolver } from './name-resolver.js';
import { classifyFault, RequestAbortedError, RequestTimeoutError } from './outbound-fault.js';
import { trustedCertificates } from './trusted-certificates.js';

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
    const [{ createConnectionPools }, { createConnector }] = await Promise.all([
      import('./connection-pools.js'),
      import('./guarded-connector.js'),
    ]);
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
