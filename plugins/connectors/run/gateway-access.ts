import type { PluginCommands, PluginUsers, TenantId } from '../../../src/plugin/api.js';

/** How a run reads and changes users. */
export interface GatewayAccess {
  readonly commands: PluginCommands;
  readonly users: Pick<PluginUsers, 'find' | 'findGroups'>;
  readonly tenantId: TenantId;
  readonly connector: string;
  /** Of the run, in the provisioning log. */
  readonly requestId: string;
}
