import type { RecordId, TenantId } from './ids.js';
import type { JsonObject } from './json.js';

/**
 * State that a plugin keeps for a tenant and changes through the lane like everything else: a
 * webhook registration, for example. Small and few (hundreds a tenant): the lane loads them whole.
 */
export interface PluginRecord {
  readonly id: RecordId;
  readonly tenantId: TenantId;
  readonly plugin: string;
  readonly data: JsonObject;
  readonly version: number;
  readonly createdAt: Date;
}
