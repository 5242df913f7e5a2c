import type { Filter } from './filter.js';
import { matchFilter } from './match-filter.js';
import { raise } from './refusals.js';

/** Some members of a group, whoever they are: those who are named, or all but those. */
export interface MemberSelection {
  readonly kind: 'these' | 'allBut';
  readonly ids: ReadonlySet<string>;
}

const NONE: MemberSelection = { kind: 'these', ids: new Set() };
const ALL: MemberSelection = { kind: 'allBut', ids: new Set() };

const contrary = ({ kind, ids }: MemberSelection): MemberSelection => ({
  kind: kind === 'these' ? 'allBut' : 'these',
  ids,
});

/** Whether somebody of this id is among them. */
export const isSelected = ({ kind, ids }: MemberSelection, id: string): boolean =>
  ids.has(id) === (kind === 'these');

/** Who is in both. What is in either is the contrary of what is in neither. */
const both = (one: MemberSelection, other: MemberSelection): MemberSelection => {
  if (one.kind === 'allBut' && other.kind === 'allBut') {
    return { kind: 'allBut', ids: new Set([...one.ids, ...other.ids]) };
  }
  const [these, rest] = one.kind === 'these' ? [one, other] : [other, one];
  return { kind: 'these', ids: new Set([...these.ids].filter((id) => isSelected(rest, id))) };
};

type Leaf = Extract<Filter, { readonly kind: 'present' | 'compare' }>;

/** Every member has an id and is a user (decisions.md 5): only the id tells members apart. */
const selectByLeaf = (leaf: Leaf): MemberSelection => {
  const [part] = leaf.attribute.path;
  if (part === 'type') return matchFilter(leaf, { type: 'User' }) ? ALL : NONE;
  if (part !== 'value') return refuseSelection();
  if (leaf.kind === 'present') return ALL;
  if (leaf.value === null) return leaf.operator === 'eq' ? NONE : ALL;
  const named: MemberSelection = { kind: 'these', ids: new Set([String(leaf.value)]) };
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
export const selectMembers = (filter: Filter): MemberSelection => {
  switch (filter.kind) {
    case 'and':
      return filter.of.map(selectMembers).reduce(both, ALL);
    case 'or':
      return contrary(filter.of.map((part) => contrary(selectMembers(part))).reduce(both, ALL));
    case 'not':
      return contrary(selectMembers(filter.of));
    case 'element':
      return refuseSelection();
    case 'present':
    case 'compare':
      return selectByLeaf(filter);
  }
};
