import { type AttributeReference, type Filter, matchFilter } from '../../domain/kernel/filter.js';
import {
  leafCondition,
  type Condition,
  MATCH_ALL,
  isCaseInsensitive,
  type Leaf,
  not,
  MATCH_NONE,
  type FieldMapping,
  translateFilter,
  type Translation,
} from './filter-query.js';
import { filtersGroups, groupsCondition, type NamedGroup } from './user-groups-filter.js';

export interface UserFilterOptions {
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
 * Every user has exactly one role, which is primary: the one in the document, else the tenant's
 * default (decisions.md 5). Conditions on its name apply to both.
 */
const roleCondition =
  ({ defaultRole }: UserFilterOptions): Translation['leaf'] =>
  (leaf) => {
    const byDefault = matchFilter(leaf, { roles: [{ value: defaultRole, primary: true }] });
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
