import type { IncomingMessage } from 'node:http';
import { refuse, type Refusal, RefusalError } from '../../domain/kernel/refusals.js';
import { createFixedWindowRateLimiter } from '../fixed-window-rate-limiter.js';
import { addressKeyOf, createClientAddress } from '../keys/address-key.js';

/** Of a request without a bearer token. */
export const API_KEY_REQUIRED: Refusal = refuse(
  'UNAUTHENTICATED',
  'Send a valid API key of this tenant: Authorization: Bearer <API_KEY>.',
);

/**
 * The same for every token that is refused, so that responses do not reveal which slugs or keys
 * exist (decisions.md 1).
 */
export const API_KEY_INVALID: Refusal = refuse(
  'UNAUTHENTICATED',
  'This API key is not valid. Send a valid key of this tenant: Authorization: Bearer <API_KEY>.',
);

export const ADMIN_TOKEN_REQUIRED: Refusal = refuse(
  'UNAUTHENTICATED',
  'Send the admin token: Authorization: Bearer <ADMIN_TOKEN>.',
);

export const ADMIN_TOKEN_INVALID: Refusal = refuse(
  'UNAUTHENTICATED',
  'This admin token is not valid. Send the current one: Authorization: Bearer <ADMIN_TOKEN>.',
);

const MAX_ADDRESSES = 10_000;
const MINUTE = 60_000;

interface FailureLimit {
  /** Per minute. */
  readonly limit: number;
  readonly now: () => number;
  /** Addresses and ranges of proxies whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[];
}

/** Counts a failed authentication and returns its refusal. */
export type RefuseCredentials = (request: IncomingMessage, refusal: Refusal) => RefusalError;

/**
 * Limits failed authentications per client address and minute (decisions.md 3). Successful ones are
 * not limited: many clients may share an address, and one wrong key must not lock out the others.
 */
export const createRefuseCredentials = ({
  limit,
  now,
  trustedProxies,
}: FailureLimit): RefuseCredentials => {
  const clientAddressOf = createClientAddress(trustedProxies);
  const limiter = createFixedWindowRateLimiter({
    limit,
    windowMs: MINUTE,
    now,
    capacity: MAX_ADDRESSES,
  });
  return (request, refusal) => {
    const result = limiter.take(addressKeyOf(clientAddressOf(request)));
    if (result.allowed) return new RefusalError(refusal);
    return new RefusalError(
      refuse('RATE_LIMITED', 'Too many failed authentications from this address.', {
        retryAfter: result.resetSeconds,
      }),
    );
  };
};
