import type { IncomingMessage } from 'node:http';
import type { Log } from '../api/log.js';
import {
  databaseUnavailable,
  kindOf,
  refuse,
  type Refusal,
  type RefusalDetail,
  RefusalError,
  type RefusalKind,
} from '../domain/refusals.js';
import { StoreUnavailable } from '../pipeline/commit-store.js';
import { sentToken } from './keys/bearer-token.js';

/** The one place where a kind of refusal becomes a status of the native and operators' API. */
export const STATUS_BY_KIND = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  missing: 404,
  notAllowed: 405,
  conflict: 409,
  stale: 412,
  tooLarge: 413,
  unsupported: 415,
  unmet: 417,
  limited: 429,
  broken: 500,
  notImplemented: 501,
  busy: 503,
} as const satisfies Record<RefusalKind, number>;

/** The body of every native refusal (decisions.md 2). */
export interface ErrorBody {
  readonly error: string;
  readonly message: string;
  readonly details?: readonly RefusalDetail[];
  readonly request_id: string;
}

export const statusOf = (refusal: Refusal): number => STATUS_BY_KIND[kindOf(refusal)];

export const errorBodyOf = (refusal: Refusal, requestId: string): ErrorBody => ({
  error: refusal.code,
  message: refusal.message,
  ...(refusal.details && { details: refusal.details }),
  request_id: requestId,
});

type HeadersOnly = Pick<IncomingMessage, 'headers'>;

/** RFC 6750, 3.1: no error code for a client that sent no token. */
const challengeOf = (refusal: Refusal, request: HeadersOnly): string | undefined => {
  if (kindOf(refusal) === 'unauthenticated')
    return sentToken(request) ? 'Bearer error="invalid_token"' : 'Bearer';
  if (refusal.code !== 'INSUFFICIENT_SCOPE') return undefined;
  const scope = refusal.scope === undefined ? '' : `, scope="${refusal.scope}"`;
  return `Bearer error="insufficient_scope"${scope}`;
};

/**
 * The headers that go with a refusal, native or SCIM: the challenge of RFC 9110, 11.6.1 and RFC 6750,
 * 3, and when to come back. `Allow` is set by the step that refuses the method, for only it knows the
 * list.
 */
export const refusalHeadersOf = (
  refusal: Refusal,
  request: HeadersOnly,
): Readonly<Record<string, string>> => {
  const challenge = challengeOf(refusal, request);
  if (challenge !== undefined) return { 'WWW-Authenticate': challenge };
  const kind = kindOf(refusal);
  const waits = kind === 'limited' || kind === 'busy' || refusal.retryAfter !== undefined;
  return waits ? { 'Retry-After': String(refusal.retryAfter ?? 1) } : {};
};

/** What express itself throws: http-errors and URIErrors with a status below 500. */
const isClientFault = (error: unknown): boolean => {
  const status = (error as { readonly status?: unknown } | null | undefined)?.status;
  return typeof status === 'number' && status >= 400 && status < 500;
};

/**
 * The refusal that an error stands for. Whatever is no refusal is a fault of ours: INTERNAL to the
 * client, with nothing of the cause in it, which goes to the log under the request id.
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
  if (isClientFault(error)) {
    return refuse('INVALID_REQUEST', 'The URL is not well-formed: check its percent-encoding.');
  }
  log.error({ err: error }, 'request failed');
  return refuse('INTERNAL', 'Internal server error. Report it with its request_id.');
};
