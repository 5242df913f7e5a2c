import type { AttributeReference, Filter } from '../domain/kernel/filter.js';
import type { Group } from '../domain/group/group.js';
import type { GroupId, RoomId, TenantId, UserId } from '../domain/kernel/ids.js';
import type { User } from '../domain/user/user.js';

/**
 * A position in a sorted list: the sort values, then a unique value. Opaque to all but the reader that
 * returned it; the item at the position may have been deleted since.
 */
export type Position = readonly (string | number)[];

/**
 * Requests the first page, or the page after or before a position. Items that are added or removed
 * between two requests cause no gaps or duplicates (RFC 9865).
 */
export type CursorRequest =
  { readonly to: 'first' } | { readonly to: 'after' | 'before'; readonly position: Position };

/** The positions of adjacent pages; absent if there is none or none was requested. */
export interface PageCursors {
  /** Of the last item: the next page is after it. */
  readonly next?: Position;
  /** Of the first item: the previous page is before it. */
  readonly previous?: Position;
}

export interface GroupQuery {
  /** Members can be filtered by id only (member-selection.ts). */
  readonly filter?: Filter;
  /** Default: by creation, oldest first, then id. */
  readonly sort?: { readonly attribute: AttributeReference; readonly descending: boolean };
  /** Ignored with a cursor. */
  readonly offset: number;
  /** 0: only the total. */
  readonly limit: number;
  /** Present: cursor pagination instead of offsets. */
  readonly cursorRequest?: CursorRequest;
}

export interface GroupMember {
  readonly userId: UserId;
  /** Null without `withNames`. */
  readonly displayName: string | null;
}

export interface MemberQuery {
  readonly withNames: boolean;
}

/** A group in the representation of a user. */
export type GroupOfUser = Pick<Group, 'id' | 'displayName'>;

/** The groups of each user, by display name. Users without groups are not in the map. */
export type GroupsByUser = ReadonlyMap<UserId, readonly GroupOfUser[]>;

/** Reads SCIM groups. Rejects with a RefusalError UNAVAILABLE or INVALID_FILTER. */
export interface GroupReader {
  readonly find: (tenantId: TenantId, id: GroupId) => Promise<Group | undefined>;
  readonly page: (
    tenantId: TenantId,
    query: GroupQuery,
  ) => Promise<{ readonly groups: readonly Group[]; readonly total: number } & PageCursors>;
  /** All members in the order of their ids, in batches: for lists that are too long for memory. */
  readonly members: (group: Group, query: MemberQuery) => AsyncIterable<readonly GroupMember[]>;
  /** The members of several small groups, by group, in the order of their ids. */
  readonly membersOfAll: (
    groups: readonly Group[],
    query: MemberQuery,
  ) => Promise<ReadonlyMap<GroupId, readonly GroupMember[]>>;
  readonly groupsOf: (tenantId: TenantId, userIds: readonly UserId[]) => Promise<GroupsByUser>;
}

/** All conditions must match. */
export interface UserQuery {
  readonly filter?: Filter;
  /** Case-insensitive. */
  readonly email?: string;
  readonly externalId?: string;
  readonly active?: boolean;
  /** The effective role. */
  readonly role?: string;
  /** The tenant's default role, for conditions on roles. */
  readonly defaultRole: string;
  /** Prefix of the e-mail address or display name, case-insensitive. */
  readonly prefix?: string;
  /** Prefix of the e-mail address, user name, display name or a later word of one, case-insensitive. */
  readonly search?: string;
  /** Members of this room; not together with a filter on groups. */
  readonly room?: RoomId;
  /** Default: by creation, oldest first, then id (decisions.md 4). */
  readonly sort?: { readonly attribute: AttributeReference; readonly descending: boolean };
  /** Ignored with a cursor. */
  readonly offset: number;
  /** 0: only the total. */
  readonly limit: number;
  /** Present: cursor pagination instead of offsets. */
  readonly cursorRequest?: CursorRequest;
  /** Whether the users' groups are needed; a lookup by user name then reads them in its query. */
  readonly withGroups?: boolean;
}

/** A page of users. */
export interface UserPage extends PageCursors {
  readonly users: readonly User[];
  readonly total: number;
  /** The users' groups, if they were read in the same query. */
  readonly groupsByUser?: GroupsByUser;
}

/** Reads users. Rejects with a RefusalError UNAVAILABLE or INVALID_FILTER. */
export interface UserReader {
  readonly find: (tenantId: TenantId, id: UserId) => Promise<User | undefined>;
  /** With their groups, by display name, in one query. */
  readonly findWithGroups: (
    tenantId: TenantId,
    id: UserId,
  ) => Promise<{ readonly user: User; readonly groups: readonly GroupOfUser[] } | undefined>;
  readonly page: (tenantId: TenantId, query: UserQuery) => Promise<UserPage>;
}

/** What users are looked up by. */
export type UserKey = 'id' | 'externalId' | 'userName' | 'email';

/** That a user is a member of a group. */
export interface MembershipFact {
  readonly groupId: GroupId;
  readonly userId: UserId;
  /** When it began: a user who is removed and added again has another membership. */
  readonly addedAt: Date;
}

/** Reads of many users and groups by key, in any order. Reject with a RefusalError UNAVAILABLE. */
export interface UserLookups {
  /** User names and e-mail addresses in any case; several users may share an external id. */
  readonly find: (
    tenantId: TenantId,
    by: UserKey,
    values: readonly string[],
  ) => Promise<readonly User[]>;
  /** How often each of these users was changed; deleted ones are missing. A fifth of the work of `find`. */
  readonly versions: (
    tenantId: TenantId,
    ids: readonly UserId[],
  ) => Promise<ReadonlyMap<UserId, number>>;
  /** All active users, oldest first, in batches. */
  readonly activeUsers: (tenantId: TenantId) => AsyncIterable<readonly User[]>;
  /** Groups by display name, in any case. */
  readonly findGroups: (
    tenantId: TenantId,
    displayNames: readonly string[],
  ) => Promise<readonly Group[]>;
  /** Of these users in these groups. */
  readonly memberships: (
    tenantId: TenantId,
    groupIds: readonly GroupId[],
    userIds: readonly UserId[],
  ) => Promise<readonly MembershipFact[]>;
}
