import type { Condition } from './filter-query.js';

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
  /** Fields whose values may be in any number of documents. */
  readonly unselective: ReadonlySet<string>;
}

const BY_COST: readonly SearchCost[] = ['point', 'range', 'presence', 'scan'];

const cheapest = (costs: readonly SearchCost[]): SearchCost =>
  BY_COST.find((cost) => costs.includes(cost)) ?? 'presence';

const dearest = (costs: readonly SearchCost[]): SearchCost =>
  BY_COST.findLast((cost) => costs.includes(cost)) ?? 'point';

const isOperators = (value: unknown): value is Condition =>
  typeof value === 'object' &&
  value !== null &&
  !(value instanceof Date) &&
  Object.keys(value).some((key) => key.startsWith('$'));

/** The part of an index over texts or times that operators select. */
const costOfOperators = (operators: Condition): SearchCost => {
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

const costOfField = (field: string, value: unknown, indexes: SearchIndexes): SearchCost => {
  if (isOperators(value) && '$elemMatch' in value)
    return costOfAll(value.$elemMatch as Condition, indexes, `${field}.`);
  const isSelective = indexes.selective.has(field);
  if (!isSelective && !indexes.unselective.has(field)) return 'scan';
  const cost = isOperators(value) ? costOfOperators(value) : 'point';
  return isSelective ? cost : dearest([cost, 'presence']);
};

/**
 * Conditions that must all match: an index serves the narrowest, the others are checked one by
 * one.
 */
const costOfAnd = (costs: readonly SearchCost[]): SearchCost => {
  const narrowest = cheapest(costs);
  // A whole index leaves every document.
  return narrowest === 'presence' && costs.length > 1 ? 'scan' : narrowest;
};

const costOfAll = (condition: Condition, indexes: SearchIndexes, prefix: string): SearchCost =>
  costOfAnd(
    Object.entries(condition).map(([name, value]) => {
      const parts = () =>
        (value as readonly Condition[]).map((part) => costOfAll(part, indexes, prefix));
      if (name === '$and') return costOfAnd(parts());
      if (name === '$or') return dearest(parts());
      return name.startsWith('$') ? 'scan' : costOfField(prefix + name, value, indexes);
    }),
  );

/** The cost of a condition on documents of one tenant, as it is sent to the database. */
export const searchCostOf = (condition: Condition, indexes: SearchIndexes): SearchCost =>
  costOfAll(condition, indexes, '');
