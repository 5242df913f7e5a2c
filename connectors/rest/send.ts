import {
  type ConnectorHost,
  createAccessTokens,
  requireOk,
  type ResponseContext,
  signAssertion,
  SourceError,
  type SourceRequest,
  type SourceResponse,
} from '../../src/plugin/api.js';
import { type Api, sourceOf } from './api.js';
import { textOf, valueAt } from './value-at.js';

type Host = ConnectorHost<Api>;
type Streamed = Awaited<ReturnType<Host['http']['stream']>>;

/** Authenticated requests within the rate; a token that is refused is requested again, once. */
export interface Sender {
  readonly send: (request: SourceRequest) => Promise<SourceResponse>;
  readonly stream: (request: SourceRequest) => Promise<Streamed>;
  /** Throws a SourceError with what the source says, unless the status is 2xx. */
  readonly requireOk: (response: SourceResponse) => void;
}

/** The longest error that is looked at, in characters. */
const MAX_ERROR = 65_536;

export const createSender = (host: Host): Sender => {
  const { http, settings } = host;
  const pace = createPace(host);
  const withToken = createTokens(host, pace);

  const authorised = async <Response extends { readonly status: number }>(
    request: SourceRequest,
    exchange: (request: SourceRequest) => Promise<Response>,
  ): Promise<Response> => {
    const { auth } = settings;
    if (auth.type === 'oauth' || auth.type === 'jwt' || auth.type === 'grant')
      return withToken(async (bearer) => {
        await pace(request.signal);
        return exchange({ ...request, auth: { bearer } });
      }, request.signal);
    await pace(request.signal);
    return exchange(withCredentials(request, auth));
  };

  const complete = (request: SourceRequest): SourceRequest => ({
    ...request,
    headers: { ...ACCEPT[settings.format], ...settings.headers, ...request.headers },
    timeoutMs: settings.timeout,
  });

  return {
    send: (request) =>
      authorised(complete(request), (one) =>
        one.json === undefined ? http.get(one) : http.post(one),
      ),
    stream: (request) => authorised(complete(request), http.stream),
    requireOk: (response) => requireOk(response, contextOf(response, settings)),
  };
};

const ACCEPT = {
  json: { accept: 'application/json' },
  ndjson: { accept: 'application/x-ndjson, application/json' },
  csv: { accept: 'text/csv' },
  xml: { accept: 'application/xml, text/xml' },
};

const withCredentials = (
  request: SourceRequest,
  auth: Exclude<Api['auth'], { readonly type: 'oauth' | 'jwt' | 'grant' }>,
): SourceRequest => {
  switch (auth.type) {
    case 'none':
      return request;
    case 'bearer':
      return { ...request, auth: { bearer: auth.token.reveal() } };
    case 'basic':
      return { ...request, auth: { user: auth.user, password: auth.password.reveal() } };
    case 'apiKey': {
      const key = `${auth.prefix}${auth.key.reveal()}`;
      return auth.in === 'query'
        ? { ...request, query: { ...request.query, [auth.name]: key } }
        : { ...request, headers: { ...request.headers, [auth.name]: key } };
    }
  }
};

const createTokens = (host: Host, pace: ReturnType<typeof createPace>) =>
  createAccessTokens(host, {
    source: host.settings.vendor?.name ?? 'The token endpoint',
    request: async (signal) => {
      await pace(signal);
      return {
        ...grantOf(host),
        headers: { accept: 'application/json', ...host.settings.headers },
      };
    },
    refused: (response) => refusedToken(response, host.settings),
  });

/** The request for a token. */
const grantOf = ({
  settings: { auth },
  clock,
}: Host): SourceRequest & { readonly form: Readonly<Record<string, string>> } => {
  if (auth.type === 'oauth') {
    const { tokenUrl: url, clientId, scope, sendAs, parameters } = auth;
    const secret = auth.clientSecret.reveal();
    return {
      url,
      ...(sendAs === 'basic' && {
        // RFC 6749, 2.3.1: both are form-encoded first.
        auth: { user: encodeURIComponent(clientId), password: encodeURIComponent(secret) },
      }),
      form: {
        grant_type: 'client_credentials',
        ...(scope !== undefined && { scope }),
        ...(sendAs === 'body' && { client_id: clientId, client_secret: secret }),
        ...parameters,
      },
    };
  }
  if (auth.type === 'grant') return { url: auth.tokenUrl, form: auth.form(clock.now()) };
  if (auth.type !== 'jwt') throw new Error(`There are no tokens with auth.type ${auth.type}.`);
  const { tokenUrl: url, issuer, subject, audience = url, scope, keyId } = auth;
  const assertion = signAssertion({
    claims: {
      iss: issuer,
      ...(subject !== undefined && { sub: subject }),
      aud: audience,
      ...(scope !== undefined && { scope }),
    },
    privateKey: auth.privateKey.reveal(),
    keyId,
    now: clock.now(),
    setting: 'auth.privateKey',
  });
  return { url, form: { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion } };
};

const refusedToken = ({ status, body }: SourceResponse, api: Api): SourceError => {
  const text = oneLine(textOf(valueAt(parsed(body), 'error')) ?? '');
  const check =
    api.vendor?.hints[401] ??
    'Check the credentials and the scope in `auth`; some servers take them only with `sendAs: body`.';
  return new SourceError(
    'auth',
    `The token request was refused with ${status}${text === '' ? '' : ` (${text})`}. ${check}`,
  );
};

const contextOf = ({ status, body }: SourceResponse, api: Api): ResponseContext => {
  const paths = status < 400 ? [] : [api.error ?? []].flat();
  const document = paths.length === 0 ? undefined : parsed(body);
  const detail = paths.flatMap((path) => textOf(valueAt(document, path)) ?? []).join(', ');
  return {
    source: sourceOf(api),
    hints: api.vendor?.hints ?? { 404: 'Check `baseUrl`, `people.path` and `detail.path`.' },
    ...(detail !== '' && { detail: oneLine(detail) }),
  };
};

const parsed = (body: string): unknown => {
  if (body.length > MAX_ERROR) return undefined;
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
};

/** Text of the source in a sentence of ours. */
const oneLine = (text: string): string =>
  text
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, 200);

/** Waits until the next request is within the rate. */
const createPace = ({ clock, settings }: Host) => {
  const interval = 60_000 / settings.requestsPerMinute;
  let next = 0;
  return async (signal: AbortSignal | undefined): Promise<void> => {
    const now = clock.now().getTime();
    const wait = next - now;
    next = Math.max(now, next) + interval;
    // Longer than a few requests' time: the clock was set back.
    if (wait > 0) await clock.sleep(Math.min(wait, 60_000), signal);
  };
};
