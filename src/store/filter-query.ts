import type { AttributeReference, ComparisonOperator, Filter } from '../domain/filter.js';
import { fold } from '../domain/fold.js';
import { matchFilter } from '../domain/match-filter.js';

/** A condition in MongoDB's query language. */
export type Condition = Readonly<Record<string, unknown>>;

export interface FilterOptions {
  /** The role of users whom no mapping gives another; their documents say null. */
  readonly defaultRole: string;
}

/** Where an attribute stands in a document, and in which form its values are kept there. */
interface Place {
  readonly field: string;
  readonly form: 'folded' | 'exact' | 'date';
}

/** Translates what is asked of one attribute, with the place it has in this scope. */
type Leaf = Extract<Filter, { kind: 'present' | 'compare' }>;
type Translate = (leaf: Leaf) => Condition;

const EVERYBODY: Condition = {};
const NOBODY: Condition = { _id: { $exists: false } };

const isFolded = ({ type, caseExact }: AttributeReference): boolean =>
  type === 'string' && !caseExact;

const PLACES: ReadonlyMap<string, Place> = new Map([
  ['id', { field: '_id', form: 'exact' }],
  ['meta.created', { field: 'createdAt', form: 'date' }],
  ['meta.lastModified', { field: 'updatedAt', form: 'date' }],
]);

const placeOf = (attribute: AttributeReference): Place => {
  const path = attribute.path.join('.');
  const known = PLACES.get(path);
  if (known) return known;
  return isFolded(attribute)
    ? { field: `folded.${path}`, form: 'folded' }
    : { field: `profile.${path}`, form: 'exact' };
};

/** Within an element of a list, which is asked in the folded shadow: it holds all members. */
const placeInElement = (attribute: AttributeReference): Place => ({
  field: attribute.path.join('.'),
  form: isFolded(attribute) ? 'folded' : 'exact',
});

/** The text as a regular expression that finds just it. */
export const escapeExpression = (text: string): string =>
  text.replace(/[\\^$.*+?()[\]{}|#\s-]/g, '\\$&');

/** `\z` and not `$`, which would also match before a line break at the end. */
const PATTERNS = {
  co: (text: string) => escapeExpression(text),
  sw: (text: string) => `^${escapeExpression(text)}`,
  ew: (text: string) => `${escapeExpression(text)}\\z`,
} as const;

const ORDERS = { gt: '$gt', ge: '$gte', lt: '$lt', le: '$lte' } as const;

type Bound = string | number | boolean | Date;

const compare = (field: string, operator: Exclude<ComparisonOperator, 'ne'>, bound: Bound) => {
  switch (operator) {
    case 'eq':
      return { [field]: bound };
    case 'co':
    case 'sw':
    case 'ew':
      return { [field]: { $regex: PATTERNS[operator](String(bound)) } };
    case 'gt':
    case 'ge':
    case 'lt':
    case 'le':
      return { [field]: { [ORDERS[operator]]: bound } };
  }
};

/**
 * Each test is on a type, not on `$ne: null`, which on a list would mean "no element lacks it".
 * The range of texts after the empty one can use an index.
 */
const PRESENCE: Readonly<Record<AttributeReference['type'], unknown>> = {
  string: { $gt: '' },
  boolean: { $in: [true, false] },
  number: { $type: 'number' },
  dateTime: { $type: 'date' },
  complex: { $type: 'object' },
};

const boundOf = (value: string | number | boolean, form: Place['form']): Bound => {
  if (typeof value !== 'string') return value;
  if (form === 'date') return new Date(value);
  return form === 'folded' ? fold(value) : value;
};

const not = (condition: Condition): Condition => ({ $nor: [condition] });

/** What is asked of the values at one place. */
const ask = (leaf: Leaf, { field, form }: Place): Condition => {
  const present = { [field]: PRESENCE[leaf.attribute.type] };
  if (leaf.kind === 'present') return present;
  const { operator, value } = leaf;
  if (value === null) return operator === 'eq' ? not(present) : present;
  if (operator === 'ne') return not(ask({ ...leaf, operator: 'eq' }, { field, form }));
  return compare(field, operator, boundOf(value, form));
};

/**
 * Everybody has exactly one role, which is his primary one: the one in his document, else the
 * tenant's default (decisions.md 5). What depends on the role's name is asked of both.
 */
const askRole =
  ({ defaultRole }: FilterOptions): Translate =>
  (leaf) => {
    const byDefault = matchFilter(leaf, { roles: [{ value: defaultRole, primary: true }] });
    const asksName = leaf.attribute.path[1] === 'value' && leaf.kind === 'compare';
    if (!asksName || leaf.value === null) return byDefault ? EVERYBODY : NOBODY;
    if (leaf.operator === 'ne') return not(askRole({ defaultRole })({ ...leaf, operator: 'eq' }));
    const named = ask(leaf, { field: 'role', form: 'exact' });
    return byDefault ? { $or: [named, { role: null }] } : named;
  };

const within =
  (parent: AttributeReference, translate: Translate): Translate =>
  (leaf) =>
    translate({
      ...leaf,
      attribute: { ...leaf.attribute, path: [...parent.path, ...leaf.attribute.path] },
    });

const isRole = ({ path }: AttributeReference): boolean => path[0] === 'roles';

const translateElement = (
  { attribute, of }: Extract<Filter, { kind: 'element' }>,
  translate: Translate,
): Condition =>
  isRole(attribute)
    ? walk(of, within(attribute, translate))
    : {
        [`folded.${attribute.path.join('.')}`]: {
          $elemMatch: walk(of, (leaf) => ask(leaf, placeInElement(leaf.attribute))),
        },
      };

const walk = (filter: Filter, translate: Translate): Condition => {
  switch (filter.kind) {
    case 'and':
      return { $and: filter.of.map((part) => walk(part, translate)) };
    case 'or':
      return { $or: filter.of.map((part) => walk(part, translate)) };
    case 'not':
      return not(walk(filter.of, translate));
    case 'element':
      return translateElement(filter, translate);
    case 'present':
    case 'compare':
      return translate(filter);
  }
};

/**
 * A filter as a condition on user documents; the caller adds the tenant, always. Texts that
 * compare without regard to case are asked in the folded shadow, so that an index serves them and
 * no case-insensitive regular expression runs.
 */
export const filterQuery = (filter: Filter, options: FilterOptions): Condition => {
  const role = askRole(options);
  return walk(filter, (leaf) =>
    isRole(leaf.attribute) ? role(leaf) : ask(leaf, placeOf(leaf.attribute)),
  );
};

/** Every user has a value in these, so none has to be placed first or last for want of one. */
const SORT_FIELDS: ReadonlyMap<string, string> = new Map([
  ['displayName', 'folded.label'],
  ['meta.created', 'n'],
]);

/** The field that puts users in the order of an attribute. */
export const sortField = (attribute: AttributeReference): string =>
  SORT_FIELDS.get(attribute.path.join('.')) ?? placeOf(attribute).field;
