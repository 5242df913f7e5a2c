import type { mongo } from 'mongoose';
import type { TenantId } from '../domain/ids.js';
import type { JsonObject } from '../domain/json.js';

interface PluginNoteDocument {
  /** `{plugin}:{tenant}:{id}` */
  readonly _id: string;
  readonly tenant: string;
  readonly note: JsonObject;
  readonly at: Date;
}

export const PLUGIN_NOTES = 'plugin_notes';

/**
 * A plugin's operational notes, outside the tenant's lane and version: written often, last one
 * wins, and one that is lost in a crash is no loss.
 */
export const mongoPluginNotes = (database: mongo.Db, plugin: string) => {
  const notes = database.collection<PluginNoteDocument>(PLUGIN_NOTES);
  const keyOf = (tenantId: TenantId, id: string): string => `${plugin}:${tenantId}:${id}`;

  return {
    read: async (
      tenantId: TenantId,
      ids: readonly string[],
    ): Promise<ReadonlyMap<string, JsonObject>> => {
      const wanted = new Map(ids.map((id) => [keyOf(tenantId, id), id]));
      const found = await notes
        .find({ _id: { $in: [...wanted.keys()] } }, { readConcern: { level: 'local' } })
        .toArray();
      return new Map(found.map(({ _id, note }) => [wanted.get(_id) ?? '', note]));
    },
    write: async (tenantId: TenantId, id: string, note: JsonObject): Promise<void> => {
      await notes.replaceOne(
        { _id: keyOf(tenantId, id) },
        { tenant: tenantId, note, at: new Date() },
        { upsert: true, writeConcern: { w: 1 } },
      );
    },
  };
};
