import type { IncomingMessage } from 'node:http';
import type { Log } from '../api/log.js';
import {
  databaseUnavailable,
  kindOf,
  refuse,
  type Refusal,
  type RefusalDetail,
  RefusalError,
} from '../domain/kernel/refusals.js';
import { StoreUnavailable } from '../pipeline/commit-store.js';
import { hasBearerToken } from './keys/bearer-token.js';

/** The body of native errors (decisions.md 2). */
export interface ErrorBody {
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
 */
export const refusalHeadersOf = (
  refusal: Refusal,
  request: HeadersOnly,
): Readonly<Record<string, string>> => {
  const challenge = challengeOf(refusal, request);
  if (challenge !== undefined) return { 'WWW-Authenticate': challenge };
  const kind = kindOf(refusal);
  const isRetryable = kind === 'limited' || kind === 'busy' || refusal.retryAfter !== undefined;
  return isRetryable ? { 'Retry-After': String(refusal.retryAfter ?? 1) } : {};
};

/** Errors that Express throws for malformed requests: a status below 500. */
const isClientFault = (error: unknown): boolean => {
  const status = (error as { readonly status?: unknown } | null | undefined)?.status;
  return typeof status === 'number' && status >= 400 && status < 500;
};

/**
 * The refusal for any error. Other errors than refusals become INTERNAL; their cause is logged with
 * the request id and not shown to the client.
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

/** Throws a refusal of the domain; for use in expressions. */
export const throwRefusal = ({ refusal }: { readonly refusal: Refusal }): never => {
  throw new RefusalError(refusal);
};
