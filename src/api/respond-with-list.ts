import type { CompleteList } from './rooms.js';
import type { RouteResponse } from './route.js';

interface Shape<Item> {
  /** The name of the list in the envelope. */
  readonly name: string;
  readonly offset: number;
  readonly present: (item: Item) => unknown;
}

const presented = async function* <Item>(
  items: AsyncIterable<Item>,
  present: (item: Item) => unknown,
): AsyncGenerator {
  for await (const item of items) yield present(item);
};

/**
 * Responds with a complete list. The total is the number of items written, even if the list changes
 * during the response, unless the offset is beyond the end.
 */
export const respondWithList = <Item>(
  { items, total: before }: CompleteList<Item>,
  { name, offset, present }: Shape<Item>,
): RouteResponse => ({
  status: 200,
  list: {
    name,
    items: presented(items, present),
    rest: (count) => {
      const total = count > 0 || offset === 0 ? offset + count : before;
      return { total, limit: total, offset };
    },
  },
});
