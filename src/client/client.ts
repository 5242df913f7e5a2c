import type {
  CallArguments,
  DryRun,
  ItemOf,
  ListPath,
  PathsWith,
  ResultOf,
  Verb,
} from './operation.js';
import { itemsOf, nextPage } from './pages.js';
import { parseJson, RollgateError } from './rollgate-error.js';
import {
  readServerSentEvents,
  type ClientOptions,
  createTransport,
  type Method,
  type RequestParts,
  type Transport,
  valueOf,
} from './transport.js';

/** A 2xx response. */
export interface ClientResponse<Data> {
  readonly status: number;
  readonly headers: Headers;
  readonly requestId: string | undefined;
  /** For `ifMatch`. */
  readonly etag: string | undefined;
  readonly data: Data;
}

export interface StreamOptions {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly signal?: AbortSignal;
  /** Continues after this event. */
  readonly lastEventId?: string;
}

/** An event of a stream, with its data parsed. */
export interface StreamedEvent<Data = unknown> {
  readonly id: string;
  readonly event: string;
  readonly data: Data;
}

type Call<V extends Verb> = <P extends PathsWith<V>>(
  path: P,
  ...options: CallArguments<P, V>
) => Promise<ResultOf<P, V>>;

/**
 * A client of the API. Paths, parameters, bodies and responses are those of the OpenAPI document.
 * All methods reject with a `RollgateError` unless the response is 2xx.
 *
 * @example
 * const rollgate = createRollgateClient({ baseUrl: 'https://rollgate.example.com', token: key });
 * const path = { tenantSlug: 'acme' };
 * const user = await rollgate.post('/v1/{tenantSlug}/users', { path, body: { email: 'ada@example.com' } });
 */
export interface RollgateClient {
  readonly get: Call<'get'>;
  readonly post: Call<'post'>;
  readonly put: Call<'put'>;
  readonly patch: Call<'patch'>;
  readonly delete: Call<'delete'>;
  /** Like the methods above, with status and headers. */
  readonly request: <V extends Verb, P extends PathsWith<V>>(
    verb: V,
    path: P,
    ...options: CallArguments<P, V>
  ) => Promise<ClientResponse<ResultOf<P, V>>>;
  /** What a write would do; changes nothing. */
  readonly preview: <V extends Exclude<Verb, 'get'>, P extends PathsWith<V>>(
    verb: V,
    path: P,
    ...options: CallArguments<P, V>
  ) => Promise<DryRun>;
  /** The items of all pages of a list, read as needed. `query.limit` is the size of a page. */
  readonly list: <P extends ListPath>(
    path: P,
    ...options: CallArguments<P, 'get'>
  ) => AsyncGenerator<ItemOf<ResultOf<P, 'get'>>, void, void>;
  /**
   * Resolves when the gateway has accepted the request, with its server-sent events until the stream
   * ends or `signal` is aborted.
   */
  readonly stream: <Data = unknown>(
    path: string,
    options?: StreamOptions,
  ) => Promise<AsyncGenerator<StreamedEvent<Data>, void, void>>;
  /** For paths that the document does not have, such as those of your own plugins. */
  readonly transport: Transport;
}

export const createRollgateClient = (options: ClientOptions): RollgateClient => {
  const transport = createTransport(options);

  const request = async (verb: Verb, path: string, given: GivenOptions = {}) => {
    const parts = partsOf(verb, path, given);
    const response = await transport.send(methodOf(verb), fill(path, given.path), parts);
    const { status, headers } = response;
    return {
      status,
      headers,
      requestId: headers.get('x-request-id') ?? undefined,
      etag: headers.get('etag') ?? undefined,
      data: valueOf(response),
    };
  };
  const call =
    (verb: Verb) =>
    async (path: string, given?: GivenOptions): Promise<unknown> =>
      (await request(verb, path, given)).data;

  const preview = async (verb: Verb, path: string, given: GivenOptions = {}) => {
    const headers = { ...given.headers, prefer: 'dry-run' };
    return (await request(verb, path, { ...given, headers })).data;
  };

  async function* list(path: string, given: GivenOptions = {}) {
    let more: Readonly<Record<string, unknown>> | undefined = {};
    while (more) {
      const { data } = await request('get', path, { ...given, query: { ...given.query, ...more } });
      const page = data as Readonly<Record<string, unknown>>;
      const items = itemsOf(page);
      yield* items;
      more = nextPage(page, items.length);
    }
  }

  const stream = async (path: string, { lastEventId, ...given }: StreamOptions = {}) => {
    const { query, signal } = given;
    const { body } = await transport.open(fill(path, given.path), {
      query,
      signal,
      headers: {
        accept: 'text/event-stream',
        ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
      },
    });
    return eventsIn(body, signal);
  };

  return {
    get: call('get'),
    post: call('post'),
    put: call('put'),
    patch: call('patch'),
    delete: call('delete'),
    request,
    preview,
    list,
    stream,
    transport,
  } as unknown as RollgateClient;
};

async function* eventsIn(
  body: AsyncIterable<Uint8Array> | null,
  signal: AbortSignal | undefined,
): AsyncGenerator<StreamedEvent, void, void> {
  try {
    if (body)
      for await (const { id, event, data } of readServerSentEvents(body))
        yield { id, event, data: parseJson(data) };
  } catch (cause) {
    if (signal?.aborted) return;
    throw new RollgateError({ code: 'UNREACHABLE', message: 'The stream broke off.', cause });
  }
}

/** What all operations take, as seen at run time. */
interface GivenOptions {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  readonly ifMatch?: string;
  readonly idempotencyKey?: string;
}

const partsOf = (verb: Verb, path: string, given: GivenOptions): RequestParts => {
  const { query, body, headers, signal, ifMatch } = given;
  const idempotencyKey = given.idempotencyKey ?? defaultKey(verb, path);
  return {
    query,
    body,
    signal,
    headers: {
      ...(ifMatch !== undefined && { 'if-match': ifMatch }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      ...headers,
    },
  };
};

/** POST requests of the REST API accept a key; those of SCIM and of operators do not. */
const defaultKey = (verb: Verb, path: string): string | undefined =>
  verb === 'post' && path.startsWith('/v1/') && !path.includes('/scim/')
    ? crypto.randomUUID()
    : undefined;

const methodOf = (verb: Verb): Method => verb.toUpperCase() as Method;

const fill = (path: string, values: Readonly<Record<string, string>> = {}): string =>
  path.replace(/\{(\w+)\}/g, (_match, name: string) => {
    const value = values[name];
    if (value === undefined || value === '')
      throw new TypeError(`The parameter "${name}" of ${path} is missing.`);
    return encodeURIComponent(value);
  });
