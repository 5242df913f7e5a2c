import { nameKey } from '../kernel/names.js';
import type { RoleMappingId, TenantId } from '../kernel/ids.js';

export const MAX_PRIORITY = 1_000_000;

/** Gives the members of a group a role (decisions.md 5; its source is always SCIM). */
export interface RoleMapping {
  readonly id: RoleMappingId;
  readonly tenantId: TenantId;
  /** Unique per tenant, case-insensitively. The group need not exist. */
  readonly groupDisplayName: string;
  /** Free text of 1 to 64 characters. */
  readonly role: string;
  /** If off, the mapping is treated as absent (decisions.md 5). */
  readonly applyOnScimProvisioning: boolean;
  /** If several groups match, the lowest number wins; if equal, the older mapping. */
  readonly priority: number;
  readonly version: number;
  readonly createdAt: Date;
}

export const mappingNameKey = ({
  groupDisplayName,
}: Pick<RoleMapping, 'groupDisplayName'>): string => nameKey(groupDisplayName);

/** The mapping that determines the role; undefined if none applies. */
export const effectiveMapping = (mappings: readonly RoleMapping[]): RoleMapping | undefined =>
  mappings.filter(({ applyOnScimProvisioning }) => applyOnScimProvisioning).sort(byPriority)[0];

export const byPriority = (one: RoleMapping, other: RoleMapping): number =>
  one.priority - other.priority ||
  one.createdAt.getTime() - other.createdAt.getTime() ||
  (one.id < other.id ? -1 : 1);
