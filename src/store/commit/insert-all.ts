import type { mongo } from 'mongoose';

/**
 * Documents that are sent in one go. The driver encodes all of them before it waits for anything,
 * and each twice, to see how long it is: 125 take two or three milliseconds, and a commit has three
 * such statements under way at once.
 */
const SLICE = 125;

/** The items in slices of this length, or of what is sent in one go. */
export const slicesOf = function* <Item>(
  items: readonly Item[],
  size = SLICE,
): Generator<readonly Item[], void, undefined> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size);
};

/** Inserts what these entities are as documents, a slice after the other. */
export const insertAll = async <Document extends mongo.BSON.Document, Entity>(
  collection: mongo.Collection<Document>,
  {
    entities,
    toDocument,
    size,
  }: {
    readonly entities: readonly Entity[];
    readonly toDocument: (entity: Entity, at: number) => mongo.OptionalUnlessRequiredId<Document>;
    /** How many are sent in one go; absent: as many as fit into a few milliseconds. */
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
