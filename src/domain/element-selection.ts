import type { Filter } from './filter.js';

/** Some elements of a list, distinguished by their ids: those that are named, or all but those. */
export interface ElementSelection {
  readonly kind: 'these' | 'allBut';
  readonly ids: ReadonlySet<string>;
}

export const NONE: ElementSelection = { kind: 'these', ids: new Set() };
export const ALL: ElementSelection = { kind: 'allBut', ids: new Set() };

export const theseOf = (ids: readonly string[]): ElementSelection => ({
  kind: 'these',
  ids: new Set(ids),
});

export const contrary = ({ kind, ids }: ElementSelection): ElementSelection => ({
  kind: kind === 'these' ? 'allBut' : 'these',
  ids,
});

/** Whether the element with this id is selected. */
export const isSelected = ({ kind, ids }: ElementSelection, id: string): boolean =>
  ids.has(id) === (kind === 'these');

/** What is in both. What is in either is the contrary of what is in neither. */
const both = (one: ElementSelection, other: ElementSelection): ElementSelection => {
  if (one.kind === 'allBut' && other.kind === 'allBut') {
    return { kind: 'allBut', ids: new Set([...one.ids, ...other.ids]) };
  }
  const [these, rest] = one.kind === 'these' ? [one, other] : [other, one];
  return { kind: 'these', ids: new Set([...these.ids].filter((id) => isSelected(rest, id))) };
};

export type SelectionLeaf = Extract<Filter, { readonly kind: 'present' | 'compare' }>;

/** How one condition on an element selects; `refuse` is for what makes no sense there. */
export interface SelectionRules {
  readonly leaf: (leaf: SelectionLeaf) => ElementSelection;
  readonly refuse: () => never;
}

/** Which elements a filter selects; its names begin at the element. */
export const selectElements =
  (rules: SelectionRules) =>
  (filter: Filter): ElementSelection => {
    const select = selectElements(rules);
    switch (filter.kind) {
      case 'and':
        return filter.of.map(select).reduce(both, ALL);
      case 'or':
        return contrary(filter.of.map((part) => contrary(select(part))).reduce(both, ALL));
      case 'not':
        return contrary(select(filter.of));
      case 'element':
        return rules.refuse();
      case 'present':
      case 'compare':
        return rules.leaf(filter);
    }
  };
