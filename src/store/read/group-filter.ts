import type { ElementSelection, AttributeReference, Filter } from '../../domain/kernel/filter.js';
import { selectMembers } from '../../domain/group/member-selection.js';
import {
  leafCondition,
  type Condition,
  negatedLeaf,
  leavesOf,
  not,
  MATCH_NONE,
  type FieldMapping,
  translateFilter,
  type Translation,
  elementLeaf,
} from './filter-query.js';

const FIELDS: ReadonlyMap<string, FieldMapping> = new Map([
  ['id', { field: '_id', form: 'exact' }],
  ['displayName', { field: 'folded.displayName', form: 'name' }],
  ['externalId', { field: 'externalId', form: 'exact' }],
  ['meta.created', { field: 'createdAt', form: 'date' }],
  ['meta.lastModified', { field: 'updatedAt', form: 'date' }],
]);

/** The field of a group's attribute. Throws for an attribute of the schema that has none. */
export const groupField = ({ path }: AttributeReference): FieldMapping => {
  const field = FIELDS.get(path.join('.'));
  if (!field) throw new Error(`No place of groups is known for ${path.join('.')}.`);
  return field;
};

/** The rosters of each user, by the user's id. */
export type RostersByUser = ReadonlyMap<string, readonly string[]>;

const isAboutMembers = ({ path }: AttributeReference): boolean => path[0] === 'members';

/** Groups rosters by how often they occur: how many of the excluded users are on each. */
const rostersByCount = (rosters: readonly string[]): ReadonlyMap<number, readonly string[]> => {
  const counts = new Map<string, number>();
  for (const roster of rosters) counts.set(roster, (counts.get(roster) ?? 0) + 1);
  const byCount = new Map<number, string[]>();
  for (const [roster, count] of counts) {
    byCount.set(count, [...(byCount.get(count) ?? []), roster]);
  }
  return byCount;
};

/**
 * Groups with a member among the selected, found by the members' rosters instead of their lists.
 */
const havingAny = ({ kind, ids }: ElementSelection, rostersOf: RostersByUser): Condition => {
  const rosters = [...ids].flatMap((id) => rostersOf.get(id) ?? []);
  if (kind === 'these') {
    return rosters.length > 0 ? { roster: { $in: [...new Set(rosters)] } } : MATCH_NONE;
  }
  if (rosters.length === 0) return { memberCount: { $gt: 0 } };
  return {
    $or: [
      { roster: { $nin: [...new Set(rosters)] }, memberCount: { $gt: 0 } },
      ...Array.from(rostersByCount(rosters), ([count, some]) => ({
        roster: { $in: some },
        memberCount: { $gt: count },
      })),
    ],
  };
};

const memberCondition =
  (rostersOf: RostersByUser): Translation['leaf'] =>
  (leaf) => {
    const has = (filter: Filter): Condition => havingAny(selectMembers(filter), rostersOf);
    const contrary = negatedLeaf(leaf);
    return contrary ? not(has(elementLeaf(contrary))) : has(elementLeaf(leaf));
  };

/**
 * The users that a filter names as members: their rosters are looked up before the filter is
 * translated.
 */
export const userIdsIn = (filter: Filter): readonly string[] => {
  const named = leavesOf(filter).flatMap((leaf) =>
    leaf.kind === 'compare' &&
    leaf.attribute.path.at(-1) === 'value' &&
    typeof leaf.value === 'string'
      ? [leaf.value]
      : [],
  );
  return [...new Set(named)];
};

/** A filter as a condition on group documents; the caller always adds the tenant. */
export const groupFilterQuery = (filter: Filter, rostersOf: RostersByUser): Condition => {
  const members = memberCondition(rostersOf);
  return translateFilter(filter, {
    leaf: (leaf) =>
      isAboutMembers(leaf.attribute)
        ? members(leaf)
        : leafCondition(leaf, groupField(leaf.attribute)),
    element: ({ of }) => havingAny(selectMembers(of), rostersOf),
  });
};
