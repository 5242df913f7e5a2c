import type { mongo } from 'mongoose';
import { schemaOf } from '../../src/store/tables/create-collections.js';
import { ALL_COLLECTIONS } from '../../src/store/tables/collections.js';

/**
 * Creates the collections before the gateway does, each with a validator made of its descriptor: the
 * database refuses a document with a field that the descriptor does not have, or of another type.
 */
export const createValidatedCollections = async (database: mongo.Db): Promise<void> => {
  await Promise.all(
    ALL_COLLECTIONS.map((descriptor) => {
      const fields = schemaOf(descriptor).toJSONSchema({ useBsonType: true });
      const validator = { $jsonSchema: { ...fields, additionalProperties: false } };
      return database.createCollection(descriptor.name, { validator });
    }),
  );
};
