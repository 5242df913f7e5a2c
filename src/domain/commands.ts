import type { Actor, Source } from './actor.js';
import type { Group } from './group.js';
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
} from './ids.js';
import type { Job } from './job.js';
import type { JsonObject, JsonValue } from './json.js';
import type { PatchOperation } from './patch-operation.js';
import type { IfMatch } from './precondition.js';
import type { Membership } from './membership.js';
import type { Idempotency } from './remembered-answer.js';
import type { Refusal } from './refusals.js';
import type { RoleMapping } from './role-mapping.js';
import type { Room } from './room.js';
import type { SealedNumber } from './phone-number.js';
import type { Scope } from './scopes.js';
import type { SmsList } from './sms-list.js';
import type { SmsWindow } from './sms-window.js';
import type { RoomProvisioning, ScimSettings, Tenant } from './tenant.js';
import type { User, UserProfile } from './user.js';
import type { ApiKey } from './api-key.js';

interface OnUser {
  readonly userId: UserId;
  readonly ifMatch?: IfMatch;
}

/** A user comes to be, from SCIM, the native interface or a connector. The id is made at the edge. */
export type CreateUser = {
  readonly type: 'user.create';
  readonly userId: UserId;
  readonly profile: UserProfile;
};
/** SCIM PUT: the whole profile anew; what is not in it is cleared (RFC 7644, 3.5.1). */
export type ReplaceUser = OnUser & {
  readonly type: 'user.replace';
  readonly profile: UserProfile;
  /** Who was deactivated stays so, and who was not: the request does not say. */
  readonly keepsActive?: true;
};
/** SCIM PATCH: applied inside the lane, so that no update is lost (RFC 7644, 3.5.2). */
export type PatchUser = OnUser & {
  readonly type: 'user.patch';
  readonly operations: readonly PatchOperation[];
};
/** Native PATCH: display name and/or active status. */
export type UpdateUser = OnUser & {
  readonly type: 'user.update';
  readonly displayName?: string;
  readonly active?: boolean;
};
/** Native DELETE: the user is deactivated, the record retained. */
export type DeactivateUser = OnUser & { readonly type: 'user.deactivate' };
/** SCIM DELETE: final for the outside (decisions.md 4). */
export type DeleteUser = OnUser & { readonly type: 'user.delete' };

interface OnRoom {
  readonly roomId: RoomId;
  readonly ifMatch?: IfMatch;
}
interface OnGroup {
  readonly groupId: GroupId;
  readonly ifMatch?: IfMatch;
}

interface OnTenant {
  readonly ifMatch?: IfMatch;
}
interface OnRoleMapping {
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
  /** Settings that are absent have their defaults. */
  readonly scim?: Partial<ScimSettings>;
};
export type UpdateTenant = OnTenant & {
  readonly type: 'tenant.update';
  readonly name?: string;
  readonly seatCapacity?: number | null;
  readonly defaultRole?: string;
  readonly roomProvisioning?: RoomProvisioning;
  readonly defaultCountry?: string | null;
  /** Settings that are absent stay as they are. */
  readonly scim?: Partial<ScimSettings>;
};
/** A tombstone: its keys are dead at once, its data is purged afterwards (pipeline-rules.md 14). */
export type DeleteTenant = OnTenant & { readonly type: 'tenant.delete' };

export type CreateApiKey = {
  readonly type: 'api-key.create';
  readonly keyId: ApiKeyId;
  readonly hash: string;
  readonly prefix: string;
  readonly description: string;
  readonly scopes: readonly Scope[];
};
export type DeleteApiKey = { readonly type: 'api-key.delete'; readonly keyId: ApiKeyId };

/** An operator makes, renames or removes a room (decisions.md 5 and 8). */
export type CreateRoom = {
  readonly type: 'room.create';
  readonly roomId: RoomId;
  readonly name: string;
};
export type RenameRoom = OnRoom & { readonly type: 'room.rename'; readonly name: string };
/** Its memberships and its mapping go with it. */
export type DeleteRoom = OnRoom & { readonly type: 'room.delete' };
/** Native PATCH of a room's SCIM mapping; on a room without one it makes one. */
export type MapRoom = OnRoom & {
  readonly type: 'room.map';
  /** For a mapping that comes to be. */
  readonly groupId: GroupId;
  readonly displayName?: string;
  readonly externalId?: string | null;
};
/** Native DELETE: the mapping goes, room and members stay. */
export type UnmapRoom = OnRoom & { readonly type: 'room.unmap' };

export type AddMember = OnRoom & {
  readonly type: 'member.add';
  readonly userId: UserId;
  readonly txPermission: boolean;
};
export type UpdateMember = OnRoom & {
  readonly type: 'member.update';
  readonly userId: UserId;
  readonly txPermission: boolean;
};
export type RemoveMember = OnRoom & { readonly type: 'member.remove'; readonly userId: UserId };
/** Native PUT: the complete list; who is not in it leaves the room. */
export type SyncMembers = OnRoom & {
  readonly type: 'member.sync';
  readonly members: readonly { readonly userId: UserId; readonly txPermission?: boolean }[];
};

/** One step of a change of a group's members, in the order of the request (RFC 7644, 3.5.2). */
export type MemberStep =
  | { readonly op: 'add' | 'remove' | 'replace'; readonly userIds: readonly UserId[] }
  | { readonly op: 'removeAll' };

/** An identity provider pushes a group; it needs a room or a role mapping of its name. */
export type CreateGroup = {
  readonly type: 'group.create';
  readonly groupId: GroupId;
  /** For the room that is made where the tenant makes rooms by itself. */
  readonly roomId: RoomId;
  readonly displayName: string;
  readonly externalId: string | null;
  readonly members: readonly UserId[];
};
/** SCIM PUT and PATCH, for a group's own attributes and its members come down to the same. */
export type ChangeGroup = OnGroup & {
  readonly type: 'group.change';
  readonly displayName?: string;
  readonly externalId?: string | null;
  readonly steps: readonly MemberStep[];
};
/** SCIM DELETE: the group goes, and the memberships it stands for with it. */
export type DeleteGroup = OnGroup & { readonly type: 'group.delete' };

export type CreateRoleMapping = {
  readonly type: 'role-mapping.create';
  readonly mappingId: RoleMappingId;
  readonly groupDisplayName: string;
  readonly role: string;
  readonly applyOnScimProvisioning: boolean;
  readonly priority: number;
};
export type UpdateRoleMapping = OnRoleMapping & {
  readonly type: 'role-mapping.update';
  readonly groupDisplayName?: string;
  readonly role?: string;
  readonly applyOnScimProvisioning?: boolean;
  readonly priority?: number;
};
export type DeleteRoleMapping = OnRoleMapping & { readonly type: 'role-mapping.delete' };

interface OnSmsList {
  readonly listId: SmsListId;
  readonly ifMatch?: IfMatch;
}

export type CreateSmsList = SmsWindow & {
  readonly type: 'sms-list.create';
  readonly listId: SmsListId;
  readonly name: string;
  readonly externalId: string | null;
};
export type UpdateSmsList = OnSmsList &
  Partial<SmsWindow> & {
    readonly type: 'sms-list.update';
    readonly name?: string;
    readonly externalId?: string | null;
  };
/** Its members go with it. */
export type DeleteSmsList = OnSmsList & { readonly type: 'sms-list.delete' };

/** A number that is to be on a list; what is left out depends on the command. */
export interface GivenSmsMember extends Partial<SmsWindow> {
  /** For a number that is new to the list; made at the edge. */
  readonly id: SmsMemberId;
  readonly number: SealedNumber;
  readonly displayName?: string | null;
}
/** Adds or updates by number; what is left out stays as it is, and is null for a new number. */
export type UpsertSmsMembers = OnSmsList & {
  readonly type: 'sms-member.upsert';
  readonly members: readonly GivenSmsMember[];
};
/** The complete list: what is left out is null, who is left out leaves. No number comes twice. */
export type ReplaceSmsMembers = OnSmsList & {
  readonly type: 'sms-member.replace';
  readonly members: readonly GivenSmsMember[];
};
export type RemoveSmsMember = OnSmsList & {
  readonly type: 'sms-member.remove';
  readonly memberId: SmsMemberId;
};
/** By the keys of their numbers; one that is not on the list is passed over. */
export type RemoveSmsNumbers = OnSmsList & {
  readonly type: 'sms-member.remove-by-number';
  readonly keys: readonly string[];
};
/** The gateway removes some of those whose window had ended by then. */
export type SweepSmsMembers = {
  readonly type: 'sms-member.sweep';
  readonly listId: SmsListId;
  readonly endedBy: Date;
};

/** The gateway does the next piece of a job. */
export type StepJob = { readonly type: 'job.step'; readonly jobId: JobId };

/** What a SCIM Bulk request may hold (RFC 7644, 3.7). */
export type BulkableCommand =
  CreateUser | ReplaceUser | PatchUser | DeleteUser | CreateGroup | ChangeGroup | DeleteGroup;
/** Many operations, decided in this order and committed together; each is refused on its own. */
export type RunBulk = {
  readonly type: 'bulk';
  readonly operations: readonly BulkOperation[];
  /** After so many refusals the rest is left undone; null: never. */
  readonly failOnErrors: number | null;
};
export type BulkOperation =
  | {
      /** Made at the edge, as for a command of its own. */
      readonly id: CommandId;
      readonly command: BulkableCommand;
    }
  /** One that the edge could not read; it counts among the errors in its place. */
  | { readonly refusal: Refusal };

/** A plugin changes its own records; `change` names one of the rules that the plugin declares. */
export type ChangePluginRecords = {
  readonly type: 'plugin.change';
  readonly plugin: string;
  readonly change: string;
  /** For a new record; made at the edge, like every id. */
  readonly recordId: RecordId;
  readonly input: JsonObject;
};

/** Everything that can change state. Adding one lights up every place that must know it. */
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
  | ChangePluginRecords;

export type CommandType = Command['type'];
export type CommandOf<Type extends CommandType> = Extract<Command, { readonly type: Type }>;

/** A room with its mapping and the role that goes with it. */
export interface RoomView {
  readonly room: Room;
  readonly group: Group | null;
  readonly role: string | null;
}

/** What a sync of members came to; who stays as he was counts nowhere. */
export interface MemberCounts {
  readonly added: number;
  readonly updated: number;
  readonly removed: number;
}

/** How one operation of a Bulk ended; null for one that was left undone. */
export type BulkOutcome =
  { readonly result: User | Group | null } | { readonly refusal: Refusal } | null;

/** What a command that was carried out answers with. */
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
  readonly 'sms-member.upsert': MemberCounts;
  readonly 'sms-member.replace': MemberCounts;
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
  readonly 'plugin.change': JsonValue;
}

/** By whom, for which tenant and how a command came. */
export interface CommandContext {
  /** Made at the edge; the command log's key, by which an unknown outcome is found again. */
  readonly id: CommandId;
  readonly tenantId: TenantId;
  readonly actor: Actor;
  readonly source: Source;
  readonly requestId: string;
  /** The scope that permits it; absent if no API key acts. */
  readonly scope?: Scope;
  /** Present: asked again, it gets the first answer (decisions.md 3). */
  readonly idempotency?: Idempotency;
}

/** A command on its way. */
export interface Envelope<Type extends CommandType = CommandType> extends CommandContext {
  readonly command: CommandOf<Type>;
}
