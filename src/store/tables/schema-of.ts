import { Schema } from 'mongoose';
import type { CollectionDescriptor } from './collection.js';

/** The mongoose schema by which a collection and its indexes are created. */
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
  for (const { key, ...options } of indexes) schema.index(key as Record<string, 1>, options);
  return schema;
};
