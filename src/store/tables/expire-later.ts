import type { mongo } from 'mongoose';

interface Expirable {
  readonly _id: string;
  readonly expireAt?: Date;
}

/** By then no request or delivery in progress can write it any more. */
const EXPIRE_AFTER_MS = 3_600_000;

/**
 * Makes the database delete operational notes in an hour, whether or not they exist yet: their
 * subject is deleted now, but a delivery or request in progress, on this or another gateway, may
 * still write one. Such a write keeps `expireAt`, so that no note outlives its subject.
 */
export const expireLater = async <Document extends Expirable>(
  notes: mongo.Collection<Document>,
  ids: readonly string[],
  session?: mongo.ClientSession,
): Promise<void> => {
  if (ids.length === 0) return;
  // The driver's filter types do not accept a generic document; all have these two fields.
  const documents = notes as unknown as mongo.Collection<Expirable>;
  const update = [{ $set: { expireAt: { $add: ['$$NOW', EXPIRE_AFTER_MS] } } }];
  await documents.bulkWrite(
    ids.map((_id) => ({ updateOne: { filter: { _id }, update, upsert: true } })),
    { ordered: false, ...(session && { session }) },
  );
};
