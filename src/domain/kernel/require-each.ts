import type { Facts } from './decider.js';
import { each, type Chunked } from './chunked.js';
import type { Lookup } from '../tables.js';

/** `facts.require` for a lookup of each of many items, in chunks. */
export const requireEach = function* <Item>(
  facts: Facts,
  items: Iterable<Item>,
  lookupOf: (item: Item) => Lookup,
): Chunked<void> {
  const missing: Lookup[] = [];
  yield* each(items, (item) => {
    const lookup = lookupOf(item);
    if (!facts.isLoaded(lookup)) missing.push(lookup);
  });
  facts.require(missing);
};
