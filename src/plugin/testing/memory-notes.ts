import type { TenantId } from '../../domain/kernel/ids.js';
import type { JsonObject } from '../../domain/kernel/json.js';
import type { PluginNotes } from '../contract/host.js';

/** A plugin's notes in memory, and a view of them by the id of their record. */
export const createMemoryNotes = (): {
  readonly notes: ReadonlyMap<string, JsonObject>;
  readonly host: PluginNotes;
} => {
  const notes = new Map<string, JsonObject>();
  const marks = new Map<string, { readonly tenantId: TenantId; readonly mark?: string }>();
  return {
    notes,
    host: {
      read: async (_tenantId, ids) =>
        Promise.resolve(
          new Map(
            ids.flatMap((id) => {
              const note = notes.get(id);
              return note ? [[id, note] as const] : [];
            }),
          ),
        ),
      write: async (tenantId, id, note, mark) => {
        notes.set(id, note);
        marks.set(id, { tenantId, ...(mark !== undefined && { mark }) });
        return Promise.resolve();
      },
      marked: async (wanted) =>
        Promise.resolve(
          [...marks].flatMap(([id, { tenantId, mark }]) => {
            const note = notes.get(id);
            return mark === wanted && note ? [{ tenantId, id, note }] : [];
          }),
        ),
      unmark: async (tenantId, id, mark) => {
        if (marks.get(id)?.mark === mark) marks.set(id, { tenantId });
        return Promise.resolve();
      },
    },
  };
};
