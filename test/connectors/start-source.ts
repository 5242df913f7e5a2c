import { Buffer } from 'node:buffer';
import { Readable } from 'node:stream';
import {
  type Connector,
  type ConnectorHost,
  type JsonValue,
  type ReadMessage,
  type ReadRequest,
  type RunningConnector,
  SourceError,
  type SourceHttp,
  type SourceRequest,
} from '../../src/plugin/api.js';

/** A connector that reads a server on loopback, on a clock that sleeping advances. */
export interface TestedSource {
  readonly running: RunningConnector;
  /** How long the connector and its HTTP client slept, in ms. */
  readonly slept: readonly number[];
  /** Everything that was logged, as text. */
  readonly logged: readonly string[];
  readonly now: () => Date;
  readonly advance: (ms: number) => void;
  readonly read: (request?: Partial<ReadRequest>) => AsyncIterable<ReadMessage>;
  /** Reads to the end. */
  readonly readAll: (request?: Partial<ReadRequest>) => Promise<readonly ReadMessage[]>;
}

const ATTEMPTS = 5;
const RETRIED = new Set([408, 429, 502, 503, 504]);

/** Starts a connector; its settings are checked by its schema. */
export const startSource = async (
  connector: Connector,
  settings: Record<string, unknown>,
  { now = new Date('2026-11-22T12:00:00Z'), reader = (http: SourceHttp) => http } = {},
): Promise<TestedSource> => {
  let time = now.getTime();
  const slept: number[] = [];
  const logged: string[] = [];
  const stop = new AbortController();
  const sleep = async (ms: number, signal?: AbortSignal): Promise<void> => {
    signal?.throwIfAborted();
    slept.push(ms);
    time += ms;
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    signal?.throwIfAborted();
  };
  const log = (level: string) => (fields: object, message: string) =>
    void logged.push(`${level} ${message} ${JSON.stringify(fields)}`);
  const state = new Map<string, JsonValue>();
  const clock = { now: () => new Date(time), sleep };
  const host: ConnectorHost = {
    name: 'hr',
    settings: connector.settings!.parse(settings),
    log: { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') },
    clock,
    http: reader(httpOf(clock)),
    network: { connect: () => Promise.reject(new Error('This connector uses HTTP.')) },
    state: {
      get: (key) => Promise.resolve(state.get(key)),
      set: (key, value) => Promise.resolve(void state.set(key, value)),
    },
    metrics: {} as ConnectorHost['metrics'],
    signal: stop.signal,
  };
  const running = await connector.start(host);
  const read = (request: Partial<ReadRequest> = {}) =>
    running.read({
      mode: 'full',
      cursor: null,
      isResumed: false,
      pageSize: 1_000,
      signal: stop.signal,
      ...request,
    });
  return {
    running,
    slept,
    logged,
    now: clock.now,
    advance: (ms) => (time += ms),
    read,
    readAll: async (request) => {
      const messages: ReadMessage[] = [];
      for await (const message of read(request)) messages.push(message);
      return messages;
    },
  };
};

interface TestClock {
  readonly now: () => Date;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
}

/** What the contract says of `host.http`, without the address guard. */
const httpOf = (clock: TestClock): SourceHttp => {
  const send = async (method: string, request: SourceRequest): Promise<Response> => {
    for (let attempt = 1; ; attempt += 1) {
      const response = await once(method, request);
      if (!RETRIED.has(response.status)) return response;
      if (attempt === ATTEMPTS) {
        const kind = response.status === 429 ? 'rate-limit' : 'network';
        throw new SourceError(kind, `${new URL(request.url).host}: ${response.status} too often`);
      }
      const pause = pauseOf(response, clock.now().getTime()) ?? 1_000 * 2 ** (attempt - 1);
      await clock.sleep(pause, request.signal);
    }
  };
  const withBody = (method: string) => async (request: SourceRequest) => {
    const response = await send(method, request);
    try {
      return { ...headOf(response), body: await response.text() };
    } catch (cause) {
      throw new SourceError('network', 'The connection broke.', { cause });
    }
  };
  return {
    get: withBody('GET'),
    post: withBody('POST'),
    stream: async (request) => {
      const hasBody = request.json !== undefined || request.form !== undefined;
      const response = await send(hasBody ? 'POST' : 'GET', request);
      const body = response.body;
      return { ...headOf(response), body: body ? Readable.fromWeb(body) : Readable.from([]) };
    },
  };
};

const headOf = (response: Response) => ({
  status: response.status,
  headers: Object.fromEntries(response.headers),
});

const once = async (method: string, request: SourceRequest): Promise<Response> => {
  const url = new URL(request.url);
  for (const [key, value] of Object.entries(request.query ?? {}))
    for (const item of typeof value === 'object' ? value : [value])
      url.searchParams.append(key, String(item));
  const { auth } = request;
  const body =
    request.json === undefined
      ? request.form && new URLSearchParams(request.form)
      : JSON.stringify(request.json);
  const headers = {
    ...(request.json !== undefined && { 'content-type': 'application/json' }),
    ...(auth && { authorization: authorizationOf(auth) }),
    ...request.headers,
  };
  try {
    return await fetch(url, {
      method,
      headers,
      redirect: 'manual',
      ...(body !== undefined && { body }),
      ...(request.signal && { signal: request.signal }),
    });
  } catch (cause) {
    request.signal?.throwIfAborted();
    throw new SourceError('network', 'The connection broke.', { cause });
  }
};

const authorizationOf = (auth: NonNullable<SourceRequest['auth']>): string =>
  'bearer' in auth
    ? `Bearer ${auth.bearer}`
    : `Basic ${Buffer.from(`${auth.user}:${auth.password}`).toString('base64')}`;

/** `Retry-After`, in seconds or as a date, or `X-RateLimit-Reset`, a Unix time. */
const pauseOf = (response: Response, now: number): number | undefined => {
  const after = response.headers.get('retry-after');
  if (after !== null) {
    const seconds = Number(after);
    return Number.isNaN(seconds) ? Date.parse(after) - now : seconds * 1_000;
  }
  const reset = response.headers.get('x-ratelimit-reset');
  return reset === null ? undefined : Math.max(0, Number(reset) * 1_000 - now);
};

/** The records of a read by id; fails if an id occurs twice. */
export const recordsOf = (messages: readonly ReadMessage[]): ReadonlyMap<string, object> => {
  const records = new Map<string, object>();
  for (const message of messages) {
    if (message.type !== 'record') continue;
    if (records.has(message.id)) throw new Error(`The record ${message.id} was read twice.`);
    records.set(message.id, message.data);
  }
  return records;
};
