import type { Request, RequestHandler, Response } from 'express';
import type { IncomingMessage } from 'node:http';
import type { ApiKey } from '../../domain/tenant/tenant.js';
import type { Scope } from '../../domain/scopes.js';
import type { FailureReason } from '../../ports/connections.js';
import { contextOf } from '../request-context.js';
import { isPlainName } from '../plain-names.js';
import { readForm } from '../json/read-json.js';
import type { AccessTokens } from './access-tokens.js';
import {
  callerWith,
  type FoundKey,
  type KeyCache,
  reasonAgainstKey,
  type RefuseKey,
} from './authenticate-key.js';
import { hashSecret, isApiKey } from './credentials.js';
import { refuseMethod } from './request-checks.js';

/** Of a token, unless its key expires sooner. */
const LIFETIME_SECONDS = 3_600;

/** An error of RFC 6749, 5.2. */
class OAuthError extends Error {
  override readonly name = 'OAuthError';
  constructor(
    readonly code:
      'invalid_request' | 'invalid_client' | 'unsupported_grant_type' | 'invalid_scope',
    message: string,
  ) {
    super(message);
  }
}

const malformed = (message: string): never => {
  throw new OAuthError('invalid_request', message);
};

type Form = ReadonlyMap<string, string>;

/** Parameters, each at most once (RFC 6749, 3.2); empty ones count as absent. */
const parseForm = (text: string): Form => {
  const form = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(text)) {
    if (form.has(name))
      malformed(
        `${isPlainName(name) ? `The parameter ${name}` : 'A parameter'} occurs more than once.`,
      );
    if (value !== '') form.set(name, value);
  }
  return form;
};

interface Credentials {
  readonly id: string;
  readonly secret: string;
}

/** Of HTTP Basic, each part form-encoded (RFC 6749, 2.3.1). */
const basicCredentials = ({ headers }: IncomingMessage): Credentials | undefined => {
  const [, encoded] =
    /^basic +([A-Za-z0-9+/=_-]{1,512}) *$/i.exec(headers.authorization ?? '') ?? [];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString();
  const at = text.indexOf(':');
  const decode = (part: string): string => new URLSearchParams(`v=${part}`).get('v') ?? '';
  // "=" and "&" would end the value, and no id or key has them.
  const [id, secret] = [text.slice(0, at), text.slice(at + 1)];
  return at < 0 || /[=&]/.test(text) ? undefined : { id: decode(id), secret: decode(secret) };
};

/** By Basic or in the body, not both (RFC 6749, 2.3). */
const credentialsOf = (request: IncomingMessage, form: Form): Credentials | undefined => {
  const basic = basicCredentials(request);
  const [id, secret] = [form.get('client_id'), form.get('client_secret')];
  if (request.headers.authorization === undefined)
    return id !== undefined && secret !== undefined ? { id, secret } : undefined;
  if (secret !== undefined)
    malformed('Send the client secret in one way: by Basic or in the body.');
  return basic && (id ?? basic.id) === basic.id ? basic : undefined;
};

/**
 * The scopes of the key that are asked for. Entra ID and others send `api://…/.default`, which means
 * all that the client has.
 */
const grantedScopes = (key: ApiKey, asked: string | undefined): readonly Scope[] => {
  const names = (asked ?? '').split(' ').filter((name) => name !== '');
  if (names.length === 0 || names.every((name) => /(^|\/)\.default$/.test(name))) return key.scopes;
  const granted = key.scopes.filter((scope) => names.includes(scope));
  if (granted.length < new Set(names).size)
    throw new OAuthError('invalid_scope', `This client has the scopes: ${key.scopes.join(' ')}.`);
  return granted;
};

const send = (response: Response, status: number, body: object): void => {
  // RFC 6749, 5.1. `Cache-Control: no-store` is set for every response.
  response.setHeader('Pragma', 'no-cache');
  response.status(status).type('application/json').send(JSON.stringify(body));
};

/** Sends the errors of RFC 6749 that `work` throws. */
const answered = async (response: Response, work: () => void | Promise<void>): Promise<void> => {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    sendError(response, error);
  }
};

const sendError = (response: Response, { code, message }: OAuthError): void => {
  if (code === 'invalid_client') response.setHeader('WWW-Authenticate', 'Basic realm="rollgate"');
  send(response, code === 'invalid_client' ? 401 : 400, {
    error: code,
    error_description: message,
  });
};

interface TokenEndpointParts {
  readonly keys: Pick<KeyCache, 'find'>;
  readonly tokens: Pick<AccessTokens, 'issue'>;
  readonly refuseKey: RefuseKey;
  /** The key under which the client's address is counted. */
  readonly addressKey: (request: Request) => string;
  readonly recordUse: (id: ApiKey['id']) => void;
  /** Counts the request against the limit of the key. */
  readonly limit: RequestHandler;
}

/**
 * `POST /v1/{tenantSlug}/oauth2/token`: exchanges an API key for an access token by the client
 * credentials grant (RFC 6749, 4.4). The client id is the key's id, the secret is the key. Failures are
 * limited and recorded like all failed authentications, and are the same whether or not the tenant exists or issues
 * tokens.
 */
export const tokenEndpoint = ({
  keys,
  tokens,
  refuseKey,
  addressKey,
  recordUse,
  limit,
}: TokenEndpointParts): readonly RequestHandler[] => {
  /** The key, or why there is none. */
  const findClient = async (
    request: Request,
    given: Credentials | undefined,
  ): Promise<FoundKey | FailureReason> => {
    if (!given) return 'no_key';
    if (!isApiKey(given.secret)) return 'malformed_key';
    const found = await keys.find(hashSecret(given.secret), addressKey(request));
    if (!found) return 'unknown_key';
    const reason = reasonAgainstKey({ ...found, isToken: true }, request.params['tenantSlug']);
    if (reason !== undefined) return reason;
    return found.key.id === given.id.toLowerCase() ? found : 'other_client';
  };

  const authenticate = async (request: Request): Promise<Form> => {
    const form = parseForm(
      (await readForm(request)) ??
        malformed('Send the body as Content-Type: application/x-www-form-urlencoded.'),
    );
    const given = credentialsOf(request, form);
    const found = await findClient(request, given);
    if (typeof found === 'string') {
      const error = refuseKey(request, { key: given?.secret, reason: found });
      if (error.refusal.code === 'RATE_LIMITED') throw error;
      throw new OAuthError(
        'invalid_client',
        'Send the id of an API key of this tenant as the client id, and the key as the secret.',
      );
    }
    contextOf(request).caller = callerWith(found);
    recordUse(found.key.id);
    return form;
  };

  const issue = (request: IncomingMessage, form: Form): object => {
    const grant = form.get('grant_type') ?? malformed('The parameter grant_type is required.');
    if (grant !== 'client_credentials')
      throw new OAuthError('unsupported_grant_type', 'The grant type is client_credentials.');
    const key = contextOf(request).caller?.key;
    if (!key) throw new Error('The client was not authenticated.');
    const scopes = grantedScopes(key, form.get('scope'));
    const left = Math.floor(((key.expiresAt?.getTime() ?? Infinity) - Date.now()) / 1_000);
    const seconds = Math.max(0, Math.min(LIFETIME_SECONDS, left));
    return {
      access_token: tokens.issue(key, scopes, seconds),
      token_type: 'Bearer',
      expires_in: seconds,
      scope: scopes.join(' '),
    };
  };

  return [
    async (request, response, next) => {
      contextOf(request).route = '/v1/{tenantSlug}/oauth2/token';
      if (request.method !== 'POST') refuseMethod(response, ['POST']);
      await answered(response, async () => {
        response.locals['form'] = await authenticate(request);
        next();
      });
    },
    limit,
    (request, response) =>
      answered(response, () =>
        send(response, 200, issue(request, response.locals['form'] as Form)),
      ),
  ];
};
