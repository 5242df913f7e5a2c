import type { JsonObject } from '../../domain/kernel/json.js';
import { defineCollection, MIXED } from './collection.js';

const BY_KEY = { tenant: 1, plugin: 1, collection: 1, key: 1 } as const;

/** A document of a plugin. */
export interface PluginDocumentDocument {
  /** The owner; empty for documents that belong to no tenant. */
  readonly tenant: string;
  readonly plugin: string;
  readonly collection: string;
  readonly key: string;
  readonly v: number;
  readonly value: JsonObject;
  readonly at: Date;
  readonly expireAt?: Date | null;
}

export const pluginDocuments = defineCollection<PluginDocumentDocument>({
  name: 'plugin_documents',
  fields: {
    tenant: String,
    plugin: String,
    collection: String,
    key: String,
    v: Number,
    value: MIXED,
    at: Date,
    expireAt: Date,
  },
  indexes: [
    { key: BY_KEY, unique: true },
    {
      key: { expireAt: 1 },
      expireAfterSeconds: 0,
      partialFilterExpression: { expireAt: { $type: 'date' } },
    },
  ],
  purge: 'by tenant',
});
