import type { RoomView } from '../domain/commands.js';
import type { RoomId, TenantId, UserId, GroupId, RoleMappingId } from '../domain/kernel/ids.js';
import type { EntityReader, Page, PageOf } from './entity-reader.js';
import type { Group } from '../domain/group/group.js';
import type { Room } from '../domain/room/room.js';
import type { Tenant } from '../domain/tenant/tenant.js';
import type { RoleMapping } from '../domain/role/role-mapping.js';

/** All conditions must match. */
export interface RoomConditions {
  /** Case-insensitive. */
  readonly name?: string;
  /** Whether the room has a SCIM group mapping. */
  readonly mapped?: boolean;
  /** The role that the room's group gives to its members. */
  readonly role?: string;
  /** The beginning of the name or of words of it, case-insensitive. */
  readonly search?: string;
  /** Default: in order of creation. */
  readonly sort?: { readonly by: 'name' | 'created'; readonly descending: boolean };
}

/** A member of a room with the user's details. */
export interface RoomMember {
  readonly userId: UserId;
  readonly txPermission: boolean;
  readonly email: string | null;
  readonly displayName: string;
  readonly active: boolean;
  readonly addedAt: Date;
}

type ReadMemberPage<Id> = (
  tenantId: TenantId,
  id: Id,
  page: Page,
) => Promise<PageOf<RoomMember> | undefined>;

/** A room that a user is in. */
export interface UserRoom {
  readonly id: RoomId;
  readonly name: string;
  readonly txPermission: boolean;
  readonly addedAt: Date;
}

/** A complete list, read in batches while it is written to the response. */
export interface CompleteList<Item> {
  readonly items: AsyncIterable<Item>;
  /** Number of items at the start of the read, including skipped ones. */
  readonly total: number;
}

/**
 * Reads rooms, and members in the order of their ids. Rejects with a RefusalError
 * UNAVAILABLE.
 */
export interface RoomReader extends EntityReader<RoomId, RoomView, RoomConditions> {
  /** Rooms with a SCIM group mapping, counted up to 10,000. */
  readonly countMapped: (tenantId: TenantId) => Promise<number>;
  readonly all: (
    tenantId: TenantId,
    query: RoomConditions & Pick<Page, 'offset'>,
  ) => Promise<CompleteList<RoomView>>;
  /** Undefined if the room does not exist. */
  readonly memberPage: ReadMemberPage<RoomId>;
  /** The rooms of a user by name; of the first 1,000. */
  readonly roomsOf: (tenantId: TenantId, userId: UserId, page: Page) => Promise<PageOf<UserRoom>>;
  readonly allMembers: (
    tenantId: TenantId,
    id: RoomId,
    page: Pick<Page, 'offset'>,
  ) => Promise<CompleteList<RoomMember> | undefined>;
}

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
  /** The beginning of the name or of words of it, case-insensitive. */
  readonly search?: string;
  /** Default: in order of creation. */
  readonly sort?: { readonly by: 'name' | 'created' | 'updated'; readonly descending: boolean };
}

/** Reads SCIM groups for operators. */
export interface GroupViewReader extends EntityReader<GroupId, GroupView, GroupConditions> {
  /** In the order of their ids; undefined if the group does not exist. */
  readonly memberPage: ReadMemberPage<GroupId>;
}

interface RoleMappingConditions {
  /** Case-insensitive. */
  readonly groupDisplayName?: string;
}

/** What has one of some names, and the rooms of these groups. */
export interface NamedDirectory {
  readonly mappings: readonly RoleMapping[];
  readonly groups: readonly Group[];
  readonly rooms: readonly Room[];
}

/** How many users have a role. */
export type RoleCount = number;

type TenantRoles = Pick<Tenant, 'id' | 'defaultRole'>;

/** Reads the roles of a tenant: the default role, and those of role mappings that apply. */
export interface RoleReader {
  /** In ascending order. */
  readonly names: (tenant: TenantRoles) => Promise<readonly string[]>;
  /** How many users have each of these roles; none of a tenant with too many to count. */
  readonly counts: (
    tenant: TenantRoles,
    names: readonly string[],
  ) => Promise<ReadonlyMap<string, RoleCount>>;
}

/** Reads role mappings, oldest first. */
export interface RoleMappingReader extends EntityReader<
  RoleMappingId,
  RoleMapping,
  RoleMappingConditions
> {
  /** Everything that decides the role and rooms of a user in groups with these names. */
  readonly named: (tenantId: TenantId, names: readonly string[]) => Promise<NamedDirectory>;
}
