import type { mongo } from 'mongoose';
import type { Neighbours, Turn } from '../../api/paging.js';
import type { Condition } from './filter-query.js';
import { beyond, type Order, sortOf, turned } from './keyset.js';
import type { TimeBudget } from './search-limits.js';

/** Selects a page of the documents that match. */
export interface SomeQuery {
  readonly order: Order;
  readonly offset: number;
  /** 0: only the total. */
  readonly limit: number;
  /** Set: the page at this cursor, and `offset` is ignored. */
  readonly turn?: Turn;
  /** The index to use, so that the planner need not choose one. */
  readonly hint?: Readonly<Record<string, 1>>;
  readonly projection?: mongo.Document;
  /** Number of documents, if a counter has it. */
  readonly countAll?: () => Promise<number>;
  /** For finding and counting together. */
  readonly budget: TimeBudget;
}

export interface SomePage<Document> extends Neighbours {
  readonly page: readonly Document[];
  readonly total: number;
}

/** Which documents to read: those beyond a position, if there is one, in order or in reverse. */
export interface Slice {
  readonly further?: Condition;
  readonly isBackward: boolean;
  readonly skip: number;
  readonly limit: number;
}

/** Finds and counts the documents that match. */
export interface Finder<Document> {
  readonly find: (slice: Slice) => Promise<readonly Document[]>;
  readonly count: () => Promise<number>;
}

/** A page of the documents that a finder finds, and their total. */
export const pageOf = async <Document extends object>(
  { find, count }: Finder<Document>,
  { order, offset, limit, turn }: Pick<SomeQuery, 'order' | 'offset' | 'limit' | 'turn'>,
): Promise<SomePage<Document>> => {
  if (limit === 0) return { page: [], total: await count() };
  if (turn) {
    const further = beyond(order, turn);
    const isBackward = turn.to === 'before';
    const read = await find({
      ...(further && { further }),
      isBackward,
      skip: 0,
      limit: limit + 1,
    });
    const { page, ...neighbours } = turned(order, turn, { read, limit });
    const isAll = turn.to === 'first' && neighbours.next === undefined;
    return { page, total: isAll ? page.length : await count(), ...neighbours };
  }
  const page = await find({ isBackward: false, skip: offset, limit });
  // A page that is not full determines the total.
  const isLast = page.length < limit && (page.length > 0 || offset === 0);
  return { page, total: isLast ? offset + page.length : await count() };
};

/** A page of the documents that match conditions, and their total. */
export const pageOfSome = async <Document extends mongo.Document>(
  collection: mongo.Collection<Document>,
  conditions: Condition,
  query: SomeQuery,
): Promise<SomePage<mongo.WithId<Document>>> => {
  const { order, hint, projection, budget, countAll } = query;
  const where = (further?: Condition) =>
    (further ? { $and: [conditions, further] } : conditions) as mongo.Filter<Document>;
  const bounds = () => ({ maxTimeMS: budget.left(), ...(hint && { hint }) });
  return pageOf(
    {
      find: ({ further, isBackward, skip, limit }) =>
        collection
          .find(where(further), {
            ...bounds(),
            ...(projection && { projection }),
            // In one response: by default the database would return 101 and wait for the next
            // request.
            batchSize: limit + 1,
          })
          .sort(sortOf(order, isBackward))
          .skip(skip)
          .limit(limit)
          .toArray(),
      count: countAll ?? (() => collection.countDocuments(where(), bounds())),
    },
    query,
  );
};
