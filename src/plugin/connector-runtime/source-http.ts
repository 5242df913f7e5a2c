import { createByteDecoder } from '../contract/byte-decoder.js';
import { MAX_RETRY_AFTER_MS, retryAfterMs } from '../contract/http-sender.js';
import { Agent as HttpAgent } from 'node:http';
import { isIP } from 'node:net';
import { PassThrough, type Readable, Transform, type TransformCallback } from 'node:stream';
import type { Response } from 'got';
import {
  type SourceClock,
  SourceError,
  type SourceHttp,
  type SourceRequest,
} from '../contract/connector-contract.js';
import {
  type AddressGuard,
  BlockedAddressError,
  guardLookup,
  hostOf,
  type Resolver,
} from '../outbound/address-guard.js';
import { GuardedAgent, MAX_HEADERS } from '../outbound/guarded-agent.js';
import type { OutboundProxy } from '../outbound/outbound-proxy.js';
import type { PluginLog } from '../contract/extension.js';
import { createHostLimits, type HostPauses, MAX_WAIT_MS } from './host-limits.js';
import { sourceErrorOf } from './source-network.js';

/** Numbers above are seconds since 1970, or milliseconds. */
const EPOCH_SECONDS = 1_000_000_000;
const EPOCH_MILLISECONDS = 1_000_000_000_000;

const RESETS = ['x-ratelimit-reset', 'x-rate-limit-reset', 'ratelimit-reset'];
const REMAINING = ['x-ratelimit-remaining', 'x-rate-limit-remaining', 'ratelimit-remaining'];

type Headers = Readonly<Record<string, string>>;

/**
 * How long the server wants no requests, in milliseconds, at most a day: from `Retry-After`, or else
 * from `X-RateLimit-Reset`, which has no standard: a time or a number of seconds. Undefined: it does
 * not say.
 */
const pauseOf = (headers: Headers, now: Date): number | undefined =>
  retryAfterMs(headers['retry-after'], now) ?? resetOf(headers, now);

/** The pause after a successful response that was the last one in the window of a limit. */
const pauseAfter = (headers: Headers, now: Date): number | undefined =>
  REMAINING.some((name) => headers[name]?.trim() === '0') ? resetOf(headers, now) : undefined;

const resetOf = (headers: Headers, now: Date): number | undefined => {
  const text = RESETS.map((name) => headers[name]?.trim()).find(Boolean);
  if (text === undefined) return undefined;
  const at = /^\d+(\.\d+)?$/.test(text) ? momentOf(Number(text), now) : Date.parse(text);
  return Number.isNaN(at)
    ? undefined
    : Math.min(Math.max(0, at - now.getTime()), MAX_RETRY_AFTER_MS);
};

const momentOf = (number: number, now: Date): number => {
  if (number >= EPOCH_MILLISECONDS) return number;
  return number >= EPOCH_SECONDS ? number * 1_000 : now.getTime() + number * 1_000;
};

interface SourceHttpParts {
  readonly guard: AddressGuard;
  readonly resolve: Resolver;
  /** A PEM file of further authorities. */
  readonly ca?: string | undefined;
  /** For https. */
  readonly proxy?: OutboundProxy | undefined;
  readonly clock: SourceClock;
  readonly log: PluginLog;
  readonly userAgent: string;
  /** Aborts when the connector stops. */
  readonly signal: AbortSignal;
  /** Absent: they end with this client. */
  readonly pauses?: HostPauses | undefined;
  /** A number in [0, 1). */
  readonly random?: () => number;
}

/** The HTTP client of a connector, and how to close its connections. */
export interface ClosableHttp extends SourceHttp {
  readonly close: () => void;
}

const TIMEOUT_MS = 30_000;
const BODY_LIMIT = 64 * 1024 * 1024;
const ATTEMPTS = 6;
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 60_000;
const MAX_REDIRECTS = 5;
const REPEATED = new Set([408, 429, 502, 503, 504]);

type Method = 'get' | 'post';
type Answer = Omit<Awaited<ReturnType<SourceHttp['stream']>>, 'body'> & { readonly body: Readable };

/** What the requests of one connector share. */
interface Client extends SourceHttpParts {
  readonly limits: ReturnType<typeof createHostLimits>;
  readonly agents: { readonly http: HttpAgent; readonly https: GuardedAgent };
}

/** One attempt: the response as soon as its head is there. */
const send = async (
  { guard, agents, userAgent }: Client,
  method: Method,
  url: URL,
  request: SourceRequest & { readonly signal: AbortSignal },
): Promise<Answer> => {
  // The agents' lookup is not called for a literal address.
  const host = hostOf(url);
  if (isIP(host) !== 0 && !guard.allows(host)) throw new BlockedAddressError();
  // Read for the first request, not for the start of the gateway.
  const { default: got } = await import('got');
  const { timeoutMs = TIMEOUT_MS, signal } = request;
  const stream = got.stream(url, {
    method,
    headers: headersOf(request, userAgent),
    ...(request.json !== undefined && { body: JSON.stringify(request.json) }),
    ...(request.form && { body: new URLSearchParams(request.form).toString() }),
    agent: agents,
    maxHeaderSize: MAX_HEADERS,
    signal,
    throwHttpErrors: false,
    retry: { limit: 0 },
    strictContentLength: true,
    maxRedirects: MAX_REDIRECTS,
    // An address of another host would get the credentials.
    followRedirect: ({ headers: { location = '' } }) =>
      URL.canParse(location, url.href) && new URL(location, url).host === url.host,
    methodRewriting: true,
    timeout: { response: timeoutMs, socket: timeoutMs },
  });
  // Later errors than the one that is waited for.
  stream.on('error', () => undefined);
  const response = await new Promise<Response>((done, fail) => {
    stream.once('response', done);
    stream.once('error', fail);
  });
  const { statusCode: status } = response;
  const body = status >= 200 && status < 300 ? toUtf8(response, url) : new PassThrough();
  stream.on('error', (error) => body.destroy(mapError(error, url, signal)));
  body.on('error', () => stream.destroy());
  body.on('close', () => stream.destroy());
  stream.pipe(body);
  return { status, headers: flat(response.headers), body };
};

/**
 * Sends until there is a response that is not repeated. A pause that the source asks for, or that follows
 * a failure, is one of its host: every request to it waits, whichever reads. `read`: takes the body.
 */
const exchange = async <Result>(
  client: Client,
  method: Method,
  request: SourceRequest,
  read: (answer: Answer, url: URL) => Promise<Result>,
): Promise<Result> => {
  const { limits, clock, log, signal: stopping, random = Math.random } = client;
  const url = urlOf(request);
  const signal = request.signal ? AbortSignal.any([request.signal, stopping]) : stopping;
  for (let attempt = 1; ; attempt += 1) {
    await limits.enter(url.host, signal);
    const started = performance.now();
    const note = (fields: object, message: string): void => {
      const ms = Math.round(performance.now() - started);
      log.debug({ method, url: shown(url), attempt, ms, ...fields }, message);
    };
    let failure: SourceError;
    let pause: number | undefined;
    try {
      const answer = await send(client, method, url, { ...request, signal });
      note({ status: answer.status }, 'the source responded');
      if (!REPEATED.has(answer.status)) {
        const next = pauseAfter(answer.headers, clock.now());
        if (next !== undefined) limits.pause(url.host, next);
        return await read(answer, url);
      }
      answer.body.destroy();
      pause = pauseOf(answer.headers, clock.now());
      failure = refused(url, answer.status, pause);
    } catch (error) {
      signal.throwIfAborted();
      failure = error instanceof SourceError ? error : sourceErrorOf(causeOf(error), url);
      note({ reason: failure.message }, 'the source did not respond');
      if (failure.kind !== 'network') throw failure;
    }
    if (pause !== undefined) limits.pause(url.host, pause);
    if (attempt === ATTEMPTS || (pause ?? 0) > MAX_WAIT_MS) throw failure;
    const growing = Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), MAX_PAUSE_MS);
    // A source may ask for a longer pause, but not for none at all.
    const ms = Math.max(pause ?? 0, Math.round(growing * (0.8 + random() * 0.4)));
    limits.pause(url.host, ms);
    log.info(
      { host: url.host, attempt, seconds: Math.ceil(ms / 1_000), reason: failure.message },
      'waiting for the source',
    );
  }
};

/** The HTTP client of one connector, on got. */
export const createSourceHttp = (parts: SourceHttpParts): ClosableHttp => {
  const agents = {
    http: new HttpAgent({ keepAlive: true, lookup: guardLookup(parts.guard, parts.resolve) }),
    https: new GuardedAgent(parts),
  };
  const client = { ...parts, agents, limits: createHostLimits(parts.clock, parts.pauses) };
  const text = (method: Method) => (request: SourceRequest) =>
    exchange(client, method, request, async ({ body, ...head }, url) => ({
      ...head,
      body: await textOf(body, request.bodyLimit ?? BODY_LIMIT, url),
    }));
  return {
    get: text('get'),
    post: text('post'),
    stream: (request) =>
      exchange(
        client,
        request.json === undefined && !request.form ? 'get' : 'post',
        request,
        (answer) => Promise.resolve(answer),
      ),
    close: () => {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
};

const urlOf = ({ url: text, query = {} }: SourceRequest): URL => {
  if (!URL.canParse(text)) throw new SourceError('config', `"${text}" is not a URL.`);
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new SourceError('config', `The URL of the source must begin with https://.`);
  if (url.port === '0')
    throw new SourceError('config', 'The URL of the source must not have the port 0.');
  if (url.username !== '' || url.password !== '')
    throw new SourceError('config', 'The URL of the source must not contain a user or a password.');
  for (const [name, value] of Object.entries(query))
    for (const one of Array.isArray(value) ? (value as readonly string[]) : [value])
      url.searchParams.append(name, String(one));
  return url;
};

const headersOf = ({ headers, auth, json, form }: SourceRequest, userAgent: string) => ({
  'user-agent': userAgent,
  accept: 'application/json',
  ...(json !== undefined && { 'content-type': 'application/json' }),
  ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
  ...lowerCased(headers),
  ...(auth && { authorization: credentials(auth) }),
});

const lowerCased = (headers: SourceRequest['headers'] = {}) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

const credentials = (auth: NonNullable<SourceRequest['auth']>): string =>
  'bearer' in auth
    ? `Bearer ${auth.bearer}`
    : `Basic ${Buffer.from(`${auth.user}:${auth.password}`).toString('base64')}`;

/** Without the query, which may hold keys. */
const shown = ({ origin, pathname }: URL): string => `${origin}${pathname}`;

const flat = (headers: Response['headers']): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  );

/** got's errors hold the request with its headers: only what they wrap, or their code, is looked at. */
const causeOf = (error: unknown): unknown => {
  if (!(error instanceof Error) || error instanceof BlockedAddressError) return error;
  if (error.cause instanceof Error) return error.cause;
  const { code } = error as { readonly code?: unknown };
  return Object.assign(new Error('The request failed.'), { code });
};

const mapError = (error: unknown, url: URL, signal: AbortSignal): Error =>
  signal.aborted ? (signal.reason as Error) : sourceErrorOf(causeOf(error), url);

const refused = (url: URL, status: number, pause: number | undefined): SourceError => {
  const options = pause === undefined ? {} : { retryAfterMs: pause };
  return status === 429
    ? new SourceError(
        'rate-limit',
        `The server ${url.host} allows no more requests for now.`,
        options,
      )
    : new SourceError(
        'network',
        `The server ${url.host} responded with status ${status}.`,
        options,
      );
};

/** The text of a success in UTF-8; that of an error is only shown, as far as it can be read. */
const toUtf8 = ({ headers }: Response, url: URL): Transform => {
  const decoder = createByteDecoder({
    charset: /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(headers['content-type'] ?? '')?.[1],
    broken: (why) =>
      new SourceError('schema', `The server ${url.host} sent a response that ${why}.`),
  });
  const attempt = (decode: () => string, done: TransformCallback): void => {
    try {
      done(null, decode());
    } catch (error) {
      done(error as SourceError);
    }
  };
  return new Transform({
    transform: (chunk: Buffer, _encoding, done) => attempt(() => decoder.decode(chunk), done),
    flush: (done) => attempt(decoder.end, done),
  });
};

const textOf = async (body: Readable, limit: number, url: URL): Promise<string> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limit)
      throw new SourceError(
        'schema',
        `The server ${url.host} responded with more than ${Math.round(limit / 1024 / 1024)} MiB.`,
      );
    chunks.push(chunk);
  }
  return new TextDecoder('utf-8').decode(Buffer.concat(chunks));
};
