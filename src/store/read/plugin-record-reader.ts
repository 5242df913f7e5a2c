import type { RecordId, TenantId } from '../../domain/kernel/ids.js';
import type { PluginRecord } from '../../domain/plugin/plugin-record.js';
import { guardRead } from '../database-errors.js';
import type { Collections } from '../tables/collections.js';
import { fromPluginRecordDocument } from '../tables/plugins.js';

/** Reads of one plugin's records. */
export interface PluginRecordReader {
  /** Oldest first. */
  readonly list: (tenantId: TenantId) => Promise<readonly PluginRecord[]>;
  readonly find: (tenantId: TenantId, id: RecordId) => Promise<PluginRecord | undefined>;
}

export const mongoPluginRecordReader = (
  { pluginRecords }: Collections,
  plugin: string,
): PluginRecordReader => ({
  list: (tenantId) =>
    guardRead(async () => {
      const found = await pluginRecords
        .find({ tenant: tenantId, plugin })
        .sort({ createdAt: 1, _id: 1 })
        .toArray();
      return found.map(fromPluginRecordDocument);
    }),
  find: (tenantId, id) =>
    guardRead(async () => {
      const found = await pluginRecords.findOne({ _id: id, tenant: tenantId, plugin });
      return found ? fromPluginRecordDocument(found) : undefined;
    }),
});
