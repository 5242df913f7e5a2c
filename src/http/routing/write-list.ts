import type { StreamedList } from '../../api/route.js';

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
