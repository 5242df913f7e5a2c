import {
  ALL,
  contrary,
  type ElementSelection,
  NONE,
  selectElements,
  type SelectionLeaf,
  theseOf,
} from './element-selection.js';
import type { Filter } from './filter.js';
import { matchFilter } from './match-filter.js';
import { raise } from './refusals.js';

/** Every member has an id and is a user (decisions.md 5): only the id tells members apart. */
const selectByLeaf = (leaf: SelectionLeaf): ElementSelection => {
  const [part] = leaf.attribute.path;
  if (part === 'type') return matchFilter(leaf, { type: 'User' }) ? ALL : NONE;
  if (part !== 'value') return refuseSelection();
  if (leaf.kind === 'present') return ALL;
  if (leaf.value === null) return leaf.operator === 'eq' ? NONE : ALL;
  const named = theseOf([String(leaf.value)]);
  if (leaf.operator === 'eq') return named;
  return leaf.operator === 'ne' ? contrary(named) : refuseSelection();
};

const refuseSelection = (): never =>
  raise(
    'INVALID_FILTER',
    'Members are selected by value (eq or ne with the id of a user) and by type only.',
  );

/**
 * Whom a filter on the members of a group selects; its names begin at the member. Throws RefusalError
 * INVALID_FILTER where it asks for what no member has a list of: members are documents of their own,
 * found by id.
 */
export const selectMembers: (filter: Filter) => ElementSelection = selectElements({
  leaf: selectByLeaf,
  refuse: refuseSelection,
});
