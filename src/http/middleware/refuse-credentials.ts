import type { IncomingMessage } from 'node:http';
import { refuse, type Refusal, RefusalError } from '../../domain/refusals.js';
import { makeFixedWindowRateLimiter } from '../fixed-window-rate-limiter.js';
import { addressKeyOf } from '../keys/address-key.js';

/** One answer to every failure, so that none tells which slugs or keys exist (decisions.md 1). */
export const UNAUTHENTICATED: Refusal = refuse(
  'UNAUTHENTICATED',
  'Send a valid API key of this tenant: Authorization: Bearer <API_KEY>.',
);

/** The same for whoever is no operator. */
export const NO_OPERATOR: Refusal = refuse(
  'UNAUTHENTICATED',
  'Send the admin token: Authorization: Bearer <ADMIN_TOKEN>.',
);

const ADDRESSES = 10_000;
const MINUTE = 60_000;

interface FailureLimit {
  /** A minute. */
  readonly limit: number;
  readonly now: () => number;
}

/** The refusal for a request whose credentials did not hold; counts the failure. */
export type RefuseCredentials = (request: IncomingMessage, refusal: Refusal) => RefusalError;

/**
 * Failed authentications are limited, to so many a minute an address (decisions.md 3). Only failures
 * are: where many clients share one address, behind a proxy say, somebody's wrong key must not
 * lock out the others' right ones.
 */
export const makeRefuseCredentials = ({ limit, now }: FailureLimit): RefuseCredentials => {
  const limiter = makeFixedWindowRateLimiter({
    limit,
    windowMs: MINUTE,
    now,
    capacity: ADDRESSES,
  });
  return (request, refusal) => {
    const verdict = limiter.take(addressKeyOf(request.socket.remoteAddress));
    if (verdict.allowed) return new RefusalError(refusal);
    return new RefusalError(
      refuse('RATE_LIMITED', 'Too many failed authentications from this address.', {
        retryAfter: verdict.resetSeconds,
      }),
    );
  };
};
