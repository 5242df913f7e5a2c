import type { IncomingMessage } from 'node:http';
import type { Log } from '../ports/telemetry.js';
import {
  databaseUnavailable,
  kindOf,
  refuse,
  type Refusal,
  type RefusalDetail,
  RefusalError,
} from '../domain/kernel/refusals.js';
import { StoreUnavailable } from '../pipeline/commit-store.js';
import { hasBearerToken } from './access/credentials.js';
import { scimErrorBody } from '../scim/responses.js';
import type { Tenant } from '../domain/tenant/tenant.js';
import { API_KEY_INVALID } from './access/refuse-credentials.js';
import { type RequestContext, contextOf } from './request-context.js';
import { isScimPath } from './scim/endpoints.js';
import type { ErrorRequestHandler } from 'express';
import { httpStatusOf } from '../routes/responses.js';

/** The body of native errors (decisions.md 2). */
interface ErrorBody {
  readonly error: string;
  readonly message: string;
  readonly details?: readonly RefusalDetail[];
  readonly request_id: string;
}

export const errorBodyOf = (refusal: Refusal, requestId: string): ErrorBody => ({
  error: refusal.code,
  message: refusal.message,
  ...(refusal.details && { details: refusal.details }),
  request_id: requestId,
});

type HeadersOnly = Pick<IncomingMessage, 'headers'>;

/** No error code if the client sent no token (RFC 6750, 3.1). */
const challengeOf = (refusal: Refusal, request: HeadersOnly): string | undefined => {
  if (kindOf(refusal) === 'unauthenticated')
    return hasBearerToken(request) ? 'Bearer error="invalid_token"' : 'Bearer';
  if (refusal.code !== 'INSUFFICIENT_SCOPE') return undefined;
  const scope = refusal.scope === undefined ? '' : `, scope="${refusal.scope}"`;
  return `Bearer error="insufficient_scope"${scope}`;
};

/**
 * The headers of a refusal in any interface: the challenge (RFC 9110, 11.6.1; RFC 6750, 3) and
 * `Retry-After`. `Allow` is set where the method is refused.
 *
 * @internal
 */
export const refusalHeadersOf = (
  refusal: Refusal,
  request: HeadersOnly,
): Readonly<Record<string, string>> => {
  const challenge = challengeOf(refusal, request);
  if (challenge !== undefined) return { 'WWW-Authenticate': challenge };
  const kind = kindOf(refusal);
  // The rest of the request may still come.
  if (kind === 'late') return { Connection: 'close' };
  const isRetryable = kind === 'limited' || kind === 'busy' || refusal.retryAfter !== undefined;
  return isRetryable ? { 'Retry-After': String(refusal.retryAfter ?? 1) } : {};
};

/**
 * The refusal for any error. Other errors than refusals become INTERNAL; their cause is logged with
 * the request id and not shown to the client.
 *
 * @internal
 */
export const refusalOf = (error: unknown, log: Log): Refusal => {
  if (error instanceof RefusalError) {
    if (error.cause !== undefined)
      log.warn({ err: error.cause, code: error.refusal.code }, 'request refused');
    return error.refusal;
  }
  if (error instanceof StoreUnavailable) {
    log.warn({ err: error.cause ?? error }, 'database not responding');
    return databaseUnavailable();
  }
  // Of Express, which decodes paths; other errors with a status are not about this request.
  if (error instanceof URIError)
    return refuse('INVALID_REQUEST', 'The URL is not well-formed: check its percent-encoding.');
  log.error({ err: error }, 'request failed');
  return refuse('INTERNAL', 'Internal server error. Report it with its request_id.');
};

/** What error bodies depend on besides the refusal. */
export interface ErrorContext {
  readonly requestId: string;
  readonly caller?: { readonly tenant: Tenant };
}

/** The format of responses in one interface. */
export interface ResponseFormat {
  readonly mediaType: string;
  readonly errorBodyOf: (refusal: Refusal, context: ErrorContext) => object;
}

export const NATIVE_FORMAT: ResponseFormat = {
  mediaType: 'application/json; charset=utf-8',
  errorBodyOf: (refusal, { requestId }) => errorBodyOf(refusal, requestId),
};

export const SCIM_FORMAT: ResponseFormat = {
  // RFC 7644, 8.1: without a charset.
  mediaType: 'application/scim+json',
  errorBodyOf: (refusal, { requestId, caller }) => {
    // A 401 has the same body for every tenant, or it would show that the tenant exists.
    const isStrict =
      kindOf(refusal) !== 'unauthenticated' && caller?.tenant.scim.strictErrors === true;
    return scimErrorBody(refusal, { requestId, isStrict });
  },
};

/**
 * A tenant can be deleted while its API key is still cached. Its clients get the same 401 as with an
 * unknown key (pipeline-rules.md 14).
 */
export const hideDeletedTenant = (
  refusal: Refusal,
  { caller }: Pick<RequestContext, 'caller'>,
): Refusal => (caller && refusal.code === 'TENANT_NOT_FOUND' ? API_KEY_INVALID : refusal);

/** The last stage: sends any error as a refusal, in the format of the interface of the path. */
export const handleErrors: ErrorRequestHandler = (error, request, response, _next) => {
  const context = contextOf(request);
  const refusal = hideDeletedTenant(refusalOf(error, context.log), context);
  // A response that was partly sent cannot become an error: close the connection.
  if (response.headersSent) {
    response.destroy();
    return;
  }
  context.refusal = refusal;
  const { mediaType, errorBodyOf } = isScimPath(request.path) ? SCIM_FORMAT : NATIVE_FORMAT;
  const text = JSON.stringify(errorBodyOf(refusal, context));
  response.removeHeader('ETag');
  response.writeHead(httpStatusOf(refusal), {
    ...refusalHeadersOf(refusal, request),
    'Content-Type': mediaType,
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'no-store',
  });
  response.end(text);
};
