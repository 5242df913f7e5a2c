import { isIP } from 'node:net';
import type { SecureContext } from 'node:tls';
import { LRUCache } from 'lru-cache';
import { buildConnector, Pool } from 'undici';
import {
  type AddressGuard,
  BlockedAddressError,
  guardLookup,
  type Resolver,
} from './address-guard.js';

type Connector = buildConnector.connector;

/** Below the total time of any request that is worth making; undici counts it in whole seconds. */
const CONNECT_TIMEOUT_MS = 10_000;
/** How long one of several addresses is tried alone; Node's 250 ms give slow networks no chance. */
const ATTEMPT_TIMEOUT_MS = 2_000;

/**
 * Wraps what opens connections. A literal address is checked before dialling (no lookup is ever
 * called for one), a name's addresses by the lookup, and, whatever came between, the address at the
 * other end before the connection carries a single byte of a request.
 */
const guardConnector =
  (guard: AddressGuard, connect: Connector): Connector =>
  (options, callback) => {
    if (isIP(options.hostname) !== 0 && !guard.allows(options.hostname)) {
      callback(new BlockedAddressError(), null);
      return;
    }
    connect(options, (...[error, socket]) => {
      if (error) callback(error, null);
      else if (guard.allows(socket.remoteAddress ?? '')) callback(null, socket);
      else {
        socket.on('error', () => undefined).destroy();
        callback(new BlockedAddressError(), null);
      }
    });
  };

export interface ConnectorOptions {
  readonly guard: AddressGuard;
  readonly resolve: Resolver;
  /** Absent: the system's authorities. */
  readonly secureContext?: SecureContext;
  /** Opens the connections that are guarded; undici's unless a test replaces it. */
  readonly connect?: Connector;
}

/** Each connector has its own cache of TLS sessions. */
export const createConnector = ({
  guard,
  resolve,
  secureContext,
  connect = buildConnector({
    lookup: guardLookup(guard, resolve),
    timeout: CONNECT_TIMEOUT_MS,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ATTEMPT_TIMEOUT_MS,
    ...(secureContext && { secureContext }),
  }),
}: ConnectorOptions): Connector => guardConnector(guard, connect);

/** Connections kept open to many origins: bounded, and not shared between owners. */
export interface ConnectionPools {
  /** The pool of this owner for this origin. Use it at once: it may be let go of later. */
  readonly get: (owner: string, origin: string) => Pool;
  readonly close: () => Promise<void>;
}

/** An idle pool is an object without a socket; the bound is on those, not on open connections. */
const MAX_POOLS = 1_000;

/**
 * Each pool has a connector, and so a cache of TLS sessions, of its own. How many connections it
 * opens is up to its users; the whole request is timed by them too.
 */
export const createConnectionPools = (
  newConnector: (owner: string) => NonNullable<Pool.Options['connect']>,
  capacity = MAX_POOLS,
): ConnectionPools => {
  const retired = new Set<Pool>();

  /** Lets requests in flight end, then closes its connections. */
  const retire = (pool: Pool): void => {
    retired.add(pool);
    pool.close(() => retired.delete(pool));
  };

  const pools = new LRUCache<string, Pool>({ max: capacity, dispose: retire });

  const open = (key: string, owner: string, origin: string): Pool => {
    const pool = new Pool(origin, {
      connect: newConnector(owner),
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: 16_384,
    });
    pools.set(key, pool);
    return pool;
  };

  return {
    get: (owner, origin) => {
      const key = `${origin} ${owner}`;
      return pools.get(key) ?? open(key, owner, origin);
    },
    close: async () => {
      await Promise.all([...pools.values(), ...retired].map((pool) => pool.destroy()));
    },
  };
};
