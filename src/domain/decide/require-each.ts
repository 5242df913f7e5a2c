import { each, type Pieces } from '../in-pieces.js';
import type { Need } from '../tables.js';
import type { Facts } from './decider.js';

/** As `facts.require` for what each of many things needs. */
export const requireEach = function* <Item>(
  facts: Facts,
  items: Iterable<Item>,
  needOf: (item: Item) => Need,
): Pieces<void> {
  const missing: Need[] = [];
  yield* each(items, (item) => {
    const need = needOf(item);
    if (!facts.knows(need)) missing.push(need);
  });
  facts.require(missing);
};
