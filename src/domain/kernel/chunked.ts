/**
 * Work on many items that can be interrupted at each `yield`. The runner decides whether it is:
 * `runSync` runs it without interruption, `runCooperatively` of the pipeline yields to the event loop.
 * The result is the same.
 */
export type Chunked<Result> = Generator<undefined, Result, undefined>;

/** Number of items between two yields: well below a millisecond of work. */
const CHUNK_SIZE = 128;

/** Visits the items in chunks. */
export const each = function* <Item>(
  items: Iterable<Item>,
  visit: (item: Item, at: number) => void,
): Chunked<void> {
  let at = 0;
  for (const item of items) {
    if (at > 0 && at % CHUNK_SIZE === 0) yield;
    visit(item, at);
    at += 1;
  }
};

/** Maps the items in chunks. */
export const mapped = function* <Item, Result>(
  items: Iterable<Item>,
  map: (item: Item, at: number) => Result,
): Chunked<Result[]> {
  const results: Result[] = [];
  yield* each(items, (item, at) => results.push(map(item, at)));
  return results;
};

/** The items that are wanted, in chunks. */
export const filtered = function* <Item>(
  items: Iterable<Item>,
  isWanted: (item: Item) => boolean,
): Chunked<Item[]> {
  const results: Item[] = [];
  yield* each(items, (item) => {
    if (isWanted(item)) results.push(item);
  });
  return results;
};

/** Chunked work, or its result (an object that is not iterable), as chunked work. */
export const asChunked = function* <Result extends object>(
  work: Result | Chunked<Result>,
): Chunked<Result> {
  return Symbol.iterator in work ? yield* work : work;
};

/** Runs chunked work without interruption. */
export const runSync = <Result>(work: Chunked<Result>): Result => {
  for (;;) {
    const chunk = work.next();
    if (chunk.done) return chunk.value;
  }
};
