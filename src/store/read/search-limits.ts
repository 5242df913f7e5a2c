import { type Condition, leavesOf } from './filter-query.js';
import type { Filter } from '../../domain/kernel/filter.js';
import type { TenantId } from '../../domain/kernel/ids.js';
import { type Refusal, RefusalError, refuse } from '../../domain/kernel/refusals.js';
import { isTimeLimitExceeded } from '../database-errors.js';

/**
 * How many documents a condition makes the database examine:
 * `point`: a few, found by an index; `range`: a part of an index, such as a prefix; `presence`: a
 * whole index; `scan`: every document of the tenant.
 */
export type SearchCost = 'point' | 'range' | 'presence' | 'scan';

/** Fields that start an index, after the tenant. */
export interface SearchIndexes {
  /** Fields whose values are in few documents each. */
  readonly selective: ReadonlySet<string>;
  /** Those of them whose values may be in many documents if a client wants it. */
  readonly shared: ReadonlySet<string>;
  /** Fields whose values may be in any number of documents. */
  readonly unselective: ReadonlySet<string>;
}

/** `shared`: an equality with a value that many documents may have. */
type PartCost = SearchCost | 'shared';

const BY_COST: readonly PartCost[] = ['point', 'shared', 'range', 'presence', 'scan'];

/** Conditions, such as an address and its type, that are cheap to check even on many documents. */
const MAX_CHEAP_CONDITIONS = 6;

const cheapest = (costs: readonly PartCost[]): PartCost =>
  BY_COST.find((cost) => costs.includes(cost)) ?? 'presence';

const dearest = (costs: readonly PartCost[]): PartCost =>
  BY_COST.findLast((cost) => costs.includes(cost)) ?? 'point';

const isObject = (value: unknown): value is Condition =>
  typeof value === 'object' && value !== null && !(value instanceof Date);

const isOperators = (value: unknown): value is Condition =>
  isObject(value) && Object.keys(value).some((key) => key.startsWith('$'));

/** The part of an index over texts or times that operators select. */
const costOfOperators = (operators: Condition): PartCost => {
  const { $regex, $gt, $in, $exists } = operators;
  if (typeof $regex === 'string') {
    if (!$regex.startsWith('^')) return 'scan';
    return $regex.length > 1 ? 'range' : 'presence';
  }
  if (Array.isArray($in)) return 'point';
  // No document is without an id, and the index shows that at once.
  if ($exists === false) return 'point';
  if ($gt === '') return 'presence';
  return ['$gt', '$gte', '$lt', '$lte'].some((name) => name in operators) ? 'range' : 'scan';
};

const costOfField = (field: string, value: unknown, indexes: SearchIndexes): PartCost => {
  if (isOperators(value) && '$elemMatch' in value)
    return costOfAll(value.$elemMatch as Condition, indexes, `${field}.`);
  const isSelective = indexes.selective.has(field);
  if (!isSelective && !indexes.unselective.has(field)) return 'scan';
  const cost = isOperators(value) ? costOfOperators(value) : 'point';
  if (!isSelective) return dearest([cost, 'presence']);
  return cost === 'point' && indexes.shared.has(field) ? 'shared' : cost;
};

/**
 * Conditions that must all match: an index serves the narrowest, the others are checked one by
 * one.
 */
const costOfAnd = (costs: readonly PartCost[]): PartCost => {
  const narrowest = cheapest(costs);
  // A whole index leaves every document.
  return narrowest === 'presence' && costs.length > 1 ? 'scan' : narrowest;
};

const costOfAll = (condition: Condition, indexes: SearchIndexes, prefix: string): PartCost =>
  costOfAnd(
    Object.entries(condition).map(([name, value]) => {
      const parts = () =>
        (value as readonly Condition[]).map((part) => costOfAll(part, indexes, prefix));
      if (name === '$and') return costOfAnd(parts());
      if (name === '$or') return dearest(parts());
      return name.startsWith('$') ? 'scan' : costOfField(prefix + name, value, indexes);
    }),
  );

/** The number of conditions on single fields. */
const countConditions = (condition: unknown): number => {
  if (Array.isArray(condition))
    return condition.reduce<number>((sum, part) => sum + countConditions(part), 0);
  if (!isObject(condition)) return 1;
  const nested = Object.entries(condition).map(([name, value]) =>
    name.startsWith('$') && !isObject(value) && !Array.isArray(value) ? 1 : countConditions(value),
  );
  return nested.reduce((sum, count) => sum + count, 0);
};

/** The cost of a condition on documents of one tenant, as it is sent to the database. */
export const searchCostOf = (condition: Condition, indexes: SearchIndexes): SearchCost => {
  const cost = costOfAll(condition, indexes, '');
  if (cost !== 'shared') return cost;
  return countConditions(condition) > MAX_CHEAP_CONDITIONS ? 'range' : 'point';
};

/** The remaining time of a search, over all its queries. */
export interface TimeBudget {
  /** For `maxTimeMS` of the next query; throws if none is left. */
  readonly left: () => number;
}

/** A read whose cost grows with the tenant. */
export interface Search {
  readonly tenantId: TenantId;
  readonly cost: SearchCost;
  /** Number of documents that may be examined; a counter, never a scan. */
  readonly size: () => Promise<number>;
  /** As the client sent it. */
  readonly filter?: Filter | undefined;
  /** What is searched, and which attributes of it are indexed, for error messages. */
  readonly resourceName: string;
  readonly indexed: string;
}

/** Limits what searches of one tenant take from the others on this instance. */
export interface SearchLimits {
  /**
   * Runs a search, or rejects with RefusalError: INVALID_FILTER (tooMany) if neither an index nor
   * the tenant's size allows it, or if many conditions make it too slow, UNAVAILABLE if too many are
   * running.
   */
  readonly run: <Result>(
    search: Search,
    work: (budget: TimeBudget) => Promise<Result>,
  ) => Promise<Result>;
}

interface SearchBounds {
  /** Time for all queries of a search that an index alone does not support, in milliseconds. */
  readonly budgetMs: number;
  /**
   * Time for the other searches and for small tenants: exceeded only if the database is in trouble,
   * or by many conditions.
   */
  readonly timeoutMs: number;
  /** Concurrent searches that an index alone does not support. */
  readonly perTenant: number;
  readonly overall: number;
  /** A tenant of this size may be searched at any time, without limit. */
  readonly smallSize: number;
  /** Documents that a search may examine one by one. */
  readonly maxScanned: number;
  readonly now: () => number;
}

const BOUNDS: SearchBounds = {
  budgetMs: 1_000,
  timeoutMs: 2_000,
  perTenant: 2,
  overall: 4,
  smallSize: 1_000,
  maxScanned: 10_000,
  now: () => performance.now(),
};

class BudgetExceeded extends Error {
  override readonly name = 'BudgetExceeded';
}

const startBudget = (milliseconds: number, now: () => number): TimeBudget => {
  const end = now() + milliseconds;
  return {
    left: () => {
      const left = Math.ceil(end - now());
      if (left <= 0) throw new BudgetExceeded('The time for this search is over.');
      return left;
    },
  };
};

const busy = (whose: string): Refusal =>
  refuse('UNAVAILABLE', `Too many searches without an index are running${whose}. Try again.`, {
    retryAfter: 1,
  });

const withIndexes = (message: string, { indexed }: Search): Refusal =>
  refuse('INVALID_FILTER', `${message} Indexed: ${indexed}.`, { scimType: 'tooMany' });

/** A filter with more of them may be slow although few documents are examined. */
const MAX_QUICK_CONDITIONS = 10;

const tooSlow = (search: Search): Refusal => {
  const conditions = search.filter ? leavesOf(search.filter).length : 0;
  return search.cost !== 'point' && conditions > MAX_QUICK_CONDITIONS
    ? withIndexes(
        `This search takes too long, and its filter has ${conditions} conditions: use fewer, or an ` +
          'indexed attribute.',
        search,
      )
    : refuse('UNAVAILABLE', 'The database is too busy for this search. Try again shortly.', {
        retryAfter: 2,
      });
};

/** Counts the running searches. */
const createSlots = ({ perTenant, overall }: SearchBounds) => {
  const running = new Map<string, number>();
  let all = 0;
  return {
    refusalFor: (tenantId: TenantId): Refusal | undefined => {
      if ((running.get(tenantId) ?? 0) >= perTenant) return busy(' for this organisation');
      return all >= overall ? busy('') : undefined;
    },
    take: (tenantId: TenantId): void => {
      all += 1;
      running.set(tenantId, (running.get(tenantId) ?? 0) + 1);
    },
    release: (tenantId: TenantId): void => {
      all -= 1;
      const left = (running.get(tenantId) ?? 1) - 1;
      if (left > 0) running.set(tenantId, left);
      else running.delete(tenantId);
    },
  };
};

/**
 * One time budget per search, few of them at once per tenant and overall, and none that would
 * examine too much: searches slow the reads of other tenants down. Searches that an index supports
 * are not limited.
 */
export const createSearchLimits = (given: Partial<SearchBounds> = {}): SearchLimits => {
  const bounds = { ...BOUNDS, ...given };
  const slots = createSlots(bounds);

  const runWithin = async <Result>(
    milliseconds: number,
    work: (budget: TimeBudget) => Promise<Result>,
    onTimeout: () => Refusal,
  ): Promise<Result> => {
    try {
      return await work(startBudget(milliseconds, bounds.now));
    } catch (error) {
      if (!isTimeLimitExceeded(error) && !(error instanceof BudgetExceeded)) throw error;
      throw new RefusalError(onTimeout(), { cause: error });
    }
  };

  const runLimited = async <Result>(
    search: Search,
    size: number,
    work: (budget: TimeBudget) => Promise<Result>,
  ): Promise<Result> => {
    const { tenantId, resourceName } = search;
    const refusal = slots.refusalFor(tenantId);
    if (refusal) throw new RefusalError(refusal);
    slots.take(tenantId);
    try {
      return await runWithin(bounds.budgetMs, work, () =>
        size > bounds.maxScanned
          ? withIndexes(
              `This search takes too long over ${size} ${resourceName}: narrow it.`,
              search,
            )
          : tooSlow(search),
      );
    } finally {
      slots.release(tenantId);
    }
  };

  return {
    run: async (search, work) => {
      const { cost, resourceName } = search;
      const runQuick = () => runWithin(bounds.timeoutMs, work, () => tooSlow(search));
      if (cost === 'point') return runQuick();
      const size = await search.size();
      if (size <= bounds.smallSize) return runQuick();
      if (cost === 'scan' && size > bounds.maxScanned)
        throw new RefusalError(
          withIndexes(
            `No index supports this search, and ${size} ${resourceName} are too many to look at ` +
              `one by one (at most ${bounds.maxScanned}).`,
            search,
          ),
        );
      return runLimited(search, size, work);
    },
  };
};
