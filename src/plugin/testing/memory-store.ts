import type { JsonObject } from '../../domain/kernel/json.js';
import type { RecordId, TenantId } from '../../domain/kernel/ids.js';
import type { PluginRecord } from '../../domain/plugin/plugin-record.js';
import type { Change } from '../../domain/tables.js';
import type { Tenant } from '../../domain/tenant/tenant.js';
import type { CommitStore } from '../../pipeline/commit-store.js';
import { MAX_DOCUMENTS, type PluginCollection } from '../../ports/plugin-storage.js';
import type { PluginNotes, PluginRecords } from '../contract/host.js';

/** What the pipeline loads and commits. */
interface MemoryStore extends Pick<PluginRecords, 'list' | 'find'> {
  readonly commits: CommitStore;
  readonly tenant: () => Tenant;
  readonly all: () => readonly PluginRecord[];
}

/** The tables that a command may look up: the host has one tenant, and its plugin's records. */
const TABLES: readonly string[] = ['tenants', 'pluginRecords'];

/** One tenant and a plugin's records of it, in memory. */
export const createMemoryStore = (now: () => Date): MemoryStore => {
  let tenant: Tenant | undefined;
  let version = { v: 0, seq: 0, nextOrdinal: 0 };
  const records = new Map<RecordId, PluginRecord>();
  const all = (): readonly PluginRecord[] => [...records.values()];

  const apply = ({ table, before, after }: Change): void => {
    if (table === 'tenant') tenant = after ?? undefined;
    if (table !== 'pluginRecords') return;
    if (after) records.set(after.id, after);
    else if (before) records.delete(before.id);
  };

  const nothing = (): Promise<void> => Promise.resolve();
  return {
    commits: {
      load: async (_tenantId, lookups) => {
        const other = lookups.find(({ table }) => !TABLES.includes(table));
        if (other) throw new Error(`The test host has no ${other.table}.`);
        const entities = { pluginRecords: all() };
        return Promise.resolve({ tenant, version, now: now(), entities });
      },
      commit: ({ changes }) => {
        changes.forEach(apply);
        version = { ...version, v: version.v + 1 };
        return nothing();
      },
      isAt: (_tenantId, { v }) => Promise.resolve(v === version.v),
      findCommitted: () => Promise.resolve(new Map()),
      findAbandonedJobs: () => Promise.resolve([]),
      requestPriorityLock: nothing,
      releasePriorityLock: nothing,
      log: nothing,
    },
    tenant: () => {
      if (tenant) return tenant;
      throw new Error('The test host has no tenant.');
    },
    all,
    list: (tenantId) => Promise.resolve(tenantId === tenant?.id ? all() : []),
    find: (tenantId, id) => Promise.resolve(tenantId === tenant?.id ? records.get(id) : undefined),
  };
};

/** A plugin's notes on the records of this tenant, in a collection. */
export const notesIn = (collection: PluginCollection, tenantId: TenantId): PluginNotes => ({
  read: async (owner, ids) => {
    const found = await collection.getMany(owner, ids);
    return new Map([...found].map(([id, { value }]) => [id, value.note as JsonObject]));
  },
  write: (owner, id, note, mark = '') =>
    collection.put(owner, [{ key: id, value: { note, mark } }]),
  marked: async (mark) =>
    (await collection.list(tenantId, { limit: MAX_DOCUMENTS })).flatMap(
      ({ key: id, value: { note, ...marked } }) =>
        marked.mark === mark ? [{ tenantId, id, note: note as JsonObject }] : [],
    ),
  unmark: async (owner, id, mark) => {
    const { note, ...marked } = (await collection.get(owner, id))?.value ?? {};
    if (note !== undefined && marked.mark === mark)
      await collection.put(owner, [{ key: id, value: { note, mark: '' } }]);
  },
});
