import type { mongo } from 'mongoose';
import type { TenantId } from '../domain/ids.js';
import type { JsonObject } from '../domain/json.js';
import { ensureCollection } from './ensure-collection.js';

interface PluginNoteDocument {
  /** `{plugin}:{tenant}:{id}` */
  readonly _id: string;
  readonly tenant: string;
  readonly note: JsonObject;
  /** `{plugin}:{mark}`; few notes have one. */
  readonly mark?: string;
  readonly at: Date;
}

export const PLUGIN_NOTES = 'plugin_notes';

/** Of marked notes alone: the others, written often, never touch it. */
export const PLUGIN_NOTE_INDEXES = [
  { key: { mark: 1 }, partialFilterExpression: { mark: { $exists: true } } },
] as const satisfies readonly mongo.IndexDescription[];

export const ensurePluginNoteIndexes = async (database: mongo.Db): Promise<void> => {
  await ensureCollection(database, PLUGIN_NOTES);
  await database.collection(PLUGIN_NOTES).createIndexes([...PLUGIN_NOTE_INDEXES]);
};

/** What a marked note is found to be. */
interface Found {
  readonly tenantId: TenantId;
  readonly id: string;
  readonly note: JsonObject;
}

/**
 * A plugin's operational notes, outside the tenant's lane and version: written often, last one
 * wins, and one that is lost in a crash is no loss.
 */
export const mongoPluginNotes = (database: mongo.Db, plugin: string) => {
  const notes = database.collection<PluginNoteDocument>(PLUGIN_NOTES);
  const keyOf = (tenantId: TenantId, id: string): string => `${plugin}:${tenantId}:${id}`;
  const markOf = (mark: string): string => `${plugin}:${mark}`;

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
    write: async (
      tenantId: TenantId,
      id: string,
      note: JsonObject,
      mark?: string,
    ): Promise<void> => {
      const marked = mark === undefined ? {} : { mark: markOf(mark) };
      await notes.replaceOne(
        { _id: keyOf(tenantId, id) },
        { tenant: tenantId, note, ...marked, at: new Date() },
        { upsert: true, writeConcern: { w: 1 } },
      );
    },
    marked: async (mark: string): Promise<readonly Found[]> => {
      const found = await notes
        .find({ mark: markOf(mark) }, { readConcern: { level: 'local' } })
        .toArray();
      return found.map(({ _id, tenant, note }) => {
        const tenantId = tenant as TenantId;
        return { tenantId, id: _id.slice(keyOf(tenantId, '').length), note };
      });
    },
    unmark: async (tenantId: TenantId, id: string, mark: string): Promise<void> => {
      await notes.updateOne(
        { _id: keyOf(tenantId, id), mark: markOf(mark) },
        { $unset: { mark: 1 } },
        { writeConcern: { w: 1 } },
      );
    },
  };
};
