import type { Group } from '../domain/group/group.js';
import type { TenantId, UserId } from '../domain/kernel/ids.js';
import type { Membership, Room } from '../domain/room/room.js';
import type { RoleMapping } from '../domain/role/role-mapping.js';
import type { User } from '../domain/user/user.js';
import type { CommandLogEntry } from '../pipeline/commit-store.js';

/** A user, including deleted ones. */
export interface FoundUser {
  readonly user: User;
  /** Null: not deleted. */
  readonly deletedAt: Date | null;
}

/** A room or role-only group that a user is in, and the role mapping for its group's name. */
export interface UserRoster {
  readonly room: Room | null;
  readonly group: Group | null;
  readonly mapping: RoleMapping | null;
}

/** A role mapping, and the group it is for, if there is one. */
export interface MappingWithGroup {
  readonly mapping: RoleMapping;
  readonly group: Group | null;
}

/** Everything that determines a user's role. */
export interface RoleFacts {
  readonly rosters: readonly UserRoster[];
  /** Whether the user is on more rosters than were read. */
  readonly isPartial: boolean;
  /** The first mappings for groups that the user is not in. */
  readonly others: readonly MappingWithGroup[];
  /** Whether a job is recomputing roles. */
  readonly isRecomputing: boolean;
  /** The last commands that changed the user, newest first. */
  readonly commands: readonly CommandLogEntry[];
}

/** What the provisioning log has on a user who is not in a room. */
export type FormerMembership =
  | {
      readonly is: 'removed';
      readonly at: Date;
      /** The command that removed the user; of a job, the command that started it. */
      readonly by: CommandLogEntry;
    }
  | { readonly is: 'never_added' }
  /** The log does not reach back to when both existed, or has too many entries to search. */
  | { readonly is: 'unknown'; readonly searchedSince: Date | null };

/** Everything that determines whether a user is in a room. */
export interface RoomFacts {
  readonly group: Group | null;
  readonly membership: Membership | null;
  /** The group of the room's name, if it is not the room's own. */
  readonly namesake: Group | null;
  /** The command that added the user; null if it is no longer in the log. */
  readonly addedBy: CommandLogEntry | null;
  /** Null for a member. */
  readonly former: FormerMembership | null;
  /** The last commands that changed both the user and the room, newest first. */
  readonly commands: readonly CommandLogEntry[];
}

/** Reads for `explain`, each of bounded size. Rejects with a RefusalError UNAVAILABLE. */
export interface ExplainReader {
  /** By id, e-mail or user name. */
  readonly findUser: (tenantId: TenantId, text: string) => Promise<FoundUser | undefined>;
  /** By id or name. */
  readonly findRoom: (tenantId: TenantId, text: string) => Promise<Room | undefined>;
  readonly role: (tenantId: TenantId, userId: UserId) => Promise<RoleFacts>;
  readonly room: (
    tenantId: TenantId,
    user: Pick<User, 'id' | 'createdAt'>,
    room: Pick<Room, 'id' | 'name' | 'createdAt'>,
  ) => Promise<RoomFacts>;
}
