import type { CompleteList } from '../../ports/rooms.js';
import type { RouteResponse, StreamedList } from '../../routes/route.js';

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

/** Approximate characters per chunk: fills packets, yet is written in a few milliseconds. */
const CHUNK_LENGTH = 16 * 1024;

/** The end of the envelope: `"total":3,"limit":3}`. */
const closingOf = (fields: Readonly<Record<string, unknown>>): string => {
  const text = JSON.stringify(fields);
  return text === '{}' ? ']}' : `],${text.slice(1)}`;
};

/** The JSON text of a list in its envelope, in chunks. */
export const writeList = async function* ({
  name,
  items,
  rest,
}: StreamedList): AsyncGenerator<string> {
  let chunk = `{${JSON.stringify(name)}:[`;
  let count = 0;
  for await (const item of items) {
    chunk += (count === 0 ? '' : ',') + JSON.stringify(item);
    count += 1;
    if (chunk.length >= CHUNK_LENGTH) {
      yield chunk;
      chunk = '';
    }
  }
  yield chunk + closingOf(rest(count));
};
