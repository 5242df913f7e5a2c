import type { Filter } from './filter.js';

/** A selection of list elements by id: the named ones, or all others. */
export interface ElementSelection {
  readonly kind: 'these' | 'allBut';
  readonly ids: ReadonlySet<string>;
}

export const NONE: ElementSelection = { kind: 'these', ids: new Set() };
export const ALL: ElementSelection = { kind: 'allBut', ids: new Set() };

export const selectOnly = (ids: readonly string[]): ElementSelection => ({
  kind: 'these',
  ids: new Set(ids),
});

export const complementOf = ({ kind, ids }: ElementSelection): ElementSelection => ({
  kind: kind === 'these' ? 'allBut' : 'these',
  ids,
});

/** Whether the element with this id is selected. */
const isSelected = ({ kind, ids }: ElementSelection, id: string): boolean =>
  ids.has(id) === (kind === 'these');

/** A union is the complement of the intersection of the complements. */
const intersection = (one: ElementSelection, other: ElementSelection): ElementSelection => {
  if (one.kind === 'allBut' && other.kind === 'allBut') {
    return { kind: 'allBut', ids: new Set([...one.ids, ...other.ids]) };
  }
  const [named, rest] = one.kind === 'these' ? [one, other] : [other, one];
  return { kind: 'these', ids: new Set([...named.ids].filter((id) => isSelected(rest, id))) };
};

export type SelectionLeaf = Extract<Filter, { readonly kind: 'present' | 'compare' }>;

/** How a condition on an element selects; `refuse` is called for conditions that are not supported. */
export interface SelectionRules {
  readonly leaf: (leaf: SelectionLeaf) => ElementSelection;
  readonly refuse: () => never;
}

/** The elements that a filter selects. Its attribute paths start at the element. */
export const selectElements =
  (rules: SelectionRules) =>
  (filter: Filter): ElementSelection => {
    const select = selectElements(rules);
    switch (filter.kind) {
      case 'and':
        return filter.of.map(select).reduce(intersection, ALL);
      case 'or':
        return complementOf(
          filter.of.map((part) => complementOf(select(part))).reduce(intersection, ALL),
        );
      case 'not':
        return complementOf(select(filter.of));
      case 'element':
        return rules.refuse();
      case 'present':
      case 'compare':
        return rules.leaf(filter);
    }
  };
