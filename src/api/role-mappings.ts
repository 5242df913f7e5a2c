import type { RoleMappingId, TenantId } from '../domain/kernel/ids.js';
import type { Group } from '../domain/group/group.js';
import type { Room } from '../domain/room/room.js';
import type { RoleMapping } from '../domain/role/role-mapping.js';
import type { Page } from './tenants.js';

export interface RoleMappingQuery extends Page {
  /** Case-insensitive. */
  readonly groupDisplayName?: string;
}

/** What has one of some names, and the rooms of these groups. */
export interface NamedDirectory {
  readonly mappings: readonly RoleMapping[];
  readonly groups: readonly Group[];
  readonly rooms: readonly Room[];
}

/** Reads role mappings, oldest first. */
export interface RoleMappingReader {
  /** Everything that decides the role and rooms of a user in groups with these names. */
  readonly named: (tenantId: TenantId, names: readonly string[]) => Promise<NamedDirectory>;
  readonly find: (tenantId: TenantId, id: RoleMappingId) => Promise<RoleMapping | undefined>;
  readonly page: (
    tenantId: TenantId,
    query: RoleMappingQuery,
  ) => Promise<{ readonly mappings: readonly RoleMapping[]; readonly total: number }>;
}
