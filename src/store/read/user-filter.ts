import {
  ALL,
  complementOf,
  type ElementSelection,
  NONE,
  selectElements,
  type SelectionLeaf,
  selectOnly,
  type AttributeReference,
  type Filter,
  matchFilter,
} from '../../domain/kernel/filter.js';
import { nameKey } from '../../domain/kernel/names.js';
import { raise } from '../../domain/kernel/refusals.js';
import {
  type Condition,
  negatedLeaf,
  type Leaf,
  leavesOf,
  not,
  MATCH_NONE,
  leafCondition,
  MATCH_ALL,
  isCaseInsensitive,
  type FieldMapping,
  translateFilter,
  type Translation,
  elementLeaf,
  escapeExpression,
} from './filter-query.js';
import { CUSTOM } from '../../domain/tenant/custom-attributes.js';
import { CUSTOM_ENTRIES, customEntry } from '../tables/users.js';

/** A group that a filter names, in its current state. */
export interface NamedGroup {
  readonly id: string;
  /** In lower case. */
  readonly name: string;
  readonly roster: string;
  readonly memberCount: number;
}

/** The field into which a query joins a user's memberships. */
export const JOINED = 'joined';

const isAboutGroups = ({ path }: AttributeReference): boolean => path[0] === 'groups';

/** Whether a filter on users has conditions on their groups, which are not in user documents. */
export const filtersGroups = (filter: Filter): boolean => {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.of.some(filtersGroups);
    case 'not':
      return filtersGroups(filter.of);
    case 'element':
    case 'present':
    case 'compare':
      return isAboutGroups(filter.attribute);
  }
};

/** Values by which a filter may name groups; too many do no harm. */
export const groupNamesIn = (filter: Filter): readonly string[] => [
  ...new Set(
    leavesOf(filter).flatMap((leaf) =>
      leaf.kind === 'compare' && typeof leaf.value === 'string' ? [nameKey(leaf.value)] : [],
    ),
  ),
];

const refuseSelection = (): never =>
  raise(
    'INVALID_FILTER',
    'Groups are selected by value (the id of a group) and display, with eq, ne or pr, and by type.',
  );

const leafRule =
  (named: readonly NamedGroup[]) =>
  (leaf: SelectionLeaf): ElementSelection => {
    const [part] = leaf.attribute.path;
    // Groups are never nested, so every membership is direct (RFC 7643, 4.1.2).
    if (part === 'type') return matchFilter(leaf, { type: 'direct' }) ? ALL : NONE;
    if (part !== 'value' && part !== 'display') return refuseSelection();
    if (leaf.kind === 'present') return ALL;
    if (leaf.value === null) return leaf.operator === 'eq' ? NONE : ALL;
    if (leaf.operator !== 'eq' && leaf.operator !== 'ne') return refuseSelection();
    const wanted = nameKey(String(leaf.value));
    const found = named.filter(({ id, name }) => wanted === (part === 'value' ? id : name));
    const these = selectOnly(found.map(({ roster }) => roster));
    return leaf.operator === 'eq' ? these : complementOf(these);
  };

/** The groups that a condition on one group selects, by their rosters. */
const selectGroups = (named: readonly NamedGroup[]): ((filter: Filter) => ElementSelection) =>
  selectElements({ leaf: leafRule(named), refuse: refuseSelection });

type GroupTest = Leaf | Extract<Filter, { readonly kind: 'element' }>;

const negated = (test: GroupTest): Leaf | undefined =>
  test.kind === 'element' ? undefined : negatedLeaf(test);

const selectionOf = (test: GroupTest, named: readonly NamedGroup[]): ElementSelection =>
  selectGroups(named)(test.kind === 'element' ? test.of : elementLeaf(test));

const joinCondition = ({ kind, ids }: ElementSelection): Condition => {
  const rosters = [...ids];
  if (kind === 'these')
    return rosters.length > 0 ? { [`${JOINED}.roster`]: { $in: rosters } } : MATCH_NONE;
  return rosters.length > 0
    ? { [JOINED]: { $elemMatch: { roster: { $nin: rosters } } } }
    : { [JOINED]: { $ne: [] } };
};

/** A condition on a user's groups as a condition on the joined memberships. */
const groupsCondition = (test: GroupTest, named: readonly NamedGroup[]): Condition => {
  const negatedTest = negated(test);
  return negatedTest
    ? not(joinCondition(selectionOf(negatedTest, named)))
    : joinCondition(selectionOf(test, named));
};

/**
 * The groups of one of which a matching user must be a member; undefined if the filter implies
 * none.
 */
export const requiredGroups = (
  filter: Filter,
  named: readonly NamedGroup[],
): readonly NamedGroup[] | undefined => {
  switch (filter.kind) {
    case 'and':
    case 'or':
    case 'not':
      return undefined;
    case 'element':
    case 'present':
    case 'compare':
      return requiredByTest(filter, named);
  }
};

const requiredByTest = (
  test: GroupTest,
  named: readonly NamedGroup[],
): readonly NamedGroup[] | undefined => {
  if (!isAboutGroups(test.attribute) || negated(test)) return undefined;
  const { kind, ids } = selectionOf(test, named);
  return kind === 'these' ? named.filter(({ roster }) => ids.has(roster)) : undefined;
};

/** Whether all groups of a user are needed, and not only the named ones. */
export const needsAllGroups = (filter: Filter, named: readonly NamedGroup[]): boolean => {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.of.some((part) => needsAllGroups(part, named));
    case 'not':
      return needsAllGroups(filter.of, named);
    case 'element':
    case 'present':
    case 'compare':
      return (
        isAboutGroups(filter.attribute) &&
        selectionOf(negated(filter) ?? filter, named).kind === 'allBut'
      );
  }
};

interface UserFilterOptions {
  /** The role of users without a mapped role, whose documents have null. */
  readonly defaultRole: string;
  /** Groups that the filter names; conditions on groups require joined memberships. */
  readonly groups?: readonly NamedGroup[];
}

const FIELDS: ReadonlyMap<string, FieldMapping> = new Map([
  ['id', { field: '_id', form: 'exact' }],
  ['meta.created', { field: 'createdAt', form: 'date' }],
  ['meta.lastModified', { field: 'updatedAt', form: 'date' }],
]);

const fieldOf = (attribute: AttributeReference): FieldMapping => {
  const path = attribute.path.join('.');
  const known = FIELDS.get(path);
  if (known) return known;
  return isCaseInsensitive(attribute)
    ? { field: `folded.${path}`, form: 'folded' }
    : { field: `profile.${path}`, form: 'exact' };
};

const ENTRIES = `folded.${CUSTOM_ENTRIES}`;

/** The entries of users who match, if they are a part of the index; lists have none. */
const entriesOf = (leaf: Leaf): Condition => {
  const [, name = ''] = leaf.attribute.path;
  if (leaf.attribute.isList) return {};
  if (leaf.kind === 'present')
    return name === '' ? {} : { [ENTRIES]: { $regex: `^${escapeExpression(name)}:` } };
  if (leaf.value === null) return {};
  if (leaf.operator === 'eq') return { [ENTRIES]: customEntry(name, leaf.value) };
  return leaf.operator === 'sw'
    ? { [ENTRIES]: { $regex: `^${escapeExpression(customEntry(name, leaf.value))}` } }
    : {};
};

const isCustom = ({ path }: AttributeReference): boolean => path[0] === CUSTOM;

/** A condition on an attribute of the tenant's extension. Its instants are stored as texts. */
const customCondition = (leaf: Leaf): Condition => {
  const { attribute } = leaf;
  const stored: Leaf =
    attribute.type === 'dateTime'
      ? { ...leaf, attribute: { ...attribute, type: 'string', caseExact: true } }
      : leaf;
  return { ...entriesOf(leaf), ...leafCondition(stored, fieldOf(stored.attribute)) };
};

/** A field of a list's element in `folded`, which has all fields of the element. */
const fieldInElement = (attribute: AttributeReference): FieldMapping => ({
  field: attribute.path.join('.'),
  form: isCaseInsensitive(attribute) ? 'folded' : 'exact',
});

const ELEMENT: Translation = {
  leaf: (leaf) => leafCondition(leaf, fieldInElement(leaf.attribute)),
  element: () => MATCH_NONE,
};

/**
 * Every user has exactly one role, without `primary`: the one in the document, else the tenant's
 * default (decisions.md 5). Conditions on its name apply to both.
 */
const roleCondition =
  ({ defaultRole }: UserFilterOptions): Translation['leaf'] =>
  (leaf) => {
    const byDefault = matchFilter(leaf, { roles: [{ value: defaultRole }] });
    const comparesName = leaf.attribute.path[1] === 'value' && leaf.kind === 'compare';
    if (!comparesName || leaf.value === null) return byDefault ? MATCH_ALL : MATCH_NONE;
    if (leaf.operator === 'ne')
      return not(roleCondition({ defaultRole })({ ...leaf, operator: 'eq' }));
    const named = leafCondition(leaf, { field: 'role', form: 'exact' });
    return byDefault ? { $or: [named, { role: null }] } : named;
  };

const isRole = ({ path }: AttributeReference): boolean => path[0] === 'roles';

/** A condition on an element as a condition on the resource, because a user has one role. */
const inElement =
  (parent: AttributeReference, translate: Translation['leaf']): Translation['leaf'] =>
  (leaf: Leaf) =>
    translate({
      ...leaf,
      attribute: { ...leaf.attribute, path: [...parent.path, ...leaf.attribute.path] },
    });

const LABEL: FieldMapping = { field: 'folded.label', form: 'folded' };

/**
 * Whether the label, which has an index, satisfies the condition wherever the display name does: it
 * is the display name if there is one. An index of both would cost each create.
 */
const selectsByDisplayName = (leaf: Leaf): boolean =>
  leaf.attribute.path.join('.') === 'displayName' &&
  leaf.kind === 'compare' &&
  leaf.operator !== 'ne' &&
  leaf.value !== null;

/**
 * A filter as a condition on user documents; the caller always adds the tenant. Texts that compare
 * without regard to case are queried in `folded`, so that an index serves them and no
 * case-insensitive regular expression runs.
 */
export const userFilterQuery = (filter: Filter, options: UserFilterOptions): Condition => {
  const role = roleCondition(options);
  const { groups = [] } = options;
  return translateFilter(filter, {
    leaf: (leaf) => {
      if (filtersGroups(leaf)) return groupsCondition(leaf, groups);
      if (isRole(leaf.attribute)) return role(leaf);
      if (isCustom(leaf.attribute)) return customCondition(leaf);
      const condition = leafCondition(leaf, fieldOf(leaf.attribute));
      return selectsByDisplayName(leaf)
        ? { ...leafCondition(leaf, LABEL), ...condition }
        : condition;
    },
    element: (element) => {
      const { attribute, of } = element;
      if (filtersGroups(element)) return groupsCondition(element, groups);
      return isRole(attribute)
        ? translateFilter(of, { leaf: inElement(attribute, role), element: () => MATCH_NONE })
        : { [`folded.${attribute.path.join('.')}`]: { $elemMatch: translateFilter(of, ELEMENT) } };
    },
  });
};

/**
 * Every user has a value in these fields, so none has to be sorted first or last for lack of one.
 */
const SORT_FIELDS: ReadonlyMap<string, FieldMapping> = new Map([
  ['displayName', LABEL],
  ['meta.created', { field: 'n', form: 'exact' }],
]);

/** The field that users are sorted by for an attribute. */
export const userSortField = (attribute: AttributeReference): FieldMapping =>
  SORT_FIELDS.get(attribute.path.join('.')) ?? fieldOf(attribute);
