import type { RoleMappingId, TenantId } from '../domain/kernel/ids.js';
import type { RoleMapping } from '../domain/role/role-mapping.js';
import type { Page } from './tenants.js';

export interface RoleMappingQuery extends Page {
  /** Case-insensitive. */
  readonly groupDisplayName?: string;
}

/** Reads role mappings, oldest first. */
export interface RoleMappingReader {
  readonly find: (tenantId: TenantId, id: RoleMappingId) => Promise<RoleMapping | undefined>;
  readonly page: (
    tenantId: TenantId,
    query: RoleMappingQuery,
  ) => Promise<{ readonly mappings: readonly RoleMapping[]; readonly total: number }>;
}
