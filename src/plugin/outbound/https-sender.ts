import type { IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { LRUCache } from 'lru-cache';
import type {
  OutboundRequest,
  HttpSender,
  OutboundResponse,
  OutboundPolicy,
} from '../contract/http-sender.js';
import { createAddressGuard } from './address-guard.js';
import { decodeBody } from './decode-body.js';
import { GuardedAgent, type OwnedRequest } from './guarded-agent.js';
import { createNameResolver, type NameResolver } from './name-resolver.js';
import {
  classifyFault,
  RequestAbortedError,
  RequestTimeoutError,
  SwitchedProtocolsError,
} from './outbound-fault.js';
import type { OutboundProxy } from './outbound-proxy.js';

interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** How much of a long body is read on, unkept, so that the connection can be used again. */
const DRAIN_BYTES = 64 * 1024;

/** Security products add long ones; the default of Node is 16 KiB. */
const MAX_HEADERS = 64 * 1024;

/** A connection that was kept ended before a byte of the response. */
class StaleConnectionError extends Error {}

/**
 * Sends one request and reads the response. Rejects with the error of what failed before the status
 * line came; after it, whatever happens to the body only cuts the body off (decisions.md 7): too
 * long, broken, or still coming when the signal aborts.
 */
const exchange = (
  url: URL,
  options: OwnedRequest,
  { body: content, bodyLimit }: Pick<OutboundRequest, 'body' | 'bodyLimit'>,
  signal: AbortSignal,
): Promise<HttpResponse> =>
  new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const body = collectBody(bodyLimit);
    let response: IncomingMessage | undefined;
    let receivedBefore = 0;
    const request = requestHttps(url, options);

    // Settling twice is harmless; the first to come decides.
    const end = (error = new Error('The exchange ended without a response')): void => {
      signal.removeEventListener('abort', onAbort);
      if (!response) {
        reject(error);
        return;
      }
      const headers = headersOf(response);
      const { statusCode: status = 0 } = response;
      const decoded = decodeBody(body.bytes(), headers, { limit: bodyLimit, isCut: body.isCut() });
      resolve(decoded.then((text) => ({ status, headers, body: text })));
    };
    const cutOff = (error?: Error): void => {
      end(error);
      request.destroy();
    };
    const onAbort = (): void => cutOff(signal.reason as Error);
    signal.addEventListener('abort', onAbort);

    request
      .once('socket', ({ bytesRead }) => (receivedBefore = bytesRead))
      .once('response', (received) => {
        // Without the headers of an upgrade it looks like a response.
        if (received.statusCode === 101) {
          cutOff(new SwitchedProtocolsError());
          return;
        }
        response = received;
        received.on('data', (chunk: Buffer) => {
          if (body.append(chunk) > Math.max(bodyLimit, DRAIN_BYTES)) cutOff();
        });
        received.once('close', () => end());
      })
      .once('upgrade', () => cutOff(new SwitchedProtocolsError()))
      .on('error', (error: NodeJS.ErrnoException) => {
        const isSilent = request.socket?.bytesRead === receivedBefore;
        const isClosed = error.code === 'ECONNRESET' || error.code === 'EPIPE';
        const isStale = request.reusedSocket && isClosed && isSilent;
        end(isStale ? new StaleConnectionError(undefined, { cause: error }) : error);
      })
      .end(content);
  });

/** Names in lower case; a header that comes more than once is joined with commas (RFC 9110, 5.3). */
const headersOf = ({ headersDistinct }: IncomingMessage): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headersDistinct).map(([name, values = []]) => [name, values.join(', ')]),
  );

interface Body {
  /** How many bytes have come by now. */
  readonly append: (chunk: Buffer) => number;
  readonly bytes: () => Buffer;
  readonly isCut: () => boolean;
}

const collectBody = (limit: number): Body => {
  const chunks: Buffer[] = [];
  let received = 0;
  return {
    append: (chunk) => {
      if (received < limit) chunks.push(chunk.subarray(0, limit - received));
      received += chunk.length;
      return received;
    },
    bytes: () => Buffer.concat(chunks),
    isCut: () => received > limit,
  };
};

export interface SenderOptions extends OutboundPolicy {
  /** Sent with every request that does not bring its own. */
  readonly userAgent: string;
  /** Resolves names, for the pool of the request. Absent: a resolver of its own. */
  readonly resolve?: NameResolver['resolve'];
  readonly proxy?: OutboundProxy | undefined;
}

/** URLs of busy receivers, whose check is not repeated: addresses are checked when they are dialled. */
const MAX_CHECKED_URLS = 1_000;

export interface ClosableSender extends HttpSender {
  /** Aborts requests in flight and closes all connections; afterwards nothing is sent. */
  readonly close: () => Promise<void>;
}

/** Throws an Error for an operator where the policy cannot be read. */
export const createHttpSender = (options: SenderOptions): ClosableSender => {
  const guard = createAddressGuard(options.allow ?? []);
  const { resolve = createNameResolver().resolve, ca, proxy } = options;
  const agent = new GuardedAgent({ guard, resolve, ca, proxy });
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
    const headers = { 'user-agent': options.userAgent, ...request.headers };
    const owner = request.pool ?? '';
    // While a request is in flight, only its own limit counts.
    const sent = { agent, method, headers, owner, maxHeaderSize: MAX_HEADERS, timeout: 0 };
    const attempt = (): Promise<HttpResponse> => exchange(url, sent, request, limit.signal);
    try {
      const response = await attempt().catch((error: unknown) => {
        if (!(error instanceof StaleConnectionError)) throw error;
        // RFC 9112, 9.3.1: the server closed it while the request was on its way. A receiver that
        // did see the request recognises it by its delivery id.
        agent.closeIdle({ host: url.hostname, port: url.port, owner });
        return attempt();
      });
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
    close: () => {
      limits.close();
      agent.destroy();
      return Promise.resolve();
    },
  };
};

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
