import type { Group } from '../domain/group/group.js';
import type { GroupId, TenantId } from '../domain/kernel/ids.js';
import type { RoomMember } from './rooms.js';
import type { Page } from './tenants.js';

/** A SCIM group with the role that it gives. */
export interface GroupView {
  readonly group: Group;
  /** The role that a mapping gives the members; null if none applies. */
  readonly role: string | null;
}

/** All conditions must match. */
export interface GroupConditions {
  /** Case-insensitive. */
  readonly displayName?: string;
  readonly externalId?: string;
}

/** Reads SCIM groups for operators, in order of creation. */
export interface GroupViewReader {
  readonly find: (tenantId: TenantId, id: GroupId) => Promise<GroupView | undefined>;
  readonly page: (
    tenantId: TenantId,
    query: GroupConditions & Page,
  ) => Promise<{ readonly groups: readonly GroupView[]; readonly total: number }>;
  /** In the order of their ids; undefined if the group does not exist. */
  readonly memberPage: (
    tenantId: TenantId,
    id: GroupId,
    page: Page,
  ) => Promise<{ readonly members: readonly RoomMember[]; readonly total: number } | undefined>;
}
