import { LRUCache } from 'lru-cache';
import { Pool } from 'undici';

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
