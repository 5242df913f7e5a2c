import type { JsonObject } from '../../domain/kernel/json.js';
import type { PluginRecord } from '../../domain/plugin/plugin-record.js';
import { createCodec, VERSIONED } from './codec.js';
import {
  defineCollection,
  defineTenantCollection,
  type DocumentOf,
  EXPIRES,
  expireLater,
  whereSet,
} from './collection.js';
import { nullable, optional, typed } from './fields.js';
import { defineTable } from './table.js';

const pluginRecords = defineTenantCollection({
  name: 'plugin_records',
  fields: {
    plugin: String,
    v: Number,
    data: typed<JsonObject>(Object),
    createdAt: Date,
  },
  indexes: [{ key: { tenant: 1, plugin: 1, createdAt: 1, _id: 1 } }],
});

export const noteIdOf = ({
  plugin,
  tenant,
  record,
}: Readonly<Record<'plugin' | 'tenant' | 'record', string>>): string =>
  `${plugin}:${tenant}:${record}`;

/** The plugins' operational notes on their records. */
export const pluginNotes = defineCollection({
  name: 'plugin_notes',
  fields: {
    /** `noteIdOf` its record. */
    _id: String,
    tenant: optional(String),
    /** Absent if the record was deleted before a note was written. */
    note: optional(typed<JsonObject>(Object)),
    /** `{plugin}:{mark}`; few notes have one. */
    mark: optional(String),
    at: optional(Date),
    /** Set when the record is deleted (`expireLater`). */
    expireAt: optional(Date),
  },
  indexes: [
    // Few notes are in these; the others, which are written often, update neither.
    { key: { mark: 1 }, ...whereSet('mark') },
    { ...EXPIRES, ...whereSet('expireAt') },
  ],
  purge: 'expires',
});

export const pluginRecordTable = defineTable('pluginRecords', pluginRecords, {
  keys: { id: '_id', plugin: 'plugin' },
  ...createCodec<PluginRecord, DocumentOf<typeof pluginRecords>>({ names: VERSIONED }),
  sort: { createdAt: 1, _id: 1 },
  afterDelete: (deleted, database, session) =>
    expireLater(
      pluginNotes.in(database),
      deleted.map(({ id, tenantId, plugin }) => noteIdOf({ plugin, tenant: tenantId, record: id })),
      session,
    ),
});

/** The documents of plugins. */
export const pluginDocuments = defineCollection({
  name: 'plugin_documents',
  fields: {
    /** The owner; empty for documents that belong to no tenant. */
    tenant: String,
    plugin: String,
    collection: String,
    key: String,
    v: Number,
    value: typed<JsonObject>(Object),
    at: Date,
    expireAt: optional(nullable(Date)),
  },
  indexes: [
    { key: { tenant: 1, plugin: 1, collection: 1, key: 1 }, unique: true },
    { ...EXPIRES, partialFilterExpression: { expireAt: { $type: 'date' } } },
  ],
  purge: 'by tenant',
});

export type PluginDocumentDocument = DocumentOf<typeof pluginDocuments>;
