import type { Source } from '../domain/kernel/actor.js';
import type { CommandType } from '../domain/commands.js';
import type { ApiKeyId, TenantId, UserId } from '../domain/kernel/ids.js';
import type { CommandLogEntry, LogOutcome } from '../pipeline/commit-store.js';
import type { Group } from '../domain/group/group.js';
import type { Membership, Room } from '../domain/room/room.js';
import type { RoleMapping } from '../domain/role/role-mapping.js';
import type { User } from '../domain/user/user.js';

/** A position in the log: of an entry, or of the last one that was read. */
export interface LogPosition {
  readonly at: Date;
  readonly id: string;
}

/** A query of the provisioning log; all conditions must match. */
export interface CommandLogQuery {
  readonly limit: number;
  /** Default: from the newest entry. */
  readonly after?: LogPosition;
  readonly type?: CommandType;
  readonly outcome?: LogOutcome;
  readonly source?: Source;
  /** Id or name of the subject. */
  readonly subject?: string;
  /** A user or room that the command changed, as subject or otherwise: id, or user name or email. */
  readonly affected?: string;
  /** Ids of resources, each of which must be the subject or affected. */
  readonly touching?: readonly string[];
  /** Id of an API key, or name of an operator. */
  readonly actor?: string;
  readonly requestId?: string;
  /** With unknown members that were left out. */
  readonly skipped?: true;
  /** Part of a name or id in the entry, case-insensitively. */
  readonly text?: string;
  /** since ≤ at < until. */
  readonly since?: Date;
  readonly until?: Date;
}

/** How far a tenant's log is written. Everything up to there can be read. */
export interface LogEnd {
  /** The time of the last commit. Those of a tenant are in order: the next one is later. */
  readonly committedAt: Date;
  /** The number of entries without a commit; their numbers are in the order of visibility. */
  readonly unapplied: number;
}

interface CommandLogPage {
  /** May have fewer entries than the limit, even none, although there is a next page. */
  readonly entries: readonly CommandLogEntry[];
  /** Where the next page starts; absent after the last page. */
  readonly next?: LogPosition;
}

/** Reads the provisioning log, newest first by time, then id. */
export interface CommandLogReader {
  readonly page: (tenantId: TenantId, query: CommandLogQuery) => Promise<CommandLogPage>;
  readonly find: (tenantId: TenantId, id: string) => Promise<CommandLogEntry | undefined>;
  /** How far the logs of these tenants are written: two queries, for any number of tenants. */
  readonly ends: (tenantIds: readonly TenantId[]) => Promise<ReadonlyMap<TenantId, LogEnd>>;
  /** Positions after one, up to and including a time, oldest first, read from an index. */
  readonly positions: (
    tenantId: TenantId,
    query: { readonly after: LogPosition; readonly until: Date; readonly limit: number },
  ) => Promise<readonly LogPosition[]>;
  /** Entries without a commit after this number, oldest first. */
  readonly unapplied: (
    tenantId: TenantId,
    query: { readonly after: number; readonly limit: number },
  ) => Promise<readonly CommandLogEntry[]>;
  /**
   * Refused creations of something, and deletions of users, with a word in the name that begins like
   * this, newest first: the last of each.
   */
  readonly tried: (tenantId: TenantId, beginning: string) => Promise<readonly CommandLogEntry[]>;
  /**
   * The first success and the last failure of each step that an API key takes to connect an identity
   * provider, newest first.
   */
  readonly setupOf: (tenantId: TenantId, keyId: ApiKeyId) => Promise<readonly CommandLogEntry[]>;
  /** Those of these entries that exist, oldest first. */
  readonly findAll: (
    tenantId: TenantId,
    ids: readonly string[],
  ) => Promise<readonly CommandLogEntry[]>;
}

/** From `from`, before `until`. */
export interface Period {
  readonly from: Date;
  readonly until: Date;
}

/** Numbers of commands by outcome, and of events. */
export interface ActivityPoint {
  readonly at: Date;
  readonly applied: number;
  readonly unchanged: number;
  readonly refused: number;
  readonly failed: number;
  readonly events: number;
}

/** Commands that are counted at most: per outcome, and per hour or shorter step. */
export const MAX_COUNTED_COMMANDS = 100_000;

/** Counts of the provisioning log, from its indexes. */
export interface ActivityReader {
  /** Commands with this outcome, counted up to `MAX_COUNTED_COMMANDS`. */
  readonly count: (tenantId: TenantId, outcome: LogOutcome, period: Period) => Promise<number>;
  /** One point per step. Both ends must be multiples of the step, which divides an hour or is a multiple of it. */
  readonly points: (
    tenantId: TenantId,
    period: Period & { readonly stepMs: number },
  ) => Promise<readonly ActivityPoint[]>;
}

/** A user, including deleted ones. */
export interface FoundUser {
  readonly user: User;
  /** Null: not deleted. */
  readonly deletedAt: Date | null;
  /** The command that deleted the user, if the log has it. */
  readonly deletedBy?: CommandLogEntry | undefined;
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

/** Whatever has a similar name as a room, the first ones of each. */
export interface SimilarNames {
  /** With the group that is mapped to each. */
  readonly rooms: readonly { readonly room: Room; readonly group: Group | null }[];
  /** Groups without a room. */
  readonly groups: readonly Group[];
  /** The last attempts to create groups that do not exist. */
  readonly refused: readonly CommandLogEntry[];
}

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
  /** Refused commands that would have added the user, or were about the user, newest first. */
  readonly refused: readonly CommandLogEntry[];
  /** The command that deactivated the user; null of an active one, or if the log no longer has it. */
  readonly deactivatedBy: CommandLogEntry | null;
  /** Ids of those of these groups that an identity provider has changed. */
  readonly pushed: ReadonlySet<string>;
  /** The command that took the group from the room; null: none, or the room has one again. */
  readonly unmappedBy: CommandLogEntry | null;
  /** The last change of the room's group that left out unknown members; null for a member. */
  readonly skippedBy: CommandLogEntry | null;
  /** Groups without a room that the user is in; empty if the room has a group. */
  readonly roomless: readonly Group[];
  /** Empty if the room has a group. */
  readonly similar: SimilarNames;
  /** The last commands that changed both the user and the room, newest first. */
  readonly commands: readonly CommandLogEntry[];
}

/** Reads for `explain`, each of bounded size. Rejects with a RefusalError UNAVAILABLE. */
export interface ExplainReader {
  /** By id, e-mail or user name. */
  readonly findUser: (tenantId: TenantId, text: string) => Promise<FoundUser | undefined>;
  /** Who has the user name or address that this command was refused for. */
  readonly holderOf: (
    tenantId: TenantId,
    refused: CommandLogEntry,
  ) => Promise<FoundUser | undefined>;
  /** The user who was deleted last of those with a word in the name that begins like this. */
  readonly findDeleted: (tenantId: TenantId, text: string) => Promise<FoundUser | undefined>;
  /** By id or name. */
  readonly findRoom: (tenantId: TenantId, text: string) => Promise<Room | undefined>;
  /** Refused creations of users with a word in their name that begins like this, newest first. */
  readonly refusedUsers: (tenantId: TenantId, text: string) => Promise<readonly CommandLogEntry[]>;
  /** Names of users whose creation was refused with this code lately, and who do not exist. */
  readonly missingUsers: (tenantId: TenantId, code: string) => Promise<readonly string[]>;
  readonly similar: (tenantId: TenantId, roomName: string) => Promise<SimilarNames>;
  /** The last commands that created, renamed or deleted a room of this name, newest first. */
  readonly roomHistory: (tenantId: TenantId, name: string) => Promise<readonly CommandLogEntry[]>;
  readonly role: (tenantId: TenantId, userId: UserId) => Promise<RoleFacts>;
  readonly room: (
    tenantId: TenantId,
    user: Pick<User, 'id' | 'createdAt' | 'profile'>,
    room: Pick<Room, 'id' | 'name' | 'createdAt'>,
  ) => Promise<RoomFacts>;
}

/** One side of a captured request, masked. */
export interface CapturedMessage {
  readonly headers: Readonly<Record<string, string>>;
  /** Null: there was none, or it was left out because it may contain a secret. */
  readonly body: string | null;
  /** The body was longer. */
  readonly isCut: boolean;
}

/** What is known of a captured request without its messages. */
export interface CapturedSummary {
  readonly id: string;
  readonly at: Date;
  readonly method: string;
  /** With the query, masked. */
  readonly path: string;
  readonly status: number;
  readonly keyId: ApiKeyId;
  readonly userAgent: string | null;
  readonly durationMs: number;
  readonly requestId: string;
  /** Length of the request's body. */
  readonly bytes: number;
}

/** A request of a tenant and its response, without secrets and phone numbers. */
export interface CapturedRequest extends CapturedSummary {
  readonly tenantId: TenantId;
  readonly request: CapturedMessage;
  readonly response: CapturedMessage;
  /** Why it cannot be replayed: 'its body was longer than 64 KiB'. */
  readonly obstacle: string | null;
}

/** Captured requests, for 24 hours. Every method rejects with UNAVAILABLE. */
export interface CapturedRequests {
  /** Adds them; the oldest of a tenant leave first, when it has too many. */
  readonly add: (requests: readonly CapturedRequest[]) => Promise<void>;
  /** Newest first. */
  readonly page: (
    tenantId: TenantId,
    query: { readonly limit: number; readonly after?: LogPosition },
  ) => Promise<{ readonly requests: readonly CapturedSummary[]; readonly next?: LogPosition }>;
  readonly find: (tenantId: TenantId, id: string) => Promise<CapturedRequest | undefined>;
}
