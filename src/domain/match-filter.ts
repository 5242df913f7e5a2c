import type { AttributeReference, ComparisonOperator, Filter } from './filter.js';
import { fold } from './fold.js';
import { isJsonObject, type JsonValue } from './json.js';

/** All values at a path; a list on the way stands for each of its elements. */
const valuesAt = (value: JsonValue | undefined, path: readonly string[]): readonly JsonValue[] => {
  if (Array.isArray(value)) return (value as JsonValue[]).flatMap((each) => valuesAt(each, path));
  const [name, ...rest] = path;
  if (name === undefined) return value === undefined || value === null ? [] : [value];
  return isJsonObject(value) ? valuesAt(value[name], rest) : [];
};

/** Order by code point, as MongoDB orders text; `<` would compare UTF-16 units. */
const compareText = (left: string, right: string): number => {
  const length = Math.min(left.length, right.length);
  for (let at = 0; at < length; at += 1) {
    const difference = (left.codePointAt(at) ?? 0) - (right.codePointAt(at) ?? 0);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
};

const ORDER_TESTS: Partial<Record<ComparisonOperator, (order: number) => boolean>> = {
  gt: (order) => order > 0,
  ge: (order) => order >= 0,
  lt: (order) => order < 0,
  le: (order) => order <= 0,
};

const TEXT_TESTS: Partial<Record<ComparisonOperator, (text: string, part: string) => boolean>> = {
  co: (text, part) => text.includes(part),
  sw: (text, part) => text.startsWith(part),
  ew: (text, part) => text.endsWith(part),
};

type Scalar = string | number | boolean;

const orderOf = (value: Scalar, wanted: Scalar): number | undefined => {
  if (typeof value === 'string' && typeof wanted === 'string') return compareText(value, wanted);
  if (typeof value === 'number' && typeof wanted === 'number') return value - wanted;
  return undefined;
};

const holds = (operator: ComparisonOperator, value: Scalar, wanted: Scalar): boolean => {
  if (operator === 'eq') return value === wanted;
  const inText = TEXT_TESTS[operator];
  if (inText) {
    return typeof value === 'string' && typeof wanted === 'string' && inText(value, wanted);
  }
  const order = orderOf(value, wanted);
  return order !== undefined && (ORDER_TESTS[operator]?.(order) ?? false);
};

const isPresent = (value: JsonValue): boolean => value !== '';

/** A value in the form in which this attribute's values are compared. */
const comparable = ({ type, caseExact }: AttributeReference, value: JsonValue): Scalar | null => {
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  if (typeof value !== 'string') return null;
  if (type === 'dateTime') return Date.parse(value);
  return type === 'string' && !caseExact ? fold(value) : value;
};

const matchComparison = (
  { attribute, operator, value }: Extract<Filter, { kind: 'compare' }>,
  resource: JsonValue,
): boolean => {
  const found = valuesAt(resource, attribute.path);
  if (value === null) return (operator === 'eq') !== found.some(isPresent);
  if (operator === 'ne') {
    return !matchComparison({ kind: 'compare', operator: 'eq', attribute, value }, resource);
  }
  const wanted = comparable(attribute, value);
  if (wanted === null) return false;
  return found.some((each) => {
    const compared = comparable(attribute, each);
    return compared !== null && holds(operator, compared, wanted);
  });
};

/**
 * Whether a resource, or one element of a list, meets a filter. The database answers the same
 * questions by the store's translation of the filter; the two agree, `ne` included: it is the
 * contrary of `eq`, so an attribute without a value is "not equal" to anything.
 */
export const matchFilter = (filter: Filter, resource: JsonValue): boolean => {
  switch (filter.kind) {
    case 'and':
      return filter.of.every((part) => matchFilter(part, resource));
    case 'or':
      return filter.of.some((part) => matchFilter(part, resource));
    case 'not':
      return !matchFilter(filter.of, resource);
    case 'present':
      return valuesAt(resource, filter.attribute.path).some(isPresent);
    case 'element':
      return valuesAt(resource, filter.attribute.path).some((element) =>
        matchFilter(filter.of, element),
      );
    case 'compare':
      return matchComparison(filter, resource);
  }
};
