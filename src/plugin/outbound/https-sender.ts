import { setMaxListeners } from 'node:events';
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
import { GuardedAgent, MAX_HEADERS, type OwnedRequest } from './guarded-agent.js';
import { createNameResolver, type NameResolver } from './name-resolver.js';
import { classifyFault, OutboundError } from './outbound-fault.js';
import type { OutboundProxy } from './outbound-proxy.js';

interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** How much of a long body is read on, unkept, so that the connection can be used again. */
const DRAIN_BYTES = 64 * 1024;

/**
 * Sends one request and reads the response. Rejects with the error of what failed before the status
 * line came; after it, whatever happens to the body only cuts the body off (decisions.md 7): too
 * long, broken, or still coming when the signal aborts.
 */
const exchange = (
  url: URL,
  options: OwnedRequest,
  { body, bodyLimit }: Pick<OutboundRequest, 'body' | 'bodyLimit'>,
  signal: AbortSignal,
): Promise<HttpResponse> =>
  new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const chunks: Buffer[] = [];
    let size = 0;
    let response: IncomingMessage | undefined;
    let receivedBefore = 0;
    let isEnded = false;
    const request = requestHttps(url, options);

    // The first to come decides.
    const end = (error = new Error('The exchange ended without a response')): void => {
      if (isEnded) return;
      isEnded = true;
      signal.removeEventListener('abort', onAbort);
      if (!response) {
        reject(error);
        return;
      }
      const { statusCode: status = 0 } = response;
      const headers = headersOf(response);
      const extent = { limit: bodyLimit, isCut: size > bodyLimit || !response.complete };
      const text = decodeBody(Buffer.concat(chunks), headers, extent);
      resolve(text.then((decoded) => ({ status, headers, body: decoded })));
    };
    const cutOff = (error?: Error): void => {
      end(error);
      request.destroy();
    };
    const onAbort = (): void => cutOff(signal.reason as Error);
    const onUpgrade = (): void => cutOff(new OutboundError('SWITCHED_PROTOCOLS'));
    signal.addEventListener('abort', onAbort);

    request
      .once('socket', ({ bytesRead }) => (receivedBefore = bytesRead))
      .once('response', (received) => {
        // Without the headers of an upgrade, Node takes it for a response.
        if (received.statusCode === 101) {
          onUpgrade();
          return;
        }
        response = received;
        received.on('data', (chunk: Buffer) => {
          if (size < bodyLimit) chunks.push(chunk.subarray(0, bodyLimit - size));
          size += chunk.length;
          if (size > Math.max(bodyLimit, DRAIN_BYTES)) cutOff();
        });
        received.once('close', () => end());
      })
      .once('upgrade', onUpgrade)
      .on('error', (error: NodeJS.ErrnoException) => {
        const isClosed = error.code === 'ECONNRESET' || error.code === 'EPIPE';
        const isSilent = request.socket?.bytesRead === receivedBefore;
        const isStale = request.reusedSocket && isClosed && isSilent;
        end(isStale ? new OutboundError('STALE') : error);
      })
      .end(body);
  });

/** Names in lower case; a header that comes more than once is joined with commas (RFC 9110, 5.3). */
const headersOf = ({ headersDistinct }: IncomingMessage): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headersDistinct).map(([name, values = []]) => [name, values.join(', ')]),
  );

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
  const closing = new AbortController();
  // One for each request in flight.
  setMaxListeners(0, closing.signal);
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
    const owner = request.pool ?? '';
    const headers = { 'user-agent': options.userAgent, ...request.headers };
    // While a request is in flight, only its own limit counts: one for all of it, because separate
    // ones for its parts would not stop a drip of bytes.
    const sent = { agent, method, headers, owner, maxHeaderSize: MAX_HEADERS, timeout: 0 };
    const limit = new AbortController();
    const abort = (): void => limit.abort(new OutboundError('ABORTED'));
    const timer = setTimeout(() => limit.abort(new OutboundError('TIME_OVER')), request.timeoutMs);
    const aborts = signal ? [signal, closing.signal] : [closing.signal];
    for (const one of aborts) {
      if (one.aborted) abort();
      one.addEventListener('abort', abort);
    }
    const attempt = (): Promise<HttpResponse> => exchange(url, sent, request, limit.signal);
    try {
      const response = await attempt().catch((error: unknown) => {
        if (!(error instanceof OutboundError) || error.code !== 'STALE') throw error;
        // RFC 9112, 9.3.1: the server closed it while the request was on its way. A receiver that
        // did see the request recognises it by its delivery id.
        agent.closeIdle(url, owner);
        return attempt();
      });
      return { kind: 'responded', ...response, durationMs: durationMs() };
    } catch (error) {
      return { kind: 'unreachable', ...classifyFault(error, url), durationMs: durationMs() };
    } finally {
      clearTimeout(timer);
      for (const one of aborts) one.removeEventListener('abort', abort);
    }
  };

  return {
    post: (request, signal) => send('POST', request, signal),
    get: (request, signal) => send('GET', request, signal),
    close: () => {
      closing.abort();
      agent.destroy();
      return Promise.resolve();
    },
  };
};
