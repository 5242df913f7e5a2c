import type { RecordId, TenantId } from '../kernel/ids.js';
import type { JsonObject } from '../kernel/json.js';

/**
 * State of a plugin for one tenant, such as a webhook registration, which commands change. Records are
 * small and few (hundreds per tenant): a command loads all of them.
 */
export interface PluginRecord {
  readonly id: RecordId;
  readonly tenantId: TenantId;
  readonly plugin: string;
  readonly data: JsonObject;
  readonly version: number;
  readonly createdAt: Date;
}
