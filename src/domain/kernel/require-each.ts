import type { Facts } from '../decide/decider.js';
import { each, type Pieces } from '../in-pieces.js';
import type { Need } from '../tables.js';

/** `facts.require` for a lookup of each of many items, in chunks. */
export const requireEach = function* <Item>(
  facts: Facts,
  items: Iterable<Item>,
  lookupOf: (item: Item) => Need,
): Pieces<void> {
  const missing: Need[] = [];
  yield* each(items, (item) => {
    const lookup = lookupOf(item);
    if (!facts.knows(lookup)) missing.push(lookup);
  });
  facts.require(missing);
};
