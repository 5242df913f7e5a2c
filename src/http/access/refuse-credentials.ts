import type { RateLimiter, RateLimitResult } from '../../ports/system.js';
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, type Socket } from 'node:net';
import ipaddr from 'ipaddr.js';
import { refuse, type Refusal, RefusalError } from '../../domain/kernel/refusals.js';
import { createBoundedCache } from './bounded-cache.js';

interface RateLimitSettings {
  /** Requests per window. */
  readonly limit: number;
  readonly windowMs: number;
  /**
   * Milliseconds since the epoch. Windows start at its multiples, so all instances have the same.
   */
  readonly now: () => number;
  /** Maximum number of keys; beyond it, the least recently used is dropped. */
  readonly capacity?: number;
}

const CAPACITY = 100_000;

/** A RateLimiter that never returns a promise. */
interface FixedWindowRateLimiter extends RateLimiter {
  readonly take: (key: string) => RateLimitResult;
}

/**
 * Counts failed authentications in fixed windows, in this process only. The limit per API key is in
 * store/shared-rate-limiter.ts. Memory is bounded by the capacity and freed after each window.
 *
 * @internal
 */
export const createFixedWindowRateLimiter = ({
  limit,
  windowMs,
  now,
  capacity = CAPACITY,
}: RateLimitSettings): FixedWindowRateLimiter => {
  const counts = createBoundedCache<string, number>(capacity);
  let window = -1;

  /** Milliseconds left in the current window. */
  const enterWindow = (): number => {
    const time = now();
    const current = Math.floor(time / windowMs);
    // Any other window, not only a later one: a clock that was set back must not count for hours.
    if (current !== window) counts.clear();
    window = current;
    return (current + 1) * windowMs - time;
  };

  const count = (key: string): number => {
    const taken = (counts.get(key) ?? 0) + 1;
    counts.set(key, taken);
    return taken;
  };

  return {
    take: (key) => {
      const left = enterWindow();
      const taken = count(key);
      return {
        allowed: taken <= limit,
        limit,
        remaining: Math.max(0, limit - taken),
        resetSeconds: Math.max(1, Math.ceil(left / 1000)),
      };
    },
  };
};

/**
 * The key under which failures of a client are counted: its IPv4 address, or the /64 of its IPv6
 * address, of which one client has all addresses.
 */
export const addressKeyOf = (address: string | undefined): string => {
  if (address === undefined) return 'unknown';
  // Most of them; parsing an address is not free.
  if (isIP(address) === 4) return address;
  if (!ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  const network = (parsed as ipaddr.IPv6).parts.slice(0, 4);
  return `${new ipaddr.IPv6([...network, 0, 0, 0, 0]).toString()}/64`;
};

type Family = 'ipv4' | 'ipv6';

interface Received extends Pick<IncomingMessage, 'headers'> {
  readonly socket: Pick<Socket, 'remoteAddress'>;
}

export type ClientAddress = (request: Received) => string | undefined;

const familyOf = (address: string): Family => (address.includes(':') ? 'ipv6' : 'ipv4');

const blockListOf = (ranges: readonly string[]): BlockList => {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', bits] = range.split('/');
    if (bits === undefined) list.addAddress(address, familyOf(address));
    else list.addSubnet(address, Number(bits), familyOf(address));
  }
  return list;
};

/** Some proxies add the port: `203.0.113.7:4711`, `[2001:db8::7]:4711`. */
const WITH_PORT = /^(?:\[([^\]]+)\]|([\d.]+))(?::\d+)?$/;

const addressIn = (hop: string): string | undefined => {
  const [, inBrackets, plain] = WITH_PORT.exec(hop.trim()) ?? [];
  const address = inBrackets ?? plain ?? hop.trim();
  return isIP(address) === 0 ? undefined : address;
};

/** Whether an address is that of a trusted proxy. */
export const createProxyCheck = (trustedProxies: readonly string[]) => {
  if (trustedProxies.length === 0) return () => false;
  const trusted = blockListOf(trustedProxies);
  return (address: string): boolean => trusted.check(address, familyOf(address));
};

/**
 * Finds the address of the client: that of the socket, or if it is a trusted proxy, the last one in
 * `X-Forwarded-For` that is not a trusted proxy. What stands before it was sent by the client, which
 * can claim any address; without trusted proxies, the whole header was.
 */
export const createClientAddress = (trustedProxies: readonly string[]): ClientAddress => {
  const isTrusted = createProxyCheck(trustedProxies);
  return ({ headers, socket }) => {
    let address = socket.remoteAddress;
    const hops = [headers['x-forwarded-for'] ?? []].flat().join().split(',');
    while (address !== undefined && isTrusted(address)) {
      const next = addressIn(hops.pop() ?? '');
      if (next === undefined) break;
      address = next;
    }
    return address;
  };
};

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
  /** The client's address (`createClientAddress`). */
  readonly addressOf: ClientAddress;
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
  addressOf,
}: FailureLimit): RefuseCredentials => {
  const limiter = createFixedWindowRateLimiter({
    limit,
    windowMs: MINUTE,
    now,
    capacity: MAX_ADDRESSES,
  });
  return (request, refusal) => {
    const result = limiter.take(addressKeyOf(addressOf(request)));
    if (result.allowed) return new RefusalError(refusal);
    return new RefusalError(
      refuse('RATE_LIMITED', 'Too many failed authentications from this address.', {
        retryAfter: result.resetSeconds,
      }),
    );
  };
};
