import type { RecordId, TenantId } from '../../domain/kernel/ids.js';
import type { JsonObject } from '../../domain/kernel/json.js';
import type { PluginRecord } from '../../domain/plugin/plugin-record.js';
import {
  defineCollection,
  expireLater,
  EXPIRES,
  MIXED,
  whereSet,
  defineTable,
} from './collection.js';

export interface PluginRecordDocument {
  readonly _id: string;
  readonly tenant: string;
  readonly plugin: string;
  readonly v: number;
  readonly data: JsonObject;
  readonly createdAt: Date;
}

export const pluginRecords = defineCollection<PluginRecordDocument>({
  name: 'plugin_records',
  fields: {
    _id: String,
    tenant: String,
    plugin: String,
    v: Number,
    data: MIXED,
    createdAt: Date,
  },
  indexes: [{ key: { tenant: 1, plugin: 1, createdAt: 1, _id: 1 } }],
  purge: 'by tenant',
});

/** A plugin's operational note on one of its records. */
export interface PluginNoteDocument {
  /** `noteIdOf` its record. */
  readonly _id: string;
  readonly tenant?: string;
  /** Absent if the record was deleted before a note was written. */
  readonly note?: JsonObject;
  /** `{plugin}:{mark}`; few notes have one. */
  readonly mark?: string;
  readonly at?: Date;
  /** Set when the record is deleted (`expireLater`). */
  readonly expireAt?: Date;
}

export const noteIdOf = ({
  plugin,
  tenant,
  record,
}: Readonly<Record<'plugin' | 'tenant' | 'record', string>>): string =>
  `${plugin}:${tenant}:${record}`;

export const pluginNotes = defineCollection<PluginNoteDocument>({
  name: 'plugin_notes',
  fields: { _id: String, tenant: String, note: MIXED, mark: String, at: Date, expireAt: Date },
  indexes: [
    // Few notes are in these; the others, which are written often, update neither.
    { key: { mark: 1 }, ...whereSet('mark') },
    { ...EXPIRES, ...whereSet('expireAt') },
  ],
  purge: 'expires',
});

export const fromPluginRecordDocument = ({
  _id,
  tenant,
  v,
  ...record
}: PluginRecordDocument): PluginRecord => ({
  id: _id as RecordId,
  tenantId: tenant as TenantId,
  version: v,
  ...record,
});

export const pluginRecordTable = defineTable<'pluginRecords', PluginRecordDocument>(pluginRecords, {
  keys: { id: '_id', plugin: 'plugin' },
  fromDocument: fromPluginRecordDocument,
  sort: { createdAt: 1, _id: 1 },
  writes: {
    toDocument: ({ id, tenantId, version, ...record }) => ({
      _id: id,
      tenant: tenantId,
      v: version,
      ...record,
    }),
    afterDelete: (deleted, database, session) =>
      expireLater(
        pluginNotes.in(database),
        deleted.map(({ id, tenantId, plugin }) =>
          noteIdOf({ plugin, tenant: tenantId, record: id }),
        ),
        session,
      ),
  },
});

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
