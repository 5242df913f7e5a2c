import { fold } from './fold.js';
import type { RoleMappingId, TenantId } from './ids.js';

/** The role that members of a group take (decisions.md 5; its source is always SCIM). */
export interface RoleMapping {
  readonly id: RoleMappingId;
  readonly tenantId: TenantId;
  /** Unique in the tenant without regard to case. The group need not exist. */
  readonly groupDisplayName: string;
  /** Free text of 1 to 64 characters. */
  readonly role: string;
  /** Whether members take the role; off, it is as if the mapping were not there (decisions.md 5). */
  readonly applyOnScimProvisioning: boolean;
  /** Who is in several groups takes the role of the lowest; of two that are equal, the older one's. */
  readonly priority: number;
  readonly version: number;
  readonly createdAt: Date;
}

export const mappingNameKey = ({
  groupDisplayName,
}: Pick<RoleMapping, 'groupDisplayName'>): string => fold(groupDisplayName);

/** The one of these mappings that gives its role, or undefined where none applies. */
export const prevailing = (mappings: readonly RoleMapping[]): RoleMapping | undefined =>
  mappings.filter(({ applyOnScimProvisioning }) => applyOnScimProvisioning).sort(byPriority)[0];

const byPriority = (one: RoleMapping, other: RoleMapping): number =>
  one.priority - other.priority ||
  one.createdAt.getTime() - other.createdAt.getTime() ||
  (one.id < other.id ? -1 : 1);
