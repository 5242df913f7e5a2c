import type { mongo } from 'mongoose';

interface Expirable {
  readonly _id: string;
  readonly expireAt?: Date;
}

/** By then nothing that was under way can write it any more. */
const EXPIRE_AFTER_MS = 3_600_000;

/**
 * Marks operational notes for the database to remove, whether or not they are there yet: what they
 * are about goes now, but a delivery or request that is under way, here or on another gateway, may
 * still write one. Such a write keeps the mark, so that no note outlives its subject.
 */
export const expireLater = async <Document extends Expirable>(
  notes: mongo.Collection<Document>,
  ids: readonly string[],
  session?: mongo.ClientSession,
): Promise<void> => {
  if (ids.length === 0) return;
  // The typings of filters do not take a generic document; all have these two fields.
  const documents = notes as unknown as mongo.Collection<Expirable>;
  const update = [{ $set: { expireAt: { $add: ['$$NOW', EXPIRE_AFTER_MS] } } }];
  await documents.bulkWrite(
    ids.map((_id) => ({ updateOne: { filter: { _id }, update, upsert: true } })),
    { ordered: false, ...(session && { session }) },
  );
};
