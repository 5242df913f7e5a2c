import type { Actor, Source } from './kernel/actor.js';
import type { Group } from './group/group.js';
import type {
  ApiKeyId,
  CommandId,
  GroupId,
  JobId,
  RecordId,
  RoleMappingId,
  RoomId,
  SmsListId,
  SmsMemberId,
  TenantId,
  UserId,
} from './kernel/ids.js';
import type { Job } from './job/job.js';
import type { JsonObject, JsonValue } from './kernel/json.js';
import type { IfMatch, Refusal } from './kernel/refusals.js';
import type { Membership, Room } from './room/room.js';
import type { Idempotency } from './kernel/stored-response.js';
import type { RoleMapping } from './role/role-mapping.js';
import type { SealedNumber, SmsList, SmsWindow } from './sms/sms-list.js';
import type { ExtensionScope, Scope } from './scopes.js';
import type { CustomAttribute } from './tenant/custom-attributes.js';
import type { RoomProvisioning, ScimSettings } from './tenant/scim-settings.js';
import type { ApiKey, Tenant } from './tenant/tenant.js';
import type { ProfileChange } from './user/profile-changes.js';
import type { User, UserProfile } from './user/user.js';
import type { Texts } from './user/user-texts.js';

interface UserCommand {
  readonly userId: UserId;
  readonly ifMatch?: IfMatch;
}

/** From SCIM, the native interface or a connector. The edge generates the id. */
export type CreateUser = {
  readonly type: 'user.create';
  readonly userId: UserId;
  readonly profile: UserProfile;
  /** By SCIM: an inactive user of this name is reactivated instead, if the tenant's `postExisting` says so. */
  readonly mayReactivate?: true;
};
/** SCIM PUT: replaces the whole profile; absent attributes are cleared (RFC 7644, 3.5.1). */
export type ReplaceUser = UserCommand & {
  readonly type: 'user.replace';
  readonly profile: UserProfile;
  /** The request does not contain `active`, so the status stays. */
  readonly keepsActive?: true;
};
/** Changes of a SCIM PATCH or a connector, applied in the lane so that no update is lost. */
export type PatchUser = UserCommand & {
  readonly type: 'user.patch';
  readonly changes: readonly ProfileChange[];
};
/** Native PATCH. */
export type UpdateUser = UserCommand & {
  readonly type: 'user.update';
  readonly displayName?: string;
  readonly active?: boolean;
  readonly texts?: Texts;
  /** Values of the tenant's schema extension; null removes one. */
  readonly custom?: JsonObject;
};
/** Native DELETE: deactivates the user and keeps the record. */
export type DeactivateUser = UserCommand & { readonly type: 'user.deactivate' };
/** SCIM DELETE: final for clients (decisions.md 4). */
export type DeleteUser = UserCommand & { readonly type: 'user.delete' };

interface RoomCommand {
  readonly roomId: RoomId;
  readonly ifMatch?: IfMatch;
}
interface GroupCommand {
  readonly groupId: GroupId;
  readonly ifMatch?: IfMatch;
}

interface TenantCommand {
  readonly ifMatch?: IfMatch;
}
interface RoleMappingCommand {
  readonly mappingId: RoleMappingId;
  readonly ifMatch?: IfMatch;
}

export type CreateTenant = {
  readonly type: 'tenant.create';
  readonly slug: string;
  readonly name: string;
  readonly seatCapacity: number | null;
  readonly defaultRole: string;
  readonly roomProvisioning: RoomProvisioning;
  /** Absent: null. */
  readonly defaultCountry?: string | null;
  /** Absent settings have their defaults. */
  readonly scim?: Partial<ScimSettings>;
};
export type UpdateTenant = TenantCommand & {
  readonly type: 'tenant.update';
  readonly name?: string;
  readonly seatCapacity?: number | null;
  readonly defaultRole?: string;
  readonly roomProvisioning?: RoomProvisioning;
  readonly defaultCountry?: string | null;
  /** Absent settings do not change. */
  readonly scim?: Partial<ScimSettings>;
  readonly captureUntil?: Date | null;
  /** The whole declaration of the schema extension. */
  readonly customAttributes?: readonly CustomAttribute[];
};
/** Invalidates its API keys immediately and purges its data afterwards (pipeline-rules.md 14). */
export type DeleteTenant = TenantCommand & { readonly type: 'tenant.delete' };

export type CreateApiKey = {
  readonly type: 'api-key.create';
  readonly keyId: ApiKeyId;
  readonly hash: string;
  readonly prefix: string;
  readonly description: string;
  readonly scopes: readonly Scope[];
  /** In the future; absent: never. */
  readonly expiresAt?: Date;
};
export type DeleteApiKey = { readonly type: 'api-key.delete'; readonly keyId: ApiKeyId };
/** Lifts the limit of removals of a key for an hour (tenant-counts.ts). */
export type AllowRemovals = {
  readonly type: 'api-key.allow-removals';
  readonly keyId: ApiKeyId;
};

/** By an operator (decisions.md 5 and 8). */
export type CreateRoom = {
  readonly type: 'room.create';
  readonly roomId: RoomId;
  readonly name: string;
};
export type RenameRoom = RoomCommand & { readonly type: 'room.rename'; readonly name: string };
/** Deletes its memberships and its mapping too. */
export type DeleteRoom = RoomCommand & { readonly type: 'room.delete' };
/** Native PATCH of a room's SCIM mapping; creates one if the room has none. */
export type MapRoom = RoomCommand & {
  readonly type: 'room.map';
  /** For a new mapping. */
  readonly groupId: GroupId;
  readonly displayName?: string;
  readonly externalId?: string | null;
};
/** Native DELETE: deletes the mapping; the room and its members stay. */
export type UnmapRoom = RoomCommand & { readonly type: 'room.unmap' };

export type AddMember = RoomCommand & {
  readonly type: 'member.add';
  readonly userId: UserId;
  readonly txPermission: boolean;
};
export type UpdateMember = RoomCommand & {
  readonly type: 'member.update';
  readonly userId: UserId;
  readonly txPermission: boolean;
};
export type RemoveMember = RoomCommand & {
  readonly type: 'member.remove';
  readonly userId: UserId;
};
/** Native PUT: the complete list; users who are not on it are removed from the room. */
export type SyncMembers = RoomCommand & {
  readonly type: 'member.sync';
  readonly members: readonly { readonly userId: UserId; readonly txPermission?: boolean }[];
};

/** A change of a group's members, in the order of the request (RFC 7644, 3.5.2). */
export type MemberStep =
  | { readonly op: 'add' | 'remove' | 'replace'; readonly userIds: readonly UserId[] }
  | { readonly op: 'removeAll' };

/** SCIM POST. The group needs a room or a role mapping with its name. */
export type CreateGroup = {
  readonly type: 'group.create';
  readonly groupId: GroupId;
  /** For a new room, if the tenant provisions rooms automatically. */
  readonly roomId: RoomId;
  readonly displayName: string;
  readonly externalId: string | null;
  readonly members: readonly UserId[];
  /** Members that can be no user's id, if the tenant leaves out unknown ones. Absent: none. */
  readonly malformed?: readonly string[];
};
/** SCIM PUT and PATCH. */
export type ChangeGroup = GroupCommand & {
  readonly type: 'group.change';
  readonly displayName?: string;
  readonly externalId?: string | null;
  readonly steps: readonly MemberStep[];
  /** As of `CreateGroup`. */
  readonly malformed?: readonly string[];
};
/** SCIM DELETE: deletes the group and its memberships. */
export type DeleteGroup = GroupCommand & { readonly type: 'group.delete' };

export type CreateRoleMapping = {
  readonly type: 'role-mapping.create';
  readonly mappingId: RoleMappingId;
  readonly groupDisplayName: string;
  readonly role: string;
  readonly applyOnScimProvisioning: boolean;
  readonly priority: number;
};
export type UpdateRoleMapping = RoleMappingCommand & {
  readonly type: 'role-mapping.update';
  readonly groupDisplayName?: string;
  readonly role?: string;
  readonly applyOnScimProvisioning?: boolean;
  readonly priority?: number;
};
export type DeleteRoleMapping = RoleMappingCommand & { readonly type: 'role-mapping.delete' };

interface SmsListCommand {
  readonly listId: SmsListId;
  readonly ifMatch?: IfMatch;
}

export type CreateSmsList = SmsWindow & {
  readonly type: 'sms-list.create';
  readonly listId: SmsListId;
  readonly name: string;
  readonly externalId: string | null;
};
export type UpdateSmsList = SmsListCommand &
  Partial<SmsWindow> & {
    readonly type: 'sms-list.update';
    readonly name?: string;
    readonly externalId?: string | null;
  };
/** Deletes its members too. */
export type DeleteSmsList = SmsListCommand & { readonly type: 'sms-list.delete' };

/** A wanted member of a list. The effect of omitted fields depends on the command. */
export interface SmsMemberInput extends Partial<SmsWindow> {
  /** For a number that is new to the list; generated by the edge. */
  readonly id: SmsMemberId;
  readonly number: SealedNumber;
  readonly displayName?: string | null;
}
/** Adds or updates by number. Omitted fields do not change; they are null for a new number. */
export type UpsertSmsMembers = SmsListCommand & {
  readonly type: 'sms-member.upsert';
  readonly members: readonly SmsMemberInput[];
  readonly wantsResults?: true;
  /** Leaves members with an invalid window as they are, instead of refusing the command. */
  readonly skipsInvalid?: true;
};
/** The complete list, without duplicates: omitted fields are null, omitted members are removed. */
export type ReplaceSmsMembers = SmsListCommand & {
  readonly type: 'sms-member.replace';
  readonly members: readonly SmsMemberInput[];
  readonly wantsResults?: true;
  /** As for `sms-member.upsert`: such members are not removed, either. */
  readonly skipsInvalid?: true;
};
export type RemoveSmsMember = SmsListCommand & {
  readonly type: 'sms-member.remove';
  readonly memberId: SmsMemberId;
};
/** By the keys of the numbers. Numbers that are not on the list are skipped. */
export type RemoveSmsNumbers = SmsListCommand & {
  readonly type: 'sms-member.remove-by-number';
  readonly keys: readonly string[];
};
/** The gateway removes some of the members whose window has ended. */
export type SweepSmsMembers = {
  readonly type: 'sms-member.sweep';
  readonly listId: SmsListId;
  readonly endedBy: Date;
};

/** The gateway runs the next step of a job. */
export type StepJob = { readonly type: 'job.step'; readonly jobId: JobId };

/** Operations of a SCIM Bulk request (RFC 7644, 3.7). */
export type BulkableCommand =
  CreateUser | ReplaceUser | PatchUser | DeleteUser | CreateGroup | ChangeGroup | DeleteGroup;
/** Operations that are decided in order and committed together; each may be refused alone. */
export type RunBulk = {
  readonly type: 'bulk';
  readonly operations: readonly BulkOperation[];
  /** After this number of refusals the rest is skipped; null: never. */
  readonly failOnErrors: number | null;
};
export type BulkOperation =
  | {
      /** Generated by the edge, as for a single command. */
      readonly id: CommandId;
      readonly command: BulkableCommand;
    }
  /** An operation that the edge could not read; it counts as an error. */
  | { readonly refusal: Refusal };

/** Changes a plugin's records; `change` names one of the plugin's rules. */
export type ChangePluginRecords = {
  readonly type: 'plugin.change';
  readonly plugin: string;
  readonly change: string;
  /** For a new record; generated by the edge. */
  readonly recordId: RecordId;
  readonly input: JsonObject;
  /** What an API key needs for it, as the plugin declares; null: no key may do it. */
  readonly scope: ExtensionScope | null;
};

/** All commands. A new one needs a result below and a row in command-catalogue.ts. */
export type Command =
  | CreateUser
  | ReplaceUser
  | PatchUser
  | UpdateUser
  | DeactivateUser
  | DeleteUser
  | CreateRoom
  | RenameRoom
  | DeleteRoom
  | MapRoom
  | UnmapRoom
  | AddMember
  | UpdateMember
  | RemoveMember
  | SyncMembers
  | CreateGroup
  | ChangeGroup
  | DeleteGroup
  | CreateRoleMapping
  | UpdateRoleMapping
  | DeleteRoleMapping
  | CreateSmsList
  | UpdateSmsList
  | DeleteSmsList
  | UpsertSmsMembers
  | ReplaceSmsMembers
  | RemoveSmsMember
  | RemoveSmsNumbers
  | SweepSmsMembers
  | StepJob
  | RunBulk
  | CreateTenant
  | UpdateTenant
  | DeleteTenant
  | CreateApiKey
  | DeleteApiKey
  | AllowRemovals
  | ChangePluginRecords;

export type CommandType = Command['type'];
export type CommandOf<Type extends CommandType> = Extract<Command, { readonly type: Type }>;

/** A room with its mapping and the mapped role. */
export interface RoomView {
  readonly room: Room;
  readonly group: Group | null;
  readonly role: string | null;
}

/** Counts of a change of members. Unchanged members are not counted. */
export interface MemberCounts {
  readonly added: number;
  readonly updated: number;
  readonly removed: number;
}

/** `invalid`: only if the command skips such members. */
export type SmsMemberResult = 'added' | 'updated' | 'unchanged' | 'invalid';

export interface SmsMemberCounts extends MemberCounts {
  /** Of each given member, in order, if the command asks for them. */
  readonly results?: readonly SmsMemberResult[];
}

/** The outcome of an operation of a Bulk; null if it was skipped. */
export type BulkOutcome =
  { readonly result: User | Group | null } | { readonly refusal: Refusal } | null;

/** The results of successful commands. */
export interface Results {
  readonly 'user.create': User;
  readonly 'user.replace': User;
  readonly 'user.patch': User;
  readonly 'user.update': User;
  readonly 'user.deactivate': User;
  readonly 'user.delete': null;
  readonly 'room.create': RoomView;
  readonly 'room.rename': RoomView;
  readonly 'room.delete': null;
  readonly 'room.map': RoomView;
  readonly 'room.unmap': null;
  readonly 'member.add': Membership;
  readonly 'member.update': Membership;
  readonly 'member.remove': null;
  readonly 'member.sync': MemberCounts;
  readonly 'group.create': Group;
  readonly 'group.change': Group;
  readonly 'group.delete': null;
  readonly 'role-mapping.create': RoleMapping;
  readonly 'role-mapping.update': RoleMapping;
  readonly 'role-mapping.delete': null;
  readonly 'sms-list.create': SmsList;
  readonly 'sms-list.update': SmsList;
  readonly 'sms-list.delete': null;
  readonly 'sms-member.upsert': SmsMemberCounts;
  readonly 'sms-member.replace': SmsMemberCounts;
  readonly 'sms-member.remove': null;
  readonly 'sms-member.remove-by-number': MemberCounts;
  readonly 'sms-member.sweep': MemberCounts;
  readonly 'job.step': Job | null;
  readonly bulk: readonly BulkOutcome[];
  readonly 'tenant.create': Tenant;
  readonly 'tenant.update': Tenant;
  readonly 'tenant.delete': null;
  readonly 'api-key.create': ApiKey;
  readonly 'api-key.delete': null;
  /** Until when. */
  readonly 'api-key.allow-removals': Date;
  readonly 'plugin.change': JsonValue;
}

/** What a Bulk and its operations share, except the id. */
export interface CommandContext {
  /** Generated by the edge. The key of the log entry, which shows whether a lost commit succeeded. */
  readonly id: CommandId;
  readonly tenantId: TenantId;
  readonly actor: Actor;
  readonly source: Source;
  readonly requestId: string;
  /** The scope that permits it; absent if no API key acts. */
  readonly scope?: Scope;
}

/** A command with its context. */
export interface Envelope<Type extends CommandType = CommandType> extends CommandContext {
  readonly command: CommandOf<Type>;
  /** A repeated request with the same key gets the first outcome again (decisions.md 3). */
  readonly idempotency?: Idempotency;
  /**
   * The id stands for the change itself: while the provisioning log has a change with this id, it is
   * not made again, and its result is returned. A refused one is decided again.
   */
  readonly takesEffectOnce?: true;
}
