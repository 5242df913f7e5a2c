import { fold } from './names.js';
import { isJsonObject, type JsonValue } from './json.js';

export interface AttributeReference {
  /**
   * Canonical names from the root: `['emails', 'value']`, `['meta', 'lastModified']`. Attributes of
   * the Enterprise extension start with `enterprise`, those of a tenant's own with `custom`.
   */
  readonly path: readonly string[];
  readonly type: 'string' | 'boolean' | 'number' | 'dateTime' | 'complex';
  /** Whether comparisons are case-sensitive (RFC 7643, 2.2). */
  readonly caseExact: boolean;
  /** A list of values without sub-attributes. */
  readonly isList?: true;
}

export type ComparisonOperator = 'eq' | 'ne' | 'co' | 'sw' | 'ew' | 'gt' | 'ge' | 'lt' | 'le';

/**
 * A SCIM filter (RFC 7644, 3.4.2.2) with resolved attributes, as a tree. The store translates it into
 * an indexed query.
 */
export type Filter =
  | { readonly kind: 'and' | 'or'; readonly of: readonly Filter[] }
  | { readonly kind: 'not'; readonly of: Filter }
  | { readonly kind: 'present'; readonly attribute: AttributeReference }
  | {
      readonly kind: 'compare';
      readonly operator: ComparisonOperator;
      readonly attribute: AttributeReference;
      /** Values of type dateTime are ISO 8601 strings. */
      readonly value: string | number | boolean | null;
    }
  /** `emails[type eq "work"]`: one element matches `of`, whose paths start at the element. */
  | { readonly kind: 'element'; readonly attribute: AttributeReference; readonly of: Filter };

/** All values at a path. A list on the path contributes each of its elements. */
const valuesAt = (value: JsonValue | undefined, path: readonly string[]): readonly JsonValue[] => {
  if (Array.isArray(value)) return (value as JsonValue[]).flatMap((each) => valuesAt(each, path));
  const [name, ...rest] = path;
  if (name === undefined) return value === undefined || value === null ? [] : [value];
  return isJsonObject(value) ? valuesAt(value[name], rest) : [];
};

/** Compares by code point, like MongoDB; `<` compares UTF-16 units. */
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

const MAX_CACHED = 256;
const folded = new Map<string, string>();

/** The operations of a PATCH compare the elements of one list many times. */
const cachedFold = (text: string): string => {
  const cached = folded.get(text);
  if (cached !== undefined) return cached;
  if (folded.size >= MAX_CACHED) folded.clear();
  const form = fold(text);
  folded.set(text, form);
  return form;
};

const isPresent = (value: JsonValue): boolean => value !== '';

/** The value in the form that comparisons of this attribute use. */
const comparable = ({ type, caseExact }: AttributeReference, value: JsonValue): Scalar | null => {
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  if (typeof value !== 'string') return null;
  if (type === 'dateTime') return Date.parse(value);
  return type === 'string' && !caseExact ? cachedFold(value) : value;
};

/** Whether a resource, or one element of a list, matches a filter. */
type Matcher = (resource: JsonValue) => boolean;

type Comparison = Extract<Filter, { kind: 'compare' }>;

const holdsFor = (
  { attribute }: Comparison,
  value: Scalar,
  operator: ComparisonOperator,
): Matcher => {
  const wanted = comparable(attribute, value);
  if (wanted === null) return () => false;
  return (resource) =>
    valuesAt(resource, attribute.path).some((each) => {
      const compared = comparable(attribute, each);
      return compared !== null && holds(operator, compared, wanted);
    });
};

const comparisonMatcher = (filter: Comparison): Matcher => {
  const { attribute, operator, value } = filter;
  if (value === null) {
    return (resource) => (operator === 'eq') !== valuesAt(resource, attribute.path).some(isPresent);
  }
  if (operator !== 'ne') return holdsFor(filter, value, operator);
  const isEqual = holdsFor(filter, value, 'eq');
  return (resource) => !isEqual(resource);
};

/**
 * Compiles a filter for use on many resources. It agrees with the store's translation for the
 * database, also for `ne`: it is the negation of `eq`, so it matches an attribute without a value.
 */
export const matcherOf = (filter: Filter): Matcher => {
  switch (filter.kind) {
    case 'and': {
      const all = filter.of.map(matcherOf);
      return (resource) => all.every((meets) => meets(resource));
    }
    case 'or': {
      const all = filter.of.map(matcherOf);
      return (resource) => all.some((meets) => meets(resource));
    }
    case 'not': {
      const meets = matcherOf(filter.of);
      return (resource) => !meets(resource);
    }
    case 'present':
      return (resource) => valuesAt(resource, filter.attribute.path).some(isPresent);
    case 'element': {
      const meets = matcherOf(filter.of);
      return (resource) => valuesAt(resource, filter.attribute.path).some(meets);
    }
    case 'compare':
      return comparisonMatcher(filter);
  }
};

export const matchFilter = (filter: Filter, resource: JsonValue): boolean =>
  matcherOf(filter)(resource);

/** A selection of list elements by id: the named ones, or all others. */
export interface ElementSelection {
  readonly kind: 'these' | 'allBut';
  readonly ids: ReadonlySet<string>;
}

export const NONE: ElementSelection = { kind: 'these', ids: new Set() };
export const ALL: ElementSelection = { kind: 'allBut', ids: new Set() };

export const selectOnly = (ids: readonly string[]): ElementSelection => ({
  kind: 'these',
  ids: new Set(ids),
});

export const complementOf = ({ kind, ids }: ElementSelection): ElementSelection => ({
  kind: kind === 'these' ? 'allBut' : 'these',
  ids,
});

/** Whether the element with this id is selected. */
const isSelected = ({ kind, ids }: ElementSelection, id: string): boolean =>
  ids.has(id) === (kind === 'these');

/** A union is the complement of the intersection of the complements. */
const intersection = (one: ElementSelection, other: ElementSelection): ElementSelection => {
  if (one.kind === 'allBut' && other.kind === 'allBut') {
    return { kind: 'allBut', ids: new Set([...one.ids, ...other.ids]) };
  }
  const [named, rest] = one.kind === 'these' ? [one, other] : [other, one];
  return { kind: 'these', ids: new Set([...named.ids].filter((id) => isSelected(rest, id))) };
};

export type SelectionLeaf = Extract<Filter, { readonly kind: 'present' | 'compare' }>;

/** How a condition on an element selects; `refuse` is called for conditions that are not supported. */
interface SelectionRules {
  readonly leaf: (leaf: SelectionLeaf) => ElementSelection;
  readonly refuse: () => never;
}

/** The elements that a filter selects. Its attribute paths start at the element. */
export const selectElements =
  (rules: SelectionRules) =>
  (filter: Filter): ElementSelection => {
    const select = selectElements(rules);
    switch (filter.kind) {
      case 'and':
        return filter.of.map(select).reduce(intersection, ALL);
      case 'or':
        return complementOf(
          filter.of.map((part) => complementOf(select(part))).reduce(intersection, ALL),
        );
      case 'not':
        return complementOf(select(filter.of));
      case 'element':
        return rules.refuse();
      case 'present':
      case 'compare':
        return rules.leaf(filter);
    }
  };
