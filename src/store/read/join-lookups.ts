import type { TenantId } from '../../domain/kernel/ids.js';

/** Finds values by their keys. */
export type FindByKeys<Key extends string, Value> = (
  tenantId: TenantId,
  keys: readonly Key[],
) => Promise<ReadonlyMap<Key, Value>>;

/** Keys of one joined query; a lookup of as many is a query of its own. */
const MAX_KEYS = 100;
/** How long lookups wait for the query in progress, in milliseconds: it may hang. */
const MAX_WAIT_MS = 50;

/** The next query of a tenant, and the lookups that share it. */
interface NextQuery<Key extends string, Value> {
  readonly keys: Set<Key>;
  readonly start: () => void;
  readonly found: Promise<ReadonlyMap<Key, Value>>;
}

interface TenantQueries<Key extends string, Value> {
  inProgress: number;
  next: NextQuery<Key, Value> | undefined;
}

/**
 * Joins lookups of a tenant that arrive while a query is in progress: they share the next one, since
 * a command costs far more than another key in it. A lookup waits only for a query in progress, and
 * its own starts after it, so it sees every earlier commit.
 */
export const joinLookups = <Key extends string, Value>(
  find: FindByKeys<Key, Value>,
): FindByKeys<Key, Value> => {
  const tenants = new Map<TenantId, TenantQueries<Key, Value>>();

  const queriesOf = (tenantId: TenantId): TenantQueries<Key, Value> => {
    const known = tenants.get(tenantId);
    if (known) return known;
    const queries: TenantQueries<Key, Value> = { inProgress: 0, next: undefined };
    tenants.set(tenantId, queries);
    return queries;
  };

  const run = async (
    tenantId: TenantId,
    keys: readonly Key[],
  ): Promise<ReadonlyMap<Key, Value>> => {
    const queries = queriesOf(tenantId);
    queries.inProgress += 1;
    try {
      return await find(tenantId, keys);
    } finally {
      queries.inProgress -= 1;
      if (queries.next) queries.next.start();
      else if (queries.inProgress === 0) tenants.delete(tenantId);
    }
  };

  const waitForQuery = (
    tenantId: TenantId,
    queries: TenantQueries<Key, Value>,
  ): NextQuery<Key, Value> => {
    const keys = new Set<Key>();
    let start = (): void => undefined;
    const found = new Promise<ReadonlyMap<Key, Value>>((resolve) => {
      start = () => {
        clearTimeout(timer);
        queries.next = undefined;
        resolve(run(tenantId, [...keys]));
      };
    });
    const timer = setTimeout(start, MAX_WAIT_MS);
    return { keys, start, found };
  };

  return (tenantId, keys) => {
    if (keys.length >= MAX_KEYS) return find(tenantId, keys);
    const queries = tenants.get(tenantId);
    if (!queries) return run(tenantId, keys);
    const next = (queries.next ??= waitForQuery(tenantId, queries));
    for (const key of keys) next.keys.add(key);
    if (next.keys.size >= MAX_KEYS) next.start();
    return next.found;
  };
};
