import type { mongo } from 'mongoose';

/**
 * Documents per statement. The driver encodes all of them before it awaits anything, and a commit has
 * three such statements in progress: 125 take a millisecond or two. Statements of 250 cost mongod a
 * fifth more per document (docs/benchmarks.md).
 */
const SLICE = 125;

/** Splits items into slices of this size. */
export const slicesOf = function* <Item>(
  items: readonly Item[],
  size = SLICE,
): Generator<readonly Item[], void, undefined> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size);
};

/** Inserts the documents of these entities, slice by slice. */
export const insertAll = async <Document extends mongo.BSON.Document, Entity>(
  collection: mongo.Collection<Document>,
  {
    entities,
    toDocument,
    size,
  }: {
    readonly entities: readonly Entity[];
    readonly toDocument: (entity: Entity, at: number) => mongo.OptionalUnlessRequiredId<Document>;
    /** Documents per statement; absent: as many as take a few milliseconds to encode. */
    readonly size?: number;
  },
  session: mongo.ClientSession,
): Promise<void> => {
  let at = 0;
  for (const slice of slicesOf(entities, size)) {
    const documents = slice.map((entity, index) => toDocument(entity, at + index));
    await collection.insertMany(documents, { session, ordered: false });
    at += slice.length;
  }
};
