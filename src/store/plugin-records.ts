import type { RecordId, TenantId } from '../domain/kernel/ids.js';
import type { PluginRecord } from '../domain/plugin/plugin-record.js';
import { guarded } from './database-errors.js';
import type { Collections } from './tables/collections.js';
import { pluginRecordTable, noteIdOf } from './tables/plugins.js';
import type { JsonObject } from '../domain/kernel/json.js';
import { LOCAL_READ, PRIMARY_WRITE } from './concerns.js';

/** Reads of one plugin's records. */
export interface PluginRecordReader {
  /** Oldest first. */
  readonly list: (tenantId: TenantId) => Promise<readonly PluginRecord[]>;
  readonly find: (tenantId: TenantId, id: RecordId) => Promise<PluginRecord | undefined>;
}

export const mongoPluginRecordReader = (
  { pluginRecords }: Collections,
  plugin: string,
): PluginRecordReader =>
  guarded<PluginRecordReader>({
    list: async (tenantId) => {
      const found = await pluginRecords
        .find({ tenant: tenantId, plugin })
        .sort({ createdAt: 1, _id: 1 })
        .toArray();
      return found.map(pluginRecordTable.fromDocument);
    },
    find: async (tenantId, id) => {
      const found = await pluginRecords.findOne({ _id: id, tenant: tenantId, plugin });
      return found ? pluginRecordTable.fromDocument(found) : undefined;
    },
  });

/**
 * A plugin's operational notes on its records, outside the tenant's lane and version: written
 * often, last write wins, and the last ones may be lost in a crash. They are deleted with the
 * record.
 */
export const mongoPluginNotes = (
  { pluginNotes: notes }: Pick<Collections, 'pluginNotes'>,
  plugin: string,
) => {
  const keyOf = (tenant: TenantId, record: string): string => noteIdOf({ plugin, tenant, record });
  const markOf = (mark: string): string => `${plugin}:${mark}`;

  return guarded({
    read: async (
      tenantId: TenantId,
      ids: readonly string[],
    ): Promise<ReadonlyMap<string, JsonObject>> => {
      const wanted = new Map(ids.map((id) => [keyOf(tenantId, id), id]));
      const found = await notes.find({ _id: { $in: [...wanted.keys()] } }, LOCAL_READ).toArray();
      return new Map(
        found.flatMap(({ _id, note }) => (note ? [[wanted.get(_id) ?? '', note]] : [])),
      );
    },
    write: async (
      tenantId: TenantId,
      id: string,
      note: JsonObject,
      mark?: string,
    ): Promise<void> => {
      const written = { tenant: tenantId, note, at: new Date() };
      await notes.updateOne(
        { _id: keyOf(tenantId, id) },
        mark === undefined
          ? { $set: written, $unset: { mark: 1 } }
          : { $set: { ...written, mark: markOf(mark) } },
        { upsert: true, ...PRIMARY_WRITE },
      );
    },
    marked: async (mark: string) => {
      const found = await notes.find({ mark: markOf(mark) }, LOCAL_READ).toArray();
      return found.flatMap(({ _id, tenant, note }) => {
        const tenantId = tenant as TenantId;
        return note ? [{ tenantId, id: _id.slice(keyOf(tenantId, '').length), note }] : [];
      });
    },
    unmark: async (tenantId: TenantId, id: string, mark: string): Promise<void> => {
      await notes.updateOne(
        { _id: keyOf(tenantId, id), mark: markOf(mark) },
        { $unset: { mark: 1 } },
        PRIMARY_WRITE,
      );
    },
  });
};
