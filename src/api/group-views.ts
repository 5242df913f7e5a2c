import type { Group } from '../domain/group.js';
import type { GroupId, TenantId } from '../domain/ids.js';
import type { RoomMember } from './rooms.js';
import type { Page } from './tenants.js';

/** A SCIM group with the role that goes with it. */
export interface GroupView {
  readonly group: Group;
  /** What a role mapping gives the members; null: nothing. */
  readonly role: string | null;
}

/** Which groups; all conditions must hold. */
export interface GroupConditions {
  /** Without regard to case. */
  readonly displayName?: string;
  readonly externalId?: string;
}

/** Reads of SCIM groups for operators, in the order of their creation. */
export interface GroupViewReader {
  readonly find: (tenantId: TenantId, id: GroupId) => Promise<GroupView | undefined>;
  readonly page: (
    tenantId: TenantId,
    query: GroupConditions & Page,
  ) => Promise<{ readonly groups: readonly GroupView[]; readonly total: number }>;
  /** In the order of their ids; undefined if there is no such group. */
  readonly memberPage: (
    tenantId: TenantId,
    id: GroupId,
    page: Page,
  ) => Promise<{ readonly members: readonly RoomMember[]; readonly total: number } | undefined>;
}
