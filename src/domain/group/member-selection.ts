import {
  ALL,
  complementOf,
  type ElementSelection,
  NONE,
  selectElements,
  type SelectionLeaf,
  selectOnly,
  type Filter,
  matchFilter,
} from '../kernel/filter.js';
import { raise } from '../kernel/refusals.js';

/** Every member is a user with an id (decisions.md 5), so only the id distinguishes members. */
const selectByLeaf = (leaf: SelectionLeaf): ElementSelection => {
  const [part] = leaf.attribute.path;
  if (part === 'type') return matchFilter(leaf, { type: 'User' }) ? ALL : NONE;
  if (part !== 'value') return refuseSelection();
  if (leaf.kind === 'present') return ALL;
  if (leaf.value === null) return leaf.operator === 'eq' ? NONE : ALL;
  const named = selectOnly([String(leaf.value)]);
  if (leaf.operator === 'eq') return named;
  return leaf.operator === 'ne' ? complementOf(named) : refuseSelection();
};

const refuseSelection = (): never =>
  raise(
    'INVALID_FILTER',
    'Members can only be filtered by value (eq or ne with the id of a user) and by type.',
  );

/**
 * The members that a filter selects. Its attribute paths start at the member. Throws a RefusalError
 * INVALID_FILTER for other attributes than value and type: members are found by id only.
 */
export const selectMembers: (filter: Filter) => ElementSelection = selectElements({
  leaf: selectByLeaf,
  refuse: refuseSelection,
});
