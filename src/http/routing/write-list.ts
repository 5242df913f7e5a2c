import type { StreamedList } from '../../api/route.js';

/** About so many characters go out at once: enough for a full packet, little enough to hold. */
const CHUNK = 64 * 1024;

/** `"total":3,"limit":3}`: what closes the envelope after its list. */
const closing = (fields: Readonly<Record<string, unknown>>): string => {
  const text = JSON.stringify(fields);
  return text === '{}' ? ']}' : `],${text.slice(1)}`;
};

/** The JSON text of a list in its envelope, in pieces; holds one piece at a time. */
export const writeList = async function* ({
  name,
  items,
  rest,
}: StreamedList): AsyncGenerator<string> {
  let piece = `{${JSON.stringify(name)}:[`;
  let count = 0;
  for await (const item of items) {
    piece += (count === 0 ? '' : ',') + JSON.stringify(item);
    count += 1;
    if (piece.length >= CHUNK) {
      yield piece;
      piece = '';
    }
  }
  yield piece + closing(rest(count));
};
