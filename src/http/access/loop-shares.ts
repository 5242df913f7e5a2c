import type { IncomingMessage } from 'node:http';
import { STRANGERS, URGENT } from '../../pipeline/loop-scheduler.js';
import { createBoundedCache } from './bounded-cache.js';
import { hashSecret } from './credentials.js';

/** Whose time on the event loop a request takes, and the part of it. */
export interface LoopShare {
  readonly client: unknown;
  readonly part?: string;
}

/** The shares of requests on the event loop, before their credentials are checked. */
export interface LoopShares {
  readonly shareOf: (request: IncomingMessage) => LoopShare;
  /** Call it when a request has ended: with the owner of its credentials, or undefined if refused. */
  readonly learn: (request: IncomingMessage, owner: string | undefined) => void;
}

const PROBES: ReadonlySet<string | undefined> = new Set(['/healthz', '/readyz']);
/** Credentials that are known at the same time. */
const CAPACITY = 10_000;

const hashOfCredentials = ({ headers }: IncomingMessage): string | undefined => {
  const sent = headers.authorization ?? headers.cookie;
  return sent === undefined ? undefined : hashSecret(sent);
};

/**
 * A request whose credentials were valid before has the share of their tenant or operator. All others
 * have one share together, in which each address takes its turn. So what strangers send delays a
 * tenant like what one other tenant sends, even if they share its address.
 */
export const createLoopShares = (addressKey: (request: IncomingMessage) => string): LoopShares => {
  const owners = createBoundedCache<string, string>(CAPACITY);
  return {
    shareOf: (request) => {
      if (PROBES.has(request.url)) return { client: URGENT };
      const hash = hashOfCredentials(request);
      const client = hash === undefined ? undefined : owners.get(hash);
      return client === undefined ? { client: STRANGERS, part: addressKey(request) } : { client };
    },
    learn: (request, owner) => {
      const hash = hashOfCredentials(request);
      if (hash === undefined) return;
      if (owner === undefined) owners.delete(hash);
      else owners.set(hash, owner);
    },
  };
};
