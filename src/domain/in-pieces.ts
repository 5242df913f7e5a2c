/**
 * Work on many things that can be laid down: wherever it yields, somebody else may have a turn.
 * Whether anybody has is the affair of who runs it (`atOnce` here, `inTurns` of the pipeline); what
 * comes of it is the same.
 */
export type Pieces<Result> = Generator<undefined, Result, undefined>;

/** Things that are gone through between two yields: well below a millisecond's work. */
const PIECE = 128;

/** Goes through many things, as a part of work in pieces. */
export const each = function* <Item>(
  items: Iterable<Item>,
  visit: (item: Item, at: number) => void,
): Pieces<void> {
  let at = 0;
  for (const item of items) {
    if (at > 0 && at % PIECE === 0) yield;
    visit(item, at);
    at += 1;
  }
};

/** What comes of every one of many things, as a part of work in pieces. */
export const mapped = function* <Item, Result>(
  items: Iterable<Item>,
  map: (item: Item, at: number) => Result,
): Pieces<Result[]> {
  const results: Result[] = [];
  yield* each(items, (item, at) => results.push(map(item, at)));
  return results;
};

/** What may be there already (an object, no list), as work in pieces. */
export const inPieces = function* <Result extends object>(
  work: Result | Pieces<Result>,
): Pieces<Result> {
  return Symbol.iterator in work ? yield* work : work;
};

/** Does all of it in one go. */
export const atOnce = <Result>(work: Pieces<Result>): Result => {
  for (;;) {
    const piece = work.next();
    if (piece.done) return piece.value;
  }
};
