import type { Actor, Source } from './actor.js';
import type { ApiKeyId, CommandId, RecordId, TenantId, UserId } from './ids.js';
import type { JsonObject, JsonValue } from './json.js';
import type { PatchOperation } from './patch-operation.js';
import type { Idempotency } from './remembered-answer.js';
import type { Scope } from './scopes.js';
import type { RoomProvisioning, Tenant } from './tenant.js';
import type { User, UserProfile } from './user.js';
import type { ApiKey } from './api-key.js';

/**
 * A precondition (RFC 9110, 13.1.1): the versions one of which the resource must have, or '*' for
 * any. Absent: none. A resource of another version is refused with PRECONDITION_FAILED.
 */
export type IfMatch = readonly number[] | '*';

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
export type ReplaceUser = OnUser & { readonly type: 'user.replace'; readonly profile: UserProfile };
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

export type CreateTenant = {
  readonly type: 'tenant.create';
  readonly slug: string;
  readonly name: string;
  readonly seatCapacity: number | null;
  readonly defaultRole: string;
  readonly roomProvisioning: RoomProvisioning;
};
export type UpdateTenant = {
  readonly type: 'tenant.update';
  readonly name?: string;
  readonly seatCapacity?: number | null;
  readonly defaultRole?: string;
  readonly roomProvisioning?: RoomProvisioning;
};
/** A tombstone: its keys are dead at once, its data is purged afterwards (pipeline-rules.md 14). */
export type DeleteTenant = { readonly type: 'tenant.delete' };

export type CreateApiKey = {
  readonly type: 'api-key.create';
  readonly keyId: ApiKeyId;
  readonly hash: string;
  readonly prefix: string;
  readonly description: string;
  readonly scopes: readonly Scope[];
};
export type DeleteApiKey = { readonly type: 'api-key.delete'; readonly keyId: ApiKeyId };

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
  | CreateTenant
  | UpdateTenant
  | DeleteTenant
  | CreateApiKey
  | DeleteApiKey
  | ChangePluginRecords;

export type CommandType = Command['type'];
export type CommandOf<Type extends CommandType> = Extract<Command, { readonly type: Type }>;

/** What a command that was carried out answers with. */
export interface Results {
  readonly 'user.create': User;
  readonly 'user.replace': User;
  readonly 'user.patch': User;
  readonly 'user.update': User;
  readonly 'user.deactivate': User;
  readonly 'user.delete': null;
  readonly 'tenant.create': Tenant;
  readonly 'tenant.update': Tenant;
  readonly 'tenant.delete': null;
  readonly 'api-key.create': ApiKey;
  readonly 'api-key.delete': null;
  readonly 'plugin.change': JsonValue;
}

/** A command on its way: what is asked, by whom, for which tenant. */
export interface Envelope<Type extends CommandType = CommandType> {
  /** Made at the edge; the command log's key, by which an unknown outcome is found again. */
  readonly id: CommandId;
  readonly tenantId: TenantId;
  readonly command: CommandOf<Type>;
  readonly actor: Actor;
  readonly source: Source;
  readonly requestId: string;
  /** Present: asked again, it gets the first answer (decisions.md 3). */
  readonly idempotency?: Idempotency;
}
