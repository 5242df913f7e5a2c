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
import { fold } from '../../domain/kernel/names.js';
import { raise } from '../../domain/kernel/refusals.js';
import {
  type Condition,
  negatedLeaf,
  type Leaf,
  leavesOf,
  not,
  MATCH_NONE,
} from './filter-query.js';

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
      leaf.kind === 'compare' && typeof leaf.value === 'string' ? [fold(leaf.value)] : [],
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
    const wanted = fold(String(leaf.value));
    const found = named.filter(({ id, name }) => wanted === (part === 'value' ? id : name));
    const these = selectOnly(found.map(({ roster }) => roster));
    return leaf.operator === 'eq' ? these : complementOf(these);
  };

/** The groups that a condition on one group selects, by their rosters. */
const selectGroups = (named: readonly NamedGroup[]): ((filter: Filter) => ElementSelection) =>
  selectElements({ leaf: leafRule(named), refuse: refuseSelection });

const toGroupLeaf = (leaf: Leaf): Filter => {
  const path = leaf.attribute.path.slice(1);
  return { ...leaf, attribute: { ...leaf.attribute, path: path.length > 0 ? path : ['value'] } };
};

type GroupTest = Leaf | Extract<Filter, { readonly kind: 'element' }>;

const negated = (test: GroupTest): Leaf | undefined =>
  test.kind === 'element' ? undefined : negatedLeaf(test);

const selectionOf = (test: GroupTest, named: readonly NamedGroup[]): ElementSelection =>
  selectGroups(named)(test.kind === 'element' ? test.of : toGroupLeaf(test));

const joinCondition = ({ kind, ids }: ElementSelection): Condition => {
  const rosters = [...ids];
  if (kind === 'these')
    return rosters.length > 0 ? { [`${JOINED}.roster`]: { $in: rosters } } : MATCH_NONE;
  return rosters.length > 0
    ? { [JOINED]: { $elemMatch: { roster: { $nin: rosters } } } }
    : { [JOINED]: { $ne: [] } };
};

/** A condition on a user's groups as a condition on the joined memberships. */
export const groupsCondition = (test: GroupTest, named: readonly NamedGroup[]): Condition => {
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
