import type { IncomingMessage } from 'node:http';
import { STRANGERS, URGENT } from '../../pipeline/loop-scheduler.js';
import { createBoundedCache } from './bounded-cache.js';
import { hashSecret } from './credentials.js';

/** The shares of requests on the event loop, before their credentials are checked. */
export interface LoopShares {
  readonly shareOf: (request: IncomingMessage) => unknown;
  /** Call it when a request has ended: with the owner of its credentials, or undefined if refused. */
  readonly learn: (request: IncomingMessage, owner: string | undefined) => void;
}

const PROBES: ReadonlySet<string | undefined> = new Set(['/healthz', '/readyz']);
/** Credentials that are known at the same time. */
const CAPACITY = 10_000;

/** Undefined: the request has none in its headers, as one for a token with a secret in its body. */
const hashOfCredentials = ({ headers }: IncomingMessage): string | undefined => {
  const given = headers.authorization ?? headers.cookie;
  return given === undefined ? undefined : hashSecret(given);
};

/**
 * A request whose credentials were valid before has the share of their tenant or operator; any other has
 * a share of its address, one of few: an attacker may have thousands of addresses, such as the networks of
 * an IPv6 prefix. So what is sent with made-up credentials delays a tenant less than other tenants do, even
 * if it comes from the same address.
 */
export const createLoopShares = (addressKey: (request: IncomingMessage) => string): LoopShares => {
  const owners = createBoundedCache<string, string>(CAPACITY);
  return {
    shareOf: (request) => {
      if (PROBES.has(request.url)) return URGENT;
      const hash = hashOfCredentials(request);
      const owner = hash === undefined ? undefined : owners.get(hash);
      if (owner !== undefined) return owner;
      const address = parseInt(hashSecret(addressKey(request)).slice(0, 8), 16);
      return STRANGERS[address % STRANGERS.length];
    },
    learn: (request, owner) => {
      const hash = hashOfCredentials(request);
      if (hash === undefined) return;
      if (owner === undefined) owners.delete(hash);
      else owners.set(hash, owner);
    },
  };
};
