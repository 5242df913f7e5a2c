import type { JsonObject } from '../domain/json.js';

/** JSON that is too long to hold: its text, piece by piece, read while it is being written. */
export class StreamedJson {
  constructor(readonly pieces: AsyncIterable<string>) {}
}

/** What an answer consists of: an object, or the text of one. */
export type JsonPart = JsonObject | StreamedJson;

const openList = (head: JsonObject, name: string): string => {
  const text = JSON.stringify(head).slice(0, -1);
  return `${text}${text === '{' ? '' : ','}${JSON.stringify(name)}:[`;
};

async function* withCommas(
  items: AsyncIterable<JsonPart>,
): AsyncGenerator<string, void, undefined> {
  let isFirst = true;
  for await (const item of items) {
    const comma = isFirst ? '' : ',';
    isFirst = false;
    if (item instanceof StreamedJson) {
      if (comma !== '') yield comma;
      yield* item.pieces;
    } else yield comma + JSON.stringify(item);
  }
}

/**
 * An object whose last member is a long list. Nothing of it is told before the first of the list has
 * been read: until then an error can still be answered as one.
 */
async function* piecesOf(
  head: JsonObject,
  name: string,
  texts: AsyncIterable<string>,
): AsyncGenerator<string, void, undefined> {
  let opening = openList(head, name);
  for await (const text of texts) {
    yield opening + text;
    opening = '';
  }
  yield `${opening}]}`;
}

/** An object with a list of parts as its last member. */
export const withParts = (
  head: JsonObject,
  name: string,
  parts: AsyncIterable<JsonPart>,
): StreamedJson => new StreamedJson(piecesOf(head, name, withCommas(parts)));

async function* inBatches(
  batches: AsyncIterable<readonly JsonObject[]>,
): AsyncGenerator<string, void, undefined> {
  let comma = '';
  for await (const batch of batches) {
    if (batch.length === 0) continue;
    yield comma + JSON.stringify(batch).slice(1, -1);
    comma = ',';
  }
}

/** An object with a list as its last member that comes some at a time. */
export const withBatches = (
  head: JsonObject,
  name: string,
  batches: AsyncIterable<readonly JsonObject[]>,
): StreamedJson => new StreamedJson(piecesOf(head, name, inBatches(batches)));

/**
 * The same, once its first piece is there: what fails until then can be answered as a refusal, what
 * fails later can only break the connection.
 */
export const primed = async ({ pieces }: StreamedJson): Promise<StreamedJson> => {
  const iterator = pieces[Symbol.asyncIterator]();
  const ahead = [await iterator.next()];
  // No generator: one that is ended before it begins would leave the database's cursor open.
  const resumed: AsyncIterator<string> = {
    next: async () => ahead.shift() ?? iterator.next(),
    return: async () => (await iterator.return?.()) ?? { done: true, value: undefined },
  };
  return new StreamedJson({ [Symbol.asyncIterator]: () => resumed });
};
