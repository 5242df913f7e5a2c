import type { AttributeReference, ComparisonOperator, Filter } from '../../domain/kernel/filter.js';
import { fold, nameKey, namePart } from '../../domain/kernel/names.js';

/** A condition in MongoDB's query language. */
export type Condition = Readonly<Record<string, unknown>>;

/** The field of an attribute, and the form of its values there. */
export interface FieldMapping {
  readonly field: string;
  readonly form: 'folded' | 'name' | 'exact' | 'date';
}

export type Leaf = Extract<Filter, { kind: 'present' | 'compare' }>;
type Element = Extract<Filter, { kind: 'element' }>;

/** How a resource type translates conditions on an attribute, and on the elements of a list. */
export interface Translation {
  readonly leaf: (leaf: Leaf) => Condition;
  readonly element: (element: Element) => Condition;
}

export const MATCH_ALL: Condition = {};
export const MATCH_NONE: Condition = { _id: { $exists: false } };

/** Whether an attribute's values are compared without regard to case. */
export const isCaseInsensitive = ({ type, caseExact }: AttributeReference): boolean =>
  type === 'string' && !caseExact;

/** The text as a regular expression that matches only it. */
export const escapeExpression = (text: string): string =>
  text.replace(/[\\^$.*+?()[\]{}|#\s-]/g, '\\$&');

/** `\z` instead of `$`, which also matches before a final line break. */
const PATTERNS = {
  co: (text: string) => escapeExpression(text),
  sw: (text: string) => `^${escapeExpression(text)}`,
  ew: (text: string) => `${escapeExpression(text)}\\z`,
} as const;

const ORDERS = { gt: '$gt', ge: '$gte', lt: '$lt', le: '$lte' } as const;

type StoredValue = string | number | boolean | Date;

const compare = (
  field: string,
  operator: Exclude<ComparisonOperator, 'ne'>,
  value: StoredValue,
) => {
  switch (operator) {
    case 'eq':
      return { [field]: value };
    case 'co':
    case 'sw':
    case 'ew':
      return { [field]: { $regex: PATTERNS[operator](String(value)) } };
    case 'gt':
    case 'ge':
    case 'lt':
    case 'le':
      return { [field]: { [ORDERS[operator]]: value } };
  }
};

/**
 * Each test is on a type instead of `$ne: null`, which on a list means "no element lacks it". The
 * range of texts from the empty one on can use an index.
 */
const PRESENCE: Readonly<Record<AttributeReference['type'], unknown>> = {
  string: { $gt: '' },
  boolean: { $in: [true, false] },
  number: { $type: 'number' },
  dateTime: { $type: 'date' },
  complex: { $type: 'object' },
};

const FORMS: Readonly<Record<FieldMapping['form'], (text: string) => string | Date>> = {
  folded: fold,
  name: nameKey,
  exact: (text) => text,
  date: (text) => new Date(text),
};

const PART = /^(?:co|sw|ew)$/;

const toStored = (
  value: string | number | boolean,
  form: FieldMapping['form'],
  operator: string,
): StoredValue => {
  if (typeof value !== 'string') return value;
  return form === 'name' && PART.test(operator) ? namePart(value) : FORMS[form](value);
};

/** The negation of a condition. */
export const not = (condition: Condition): Condition => ({ $nor: [condition] });

/** A condition on the values of one field. */
export const leafCondition = (leaf: Leaf, { field, form }: FieldMapping): Condition => {
  const present = { [field]: PRESENCE[leaf.attribute.type] };
  if (leaf.kind === 'present') return present;
  const { operator, value } = leaf;
  if (value === null) return operator === 'eq' ? not(present) : present;
  if (operator === 'ne') return not(leafCondition({ ...leaf, operator: 'eq' }, { field, form }));
  return compare(field, operator, toStored(value, form, operator));
};

/**
 * The condition that a leaf on a list negates: "not equal" means that no element is equal, not that
 * some element is different. Undefined if the leaf is no negation.
 */
export const negatedLeaf = (leaf: Leaf): Leaf | undefined => {
  if (leaf.kind === 'present') return undefined;
  if (leaf.value === null)
    return leaf.operator === 'eq' ? { kind: 'present', attribute: leaf.attribute } : undefined;
  return leaf.operator === 'ne' ? { ...leaf, operator: 'eq' } : undefined;
};

/** A condition on a path of a list as a condition on one element: `members.value eq` as `value eq`. */
export const elementLeaf = (leaf: Leaf): Leaf => {
  const path = leaf.attribute.path.slice(1);
  return { ...leaf, attribute: { ...leaf.attribute, path: path.length > 0 ? path : ['value'] } };
};

export const leavesOf = (filter: Filter): readonly Leaf[] => {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.of.flatMap(leavesOf);
    case 'not':
    case 'element':
      return leavesOf(filter.of);
    case 'present':
    case 'compare':
      return [filter];
  }
};

/** A filter as a condition on documents; the caller always adds the tenant. */
export const translateFilter = (filter: Filter, translation: Translation): Condition => {
  switch (filter.kind) {
    case 'and':
      return { $and: filter.of.map((part) => translateFilter(part, translation)) };
    case 'or':
      return { $or: filter.of.map((part) => translateFilter(part, translation)) };
    case 'not':
      return not(translateFilter(filter.of, translation));
    case 'element':
      return translation.element(filter);
    case 'present':
    case 'compare':
      return translation.leaf(filter);
  }
};
