import type { AttributeReference, Filter } from '../domain/kernel/filter.js';
import type { Group } from '../domain/group/group.js';
import type { GroupId, TenantId, UserId } from '../domain/kernel/ids.js';
import type { PageCursors, CursorRequest } from './paging.js';

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
