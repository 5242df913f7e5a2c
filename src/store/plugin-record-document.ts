import type { RecordId, TenantId } from '../domain/ids.js';
import type { PluginRecord } from '../domain/plugin-record.js';
import type { PluginRecordDocument } from './documents.js';

export const toPluginRecordDocument = ({
  id,
  tenantId,
  version,
  ...record
}: PluginRecord): PluginRecordDocument => ({ _id: id, tenant: tenantId, v: version, ...record });

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
