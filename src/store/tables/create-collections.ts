import mongoose, { type mongo } from 'mongoose';
import type { CollectionDescriptor } from './collection.js';
import { schemaOf } from './schema-of.js';

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
