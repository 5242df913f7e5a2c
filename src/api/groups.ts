import type { AttributeReference, Filter } from '../domain/filter.js';
import type { Group } from '../domain/group.js';
import type { GroupId, TenantId, UserId } from '../domain/ids.js';
import type { Neighbours, Turn } from './paging.js';

/** Which SCIM groups, in which order, which part of them. */
export interface GroupQuery {
  /** Of members it may ask who they are (member-selection.ts). */
  readonly filter?: Filter;
  /** Absent: by creation, oldest first, then id. */
  readonly sort?: { readonly attribute: AttributeReference; readonly descending: boolean };
  /** Of no account where there is a turn. */
  readonly offset: number;
  /** 0 asks for the total alone. */
  readonly limit: number;
  /** Present: pages are found by places, not by numbers. */
  readonly turn?: Turn;
}

export interface GroupMember {
  readonly userId: UserId;
  /** Null where nobody asked for names. */
  readonly displayName: string | null;
}

export interface MemberQuery {
  readonly withNames: boolean;
}

/** A group as its members show it. */
export type GroupOfUser = Pick<Group, 'id' | 'displayName'>;

/**
 * Reads of SCIM groups; they do not pass the pipeline. Each rejects with RefusalError UNAVAILABLE, or
 * INVALID_FILTER.
 */
export interface GroupReader {
  readonly find: (tenantId: TenantId, id: GroupId) => Promise<Group | undefined>;
  readonly page: (
    tenantId: TenantId,
    query: GroupQuery,
  ) => Promise<{ readonly groups: readonly Group[]; readonly total: number } & Neighbours>;
  /** All members in the order of their ids, some at a time: for lists too long to hold. */
  readonly members: (group: Group, query: MemberQuery) => AsyncIterable<readonly GroupMember[]>;
  /** The members of groups that have few, by group, in the order of their ids. */
  readonly membersOfAll: (
    groups: readonly Group[],
    query: MemberQuery,
  ) => Promise<ReadonlyMap<GroupId, readonly GroupMember[]>>;
  /** The groups that each of these users is in, by display name; who is in none is not in the map. */
  readonly groupsOf: (
    tenantId: TenantId,
    userIds: readonly UserId[],
  ) => Promise<ReadonlyMap<UserId, readonly GroupOfUser[]>>;
}
