import type { TenantId } from '../../domain/ids.js';
import { type Refusal, RefusalError, refuse } from '../../domain/refusals.js';
import { isTimeLimitExceeded } from '../database-errors.js';
import type { SearchCost } from './search-cost.js';

/** What is left of the time that a search may take, over all its queries. */
export interface TimeBudget {
  /** For `maxTimeMS` of the next query; throws where nothing is left. */
  readonly left: () => number;
}

/** A read whose cost grows with the tenant. */
export interface Search {
  readonly tenantId: TenantId;
  readonly cost: SearchCost;
  /** How many documents there are to look at; a count that is kept, never a scan. */
  readonly size: () => Promise<number>;
  /** What is searched, and what of it an index answers, for the caller who has to ask otherwise. */
  readonly things: string;
  readonly indexed: string;
}

/** Bounds what searches of one tenant take from the others on this instance. */
export interface SearchLimits {
  /**
   * Does the work of a search, or rejects with RefusalError: INVALID_FILTER (tooMany) where neither
   * an index nor the tenant's size allows it, UNAVAILABLE where too many are under way.
   */
  readonly run: <Result>(
    search: Search,
    work: (budget: TimeBudget) => Promise<Result>,
  ) => Promise<Result>;
}

export interface SearchBounds {
  /** For all queries of a search that is not answered by an index alone, in milliseconds. */
  readonly budgetMs: number;
  /** For one that is, or whose tenant is small: no more than a sign that the database is away. */
  readonly patienceMs: number;
  /** Searches at once that are not answered by an index alone. */
  readonly perTenant: number;
  readonly overall: number;
  /** A tenant of this size may be searched at any time, as often as it likes. */
  readonly smallSize: number;
  /** Documents that a search may look at one by one. */
  readonly maxScanned: number;
  readonly now: () => number;
}

const BOUNDS: SearchBounds = {
  budgetMs: 1_000,
  patienceMs: 5_000,
  perTenant: 2,
  overall: 4,
  smallSize: 1_000,
  maxScanned: 10_000,
  now: () => performance.now(),
};

class BudgetSpent extends Error {
  override readonly name = 'BudgetSpent';
}

const startBudget = (milliseconds: number, now: () => number): TimeBudget => {
  const end = now() + milliseconds;
  return {
    left: () => {
      const left = Math.ceil(end - now());
      if (left <= 0) throw new BudgetSpent('The time for this search is over.');
      return left;
    },
  };
};

const busy = (whose: string): Refusal =>
  refuse('UNAVAILABLE', `Too many searches without an index are running${whose}. Try again.`, {
    retryAfter: 1,
  });

const tooSlow = (): Refusal =>
  refuse('UNAVAILABLE', 'The database is too busy for this search. Try again shortly.', {
    retryAfter: 2,
  });

const withIndexes = (message: string, { indexed }: Search): Refusal =>
  refuse('INVALID_FILTER', `${message} Indexed: ${indexed}.`, { scimType: 'tooMany' });

/** Counts the searches under way. */
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
 * One budget of time for a search as a whole, few of them at once for each tenant and overall, and
 * none that would look at too much: others' reads wait for the database, too. Searches that an index
 * answers pass freely.
 */
export const createSearchLimits = (given: Partial<SearchBounds> = {}): SearchLimits => {
  const bounds = { ...BOUNDS, ...given };
  const slots = createSlots(bounds);

  const within = async <Result>(
    milliseconds: number,
    work: (budget: TimeBudget) => Promise<Result>,
    whenOver: () => Refusal,
  ): Promise<Result> => {
    try {
      return await work(startBudget(milliseconds, bounds.now));
    } catch (error) {
      if (!isTimeLimitExceeded(error) && !(error instanceof BudgetSpent)) throw error;
      throw new RefusalError(whenOver(), { cause: error });
    }
  };

  const runLimited = async <Result>(
    search: Search,
    size: number,
    work: (budget: TimeBudget) => Promise<Result>,
  ): Promise<Result> => {
    const { tenantId, things } = search;
    const refusal = slots.refusalFor(tenantId);
    if (refusal) throw new RefusalError(refusal);
    slots.take(tenantId);
    try {
      // What is small and takes long all the same says something of the database, not of the filter.
      return await within(bounds.budgetMs, work, () =>
        size > bounds.maxScanned
          ? withIndexes(`This search takes too long over ${size} ${things}: narrow it.`, search)
          : tooSlow(),
      );
    } finally {
      slots.release(tenantId);
    }
  };

  return {
    run: async (search, work) => {
      const { cost, things } = search;
      if (cost === 'point') return within(bounds.patienceMs, work, tooSlow);
      const size = await search.size();
      if (size <= bounds.smallSize) return within(bounds.patienceMs, work, tooSlow);
      if (cost === 'scan' && size > bounds.maxScanned)
        throw new RefusalError(
          withIndexes(
            `No index answers this search, and ${size} ${things} are too many to look at ` +
              `one by one (at most ${bounds.maxScanned}).`,
            search,
          ),
        );
      return runLimited(search, size, work);
    },
  };
};
