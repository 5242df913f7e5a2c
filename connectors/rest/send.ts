import { createSign } from 'node:crypto';
import {
  type ConnectorHost,
  readSourceJson,
  requireOk,
  SourceError,
  type SourceRequest,
  type SourceResponse,
  z,
} from '../../src/plugin/api.js';
import type { RestSettings } from './settings.js';
import { textOf, valueAt } from './value-at.js';

type Host = ConnectorHost<RestSettings>;
type Streamed = Awaited<ReturnType<Host['http']['stream']>>;

/** Authenticated requests within the rate; a token that is refused is requested again, once. */
export interface Sender {
  readonly send: (request: SourceRequest) => Promise<SourceResponse>;
  readonly stream: (request: SourceRequest) => Promise<Streamed>;
  /** Throws a SourceError with what the source says, unless the status is 2xx. */
  readonly requireOk: (response: SourceResponse) => void;
}

/** How long before its end a token is not used any more: clocks differ. */
const TOKEN_MARGIN_MS = 60_000;
const TOKEN_SECONDS = 3_600;
/** The longest error that is looked at, in characters. */
const MAX_ERROR = 65_536;

const Token = z.object({
  access_token: z.string().min(1),
  expires_in: z.coerce.number().nullish(),
});

export const createSender = (host: Host): Sender => {
  const { http, settings } = host;
  const pace = createPace(host);
  let token: { readonly value: string; readonly until: number } | undefined;

  const requestToken = async (signal: AbortSignal | undefined): Promise<string> => {
    const grant = grantOf(host);
    if (grant === undefined) return '';
    await pace(signal);
    const response = await http.post({ ...grant, ...(signal && { signal }) });
    if ([400, 401, 403].includes(response.status)) throw refusedToken(response);
    const { access_token: value, expires_in: seconds } = readSourceJson(response, Token, {
      source: sourceAt(grant.url),
    });
    const lifetime = (seconds ?? TOKEN_SECONDS) * 1_000;
    const until = host.clock.now().getTime() + Math.max(lifetime - TOKEN_MARGIN_MS, lifetime / 2);
    token = { value, until };
    return value;
  };

  const withToken = async <Response extends { readonly status: number }>(
    request: SourceRequest,
    exchange: (request: SourceRequest) => Promise<Response>,
  ): Promise<Response> => {
    const attempt = async (bearer: string): Promise<Response> => {
      await pace(request.signal);
      return exchange({ ...request, auth: { bearer } });
    };
    if (!token || token.until <= host.clock.now().getTime())
      return attempt(await requestToken(request.signal));
    const response = await attempt(token.value);
    // A token can end before its time: one attempt with another one.
    return response.status === 401 ? attempt(await requestToken(request.signal)) : response;
  };

  const authorised = async <Response extends { readonly status: number }>(
    request: SourceRequest,
    exchange: (request: SourceRequest) => Promise<Response>,
  ): Promise<Response> => {
    const { auth } = settings;
    if (auth.type === 'oauth' || auth.type === 'jwt') return withToken(request, exchange);
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

/** How messages name a source. */
export const sourceAt = (url: string): string => `The API at ${new URL(url).host}`;

const ACCEPT = {
  json: { accept: 'application/json' },
  ndjson: { accept: 'application/x-ndjson, application/json' },
  csv: { accept: 'text/csv' },
  xml: { accept: 'application/xml, text/xml' },
};

const withCredentials = (
  request: SourceRequest,
  auth: Exclude<RestSettings['auth'], { readonly type: 'oauth' | 'jwt' }>,
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

/** The request for a token; undefined if the source needs none. */
const grantOf = ({
  settings: { auth },
  clock,
}: Host): (SourceRequest & { readonly form: object }) | undefined => {
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
  if (auth.type !== 'jwt') return undefined;
  return {
    url: auth.tokenUrl,
    form: {
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      assertion: assertionOf(auth, clock.now()),
    },
  };
};

const ASSERTION_SECONDS = 300;

/** A JWT that is signed with RS256 (RFC 7523, 3). */
const assertionOf = (
  auth: Extract<RestSettings['auth'], { readonly type: 'jwt' }>,
  now: Date,
): string => {
  const { issuer, subject, audience = auth.tokenUrl, scope, keyId } = auth;
  const issuedAt = Math.floor(now.getTime() / 1_000);
  const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
  const header = encode({ alg: 'RS256', typ: 'JWT', ...(keyId !== undefined && { kid: keyId }) });
  const claims = encode({
    iss: issuer,
    ...(subject !== undefined && { sub: subject }),
    aud: audience,
    ...(scope !== undefined && { scope }),
    iat: issuedAt,
    exp: issuedAt + ASSERTION_SECONDS,
  });
  try {
    const signature = createSign('RSA-SHA256')
      .update(`${header}.${claims}`)
      .sign(auth.privateKey.reveal(), 'base64url');
    return `${header}.${claims}.${signature}`;
  } catch (cause) {
    throw new SourceError(
      'config',
      'The setting auth.privateKey is not a private RSA key in PEM. It begins with ' +
        '"-----BEGIN PRIVATE KEY-----"; keep its line breaks, for example with {file: …}.',
      { cause },
    );
  }
};

const refusedToken = ({ status, body }: SourceResponse): SourceError => {
  const text = oneLine(textOf(valueAt(parsed(body), 'error')) ?? '');
  return new SourceError(
    'auth',
    `The token request was refused with ${status}${text === '' ? '' : ` (${text})`}. Check the ` +
      'credentials and the scope in `auth`.',
  );
};

const contextOf = ({ status, body }: SourceResponse, { baseUrl, error }: RestSettings) => {
  const detail =
    error === undefined || status < 400 ? undefined : textOf(valueAt(parsed(body), error));
  return {
    source: sourceAt(baseUrl),
    hints: { 404: 'Check the paths in the settings of the connector.' },
    ...(detail !== undefined && { detail: oneLine(detail) }),
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
