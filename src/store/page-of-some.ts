import type { mongo } from 'mongoose';
import type { Neighbours, Turn } from '../api/paging.js';
import type { Condition } from './filter-query.js';
import { beyond, type Order, sortOf, turned } from './keyset.js';
import type { TimeBudget } from './search-limits.js';

/** Which page of those that meet a condition. */
export interface SomeQuery {
  readonly order: Order;
  readonly offset: number;
  /** 0 asks for the total alone. */
  readonly limit: number;
  /** Present: the page next to a place, and the offset says nothing. */
  readonly turn?: Turn;
  /** The index to use, where the planner need not look for one. */
  readonly hint?: Readonly<Record<string, 1>>;
  readonly projection?: mongo.Document;
  /** How many there are, where somebody keeps count. */
  readonly countAll?: () => Promise<number>;
  /** For finding and counting together. */
  readonly budget: TimeBudget;
}

interface SomePage<Document> extends Neighbours {
  readonly page: readonly mongo.WithId<Document>[];
  readonly total: number;
}

const readTurn = async <Document extends mongo.Document>(
  collection: mongo.Collection<Document>,
  conditions: mongo.Filter<Document>,
  { order, limit, turn, options }: SomeQuery & { readonly turn: Turn; readonly options: object },
) => {
  const further = beyond(order, turn);
  const where = (further ? { $and: [conditions, further] } : conditions) as typeof conditions;
  const read = await collection
    .find(where, options)
    .sort(sortOf(order, turn.to === 'before'))
    .limit(limit + 1)
    .toArray();
  return turned(order, turn, { read, limit });
};

/** A page of the documents that meet a condition, and how many do. */
export const pageOfSome = async <Document extends mongo.Document>(
  collection: mongo.Collection<Document>,
  conditions: Condition,
  query: SomeQuery,
): Promise<SomePage<Document>> => {
  const { order, offset, limit, turn, hint, projection, budget } = query;
  const where = conditions as mongo.Filter<Document>;
  const bounds = () => ({ maxTimeMS: budget.left(), ...(hint && { hint }) });
  const count = query.countAll ?? (() => collection.countDocuments(where, bounds()));
  if (limit === 0) return { page: [], total: await count() };
  const options = { ...bounds(), ...(projection && { projection }) };
  if (turn) {
    const { page, ...neighbours } = await readTurn(collection, where, { ...query, turn, options });
    const isAll = turn.to === 'first' && neighbours.next === undefined;
    return { page, total: isAll ? page.length : await count(), ...neighbours };
  }
  const page = await collection
    .find(where, options)
    .sort(sortOf(order))
    .skip(offset)
    .limit(limit)
    .toArray();
  // A page that is not full tells the total by itself.
  const isLast = page.length < limit && (page.length > 0 || offset === 0);
  return { page, total: isLast ? offset + page.length : await count() };
};
