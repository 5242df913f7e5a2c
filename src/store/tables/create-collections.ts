import type * as mongo from 'mongodb';
import mongoose, { Schema } from 'mongoose';
import { NO_TIMEOUT } from '../concerns.js';
import type { CollectionDescriptor } from './collection.js';

/**
 * The mongoose schema by which a collection and its indexes are created.
 *
 * @internal
 */
export const schemaOf = ({
  fields,
  indexes,
}: Pick<CollectionDescriptor, 'fields' | 'indexes'>): Schema => {
  const schema = new Schema(fields, {
    versionKey: false,
    // plugin_documents has a field `collection`; no documents of mongoose are created.
    suppressReservedKeysWarning: true,
    autoIndex: false,
    autoCreate: false,
  });
  for (const { key, ...options } of indexes)
    // A large collection may take any time.
    schema.index(key as Record<string, 1>, { ...options, ...NO_TIMEOUT });
  return schema;
};

/**
 * Creates collections and indexes with mongoose. Collections first: a transaction that has to create
 * one waits for a lock on the whole database.
 */
export const createCollections = async (
  client: mongo.MongoClient,
  descriptors: readonly CollectionDescriptor[],
): Promise<void> => {
  // Of the client's connections, so it is not closed.
  const connection = mongoose.createConnection().setClient(client);
  await Promise.all(
    descriptors.map(async (descriptor) => {
      const { name } = descriptor;
      const model = connection.model(name, schemaOf(descriptor), name);
      await model.createCollection();
      await model.createIndexes();
    }),
  );
};
