import type { AttributeReference, Filter } from '../domain/filter.js';
import { matchFilter } from '../domain/match-filter.js';
import {
  ask,
  type Condition,
  EVERYTHING,
  isFolded,
  type Leaf,
  not,
  NOTHING,
  type Place,
  translateFilter,
  type Translation,
} from './filter-query.js';
import { asksForGroups, groupsCondition, type NamedGroup } from './user-groups-filter.js';

export interface UserFilterOptions {
  /** The role of users whom no mapping gives another; their documents say null. */
  readonly defaultRole: string;
  /** Groups that the filter names; conditions on groups hold where memberships are joined. */
  readonly groups?: readonly NamedGroup[];
}

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

const ELEMENT: Translation = {
  leaf: (leaf) => ask(leaf, placeInElement(leaf.attribute)),
  element: () => NOTHING,
};

/**
 * Everybody has exactly one role, which is his primary one: the one in his document, else the
 * tenant's default (decisions.md 5). What depends on the role's name is asked of both.
 */
const askRole =
  ({ defaultRole }: UserFilterOptions): Translation['leaf'] =>
  (leaf) => {
    const byDefault = matchFilter(leaf, { roles: [{ value: defaultRole, primary: true }] });
    const asksName = leaf.attribute.path[1] === 'value' && leaf.kind === 'compare';
    if (!asksName || leaf.value === null) return byDefault ? EVERYTHING : NOTHING;
    if (leaf.operator === 'ne') return not(askRole({ defaultRole })({ ...leaf, operator: 'eq' }));
    const named = ask(leaf, { field: 'role', form: 'exact' });
    return byDefault ? { $or: [named, { role: null }] } : named;
  };

const isRole = ({ path }: AttributeReference): boolean => path[0] === 'roles';

/** What is asked of an element, as if it were asked of the resource: everybody has one role. */
const within =
  (parent: AttributeReference, translate: Translation['leaf']): Translation['leaf'] =>
  (leaf: Leaf) =>
    translate({
      ...leaf,
      attribute: { ...leaf.attribute, path: [...parent.path, ...leaf.attribute.path] },
    });

/**
 * A filter as a condition on user documents; the caller adds the tenant, always. Texts that
 * compare without regard to case are asked in the folded shadow, so that an index serves them and
 * no case-insensitive regular expression runs.
 */
export const userFilterQuery = (filter: Filter, options: UserFilterOptions): Condition => {
  const role = askRole(options);
  const { groups = [] } = options;
  return translateFilter(filter, {
    leaf: (leaf) => {
      if (asksForGroups(leaf)) return groupsCondition(leaf, groups);
      return isRole(leaf.attribute) ? role(leaf) : ask(leaf, placeOf(leaf.attribute));
    },
    element: (element) => {
      const { attribute, of } = element;
      if (asksForGroups(element)) return groupsCondition(element, groups);
      return isRole(attribute)
        ? translateFilter(of, { leaf: within(attribute, role), element: () => NOTHING })
        : { [`folded.${attribute.path.join('.')}`]: { $elemMatch: translateFilter(of, ELEMENT) } };
    },
  });
};

/** Every user has a value in these, so none has to be placed first or last for want of one. */
const SORT_FIELDS: ReadonlyMap<string, Place> = new Map([
  ['displayName', { field: 'folded.label', form: 'folded' }],
  ['meta.created', { field: 'n', form: 'exact' }],
]);

/** Where users have what puts them in the order of an attribute. */
export const userSortPlace = (attribute: AttributeReference): Place =>
  SORT_FIELDS.get(attribute.path.join('.')) ?? placeOf(attribute);
