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
