import type {
  BulkableCommand,
  ChangeGroup,
  CreateGroup,
  CreateUser,
  DeleteGroup,
  DeleteUser,
  PatchUser,
  ReplaceUser,
} from '../domain/commands.js';
import type { Chunked } from '../domain/kernel/chunked.js';
import {
  type AnyId,
  type GroupId,
  parseGroupId,
  parseUserId,
  type RoomId,
  type UserId,
} from '../domain/kernel/ids.js';
import { type IfMatch, raise } from '../domain/kernel/refusals.js';
import type { Tenant } from '../domain/tenant/tenant.js';
import { newId } from '../pipeline/submit.js';
import { checkProfile } from './interop-profile.js';
import { readGroupPatch, readGroupReplacement, readNewGroup } from './read-group.js';
import { readUserPatch } from './read-patch.js';
import { readUser, readUserReplacement } from './read-user.js';
import { GROUP, USER } from './schemas.js';
import { userSchemaOf } from './tenant-schema.js';

/** What of a tenant the commands depend on. */
export type CommandTenant = Pick<Tenant, 'slug' | 'name' | 'customAttributes' | 'scim'>;

/** An operation on one resource, by its own endpoint or in a Bulk request. */
interface Given {
  /** From the path. */
  readonly resourceId?: string;
  readonly body: unknown;
  readonly ifMatch?: IfMatch;
}

/**
 * The commands of a resource type, the same by its own endpoint and in a Bulk request. They throw
 * RefusalError if the operation is not valid.
 */
export interface ResourceCommands<
  Create = BulkableCommand,
  Replace = BulkableCommand,
  Patch = BulkableCommand,
  Delete = BulkableCommand,
> {
  /** `/Users` */
  readonly endpoint: string;
  /** A PATCH returns the resource, or no content (decisions.md 3). */
  readonly patchStatus: 200 | 204;
  /** `isReferred`: whether other operations refer to the resource by this id. */
  readonly create: (
    tenant: CommandTenant,
    id: AnyId,
    body: unknown,
    isReferred?: boolean,
  ) => Chunked<Create>;
  readonly replace: (tenant: CommandTenant, given: Given) => Chunked<Replace>;
  readonly patch: (tenant: CommandTenant, given: Given) => Chunked<Patch>;
  readonly remove: (given: Given) => Delete;
}

const precondition = ({ ifMatch }: Given): { readonly ifMatch?: IfMatch } =>
  ifMatch === undefined ? {} : { ifMatch };

/** The user in the path. A malformed id gets the same 404 as an unknown one. */
export const userIdFrom = ({ resourceId = '' }: Pick<Given, 'resourceId'>): UserId =>
  parseUserId(resourceId) ?? raise('USER_NOT_FOUND');

export const USER_COMMANDS: ResourceCommands<CreateUser, ReplaceUser, PatchUser, DeleteUser> = {
  endpoint: USER.endpoint,
  patchStatus: 200,
  create: function* (tenant, id, body, isReferred = false) {
    const schema = userSchemaOf(tenant);
    yield* checkProfile(tenant, schema, { body, isPatch: false });
    const profile = readUser(body, schema);
    return {
      type: 'user.create',
      userId: id as UserId,
      profile,
      ...(!isReferred && { mayReactivate: true }),
    };
  },
  replace: function* (tenant, given) {
    const schema = userSchemaOf(tenant);
    yield* checkProfile(tenant, schema, { body: given.body, isPatch: false });
    const userId = userIdFrom(given);
    const change = readUserReplacement(given.body, schema);
    return { type: 'user.replace', userId, ...change, ...precondition(given) };
  },
  patch: function* (tenant, given) {
    const schema = userSchemaOf(tenant);
    yield* checkProfile(tenant, schema, { body: given.body, isPatch: true });
    const userId = userIdFrom(given);
    const changes = readUserPatch(given.body, schema);
    return { type: 'user.patch', userId, changes, ...precondition(given) };
  },
  remove: (given) => ({ type: 'user.delete', userId: userIdFrom(given), ...precondition(given) }),
};

/** The group in the path. A malformed id gets the same 404 as an unknown one. */
export const groupIdFrom = ({ resourceId = '' }: Pick<Given, 'resourceId'>): GroupId =>
  parseGroupId(resourceId) ?? raise('GROUP_NOT_FOUND');

export const GROUP_COMMANDS: ResourceCommands<CreateGroup, ChangeGroup, ChangeGroup, DeleteGroup> =
  {
    endpoint: GROUP.endpoint,
    patchStatus: 204,
    create: function* (tenant, id, body) {
      yield* checkProfile(tenant, GROUP, { body, isPatch: false });
      const ids = { groupId: id as GroupId, roomId: newId<RoomId>() };
      return { type: 'group.create', ...ids, ...(yield* readNewGroup(body, tenant.scim)) };
    },
    replace: function* (tenant, given) {
      yield* checkProfile(tenant, GROUP, { body: given.body, isPatch: false });
      const groupId = groupIdFrom(given);
      const change = yield* readGroupReplacement(given.body, tenant.scim);
      return { type: 'group.change', groupId, ...change, ...precondition(given) };
    },
    patch: function* (tenant, given) {
      yield* checkProfile(tenant, GROUP, { body: given.body, isPatch: true });
      const groupId = groupIdFrom(given);
      const change = yield* readGroupPatch(given.body, tenant.scim);
      return { type: 'group.change', groupId, ...change, ...precondition(given) };
    },
    remove: (given) => ({
      type: 'group.delete',
      groupId: groupIdFrom(given),
      ...precondition(given),
    }),
  };
