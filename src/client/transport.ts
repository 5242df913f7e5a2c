import { errorIn, parseJson, RollgateError } from './rollgate-error.js';

export interface ClientOptions {
  /** Address of the gateway: `https://rollgate.example.com`. */
  readonly baseUrl: string;
  /** An API key, or the admin token. Absent: a session's cookie, in a browser. */
  readonly token?: string;
  /** How often a request is repeated after 429 and 503. Default: 3. */
  readonly retries?: number;
  /** Do not wait longer than this for a repetition; fail instead. Default: 60. */
  readonly maxRetryAfterSeconds?: number;
  /** For one attempt, until the whole body has arrived. Default: 30,000. */
  readonly timeoutMs?: number;
  /** Sent with each request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: the platform's. */
  readonly fetch?: typeof fetch;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface RequestParts {
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  /** Sent as JSON; a text, as CSV. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

export interface RawResponse {
  readonly status: number;
  readonly headers: Headers;
  /** The body, unchanged. */
  readonly text: string;
}

/** Sends requests to one gateway, without types. Rejects with a `RollgateError` unless 2xx. */
export interface Transport {
  readonly send: (method: Method, path: string, parts?: RequestParts) => Promise<RawResponse>;
  /** Resolves with the beginning of a 2xx response, without a time limit for its body. */
  readonly open: (path: string, parts?: RequestParts) => Promise<Response>;
}

const RETRIES = 3;
const MAX_RETRY_AFTER_SECONDS = 60;
const TIMEOUT_MS = 30_000;
const RETRIED = new Set([429, 503]);

export const createTransport = (options: ClientOptions): Transport => {
  const { timeoutMs = TIMEOUT_MS, retries = RETRIES } = options;
  const { maxRetryAfterSeconds = MAX_RETRY_AFTER_SECONDS } = options;

  /** Seconds to wait before a repetition; undefined if there is none. */
  const waitAfter = (error: RollgateError, attempt: number, canRepeat: boolean) => {
    if (attempt >= retries || !RETRIED.has(error.status)) return undefined;
    // After a 503, the change may have been made.
    if (error.status === 503 && !canRepeat) return undefined;
    const seconds = error.retryAfterSeconds ?? 1;
    return seconds <= maxRetryAfterSeconds ? seconds : undefined;
  };

  const attempt = async (method: Method, path: string, parts: RequestParts) => {
    const limit = AbortSignal.timeout(timeoutMs);
    const signal = parts.signal ? AbortSignal.any([parts.signal, limit]) : limit;
    const response = await begin(options, method, path, { ...parts, signal });
    const text = await response.text().catch((cause: unknown) => {
      throw unreachable(options, cause);
    });
    if (!response.ok) throw errorIn(response, text);
    return { status: response.status, headers: response.headers, text };
  };

  return {
    send: async (method, path, parts = {}) => {
      const canRepeat = method !== 'POST' || isIdempotent(parts.headers);
      for (let count = 0; ; count += 1) {
        try {
          return await attempt(method, path, parts);
        } catch (error) {
          const seconds =
            error instanceof RollgateError ? waitAfter(error, count, canRepeat) : undefined;
          if (seconds === undefined) throw error;
          await wait(seconds * 1_000, parts.signal);
        }
      }
    },
    open: async (path, parts = {}) => {
      const response = await begin(options, 'GET', path, parts);
      if (response.ok) return response;
      throw errorIn(response, await response.text().catch(() => ''));
    },
  };
};

const isIdempotent = (headers: Readonly<Record<string, string>> = {}): boolean =>
  Object.keys(headers).some((name) => name.toLowerCase() === 'idempotency-key');

/** Resolves with any status, when its headers have arrived. */
const begin = async (
  options: ClientOptions,
  method: Method,
  path: string,
  { query, body, headers, signal }: RequestParts,
): Promise<Response> => {
  const { baseUrl, token, fetch: send = fetch } = options;
  try {
    return await send(`${baseUrl.replace(/\/+$/, '')}${path}${queryString(query)}`, {
      method,
      headers: {
        accept: 'application/json',
        ...options.headers,
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && {
          'content-type': typeof body === 'string' ? 'text/csv' : 'application/json',
        }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      ...(signal && { signal }),
      // The credential is sent to the given address only.
      redirect: 'manual',
    });
  } catch (cause) {
    throw unreachable(options, cause);
  }
};

const queryString = (query: RequestParts['query'] = {}): string => {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== null) search.append(name, textOf(value));
  const text = search.toString();
  return text === '' ? '' : `?${text}`;
};

/** Lists are separated by commas, as the document says (`explode: false`). */
const textOf = (value: unknown): string => {
  if (Array.isArray(value)) return value.map(textOf).join(',');
  return typeof value === 'string' ? value : JSON.stringify(value);
};

const unreachable = ({ baseUrl }: ClientOptions, cause: unknown): RollgateError => {
  const reason = reasonOf(cause);
  return new RollgateError({ code: 'UNREACHABLE', message: `${baseUrl}: ${reason}`, cause });
};

/** Platforms hide the reason: `fetch failed`, caused by `connect ECONNREFUSED 127.0.0.1:8080`. */
const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (cause instanceof AggregateError) return reasonOf(cause.errors[0]);
  return cause instanceof Error ? cause.message : error.message;
};

const wait = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(unreachableByAbort(signal));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    if (signal?.aborted) onAbort();
    else signal?.addEventListener('abort', onAbort, { once: true });
  });

const unreachableByAbort = (signal: AbortSignal | undefined): RollgateError =>
  new RollgateError({ code: 'UNREACHABLE', message: 'Aborted.', cause: signal?.reason });

/** The body as a value: parsed if it is JSON, undefined if there is none. */
export const valueOf = ({ headers, text }: RawResponse): unknown => {
  if (text === '') return undefined;
  return /[/+]json\b/.test(headers.get('content-type') ?? '') ? parseJson(text) : text;
};

/** One event of a stream. */
export interface ServerSentEvent {
  /** Pass it as `lastEventId` to continue. */
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

/** Reads a `text/event-stream` (HTML standard, 9.2.6). Ends with the stream. */
export async function* readServerSentEvents(
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<ServerSentEvent, void, void> {
  let event = '';
  let data: string[] = [];
  let id = '';
  for await (const line of linesOf(body)) {
    if (line === '') {
      if (data.length > 0) yield { id, event: event || 'message', data: data.join('\n') };
      event = '';
      data = [];
      continue;
    }
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'event') event = value;
    else if (field === 'data') data.push(value);
    else if (field === 'id' && !value.includes('\0')) id = value;
  }
}

/** Lines end with CR, LF or both, also where a chunk ends between the two. */
async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true });
    const isOpen = rest.endsWith('\r');
    const lines = rest.split(/\r\n|\n|\r/);
    // A CR at the end may be half of a line's end.
    if (isOpen) lines.splice(-2, 2, `${lines.at(-2) ?? ''}\r`);
    rest = lines.pop() ?? '';
    yield* lines;
  }
}
