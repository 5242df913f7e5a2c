import type { BulkableCommand } from '../../domain/commands.js';
import { type IfMatch, raise } from '../../domain/kernel/refusals.js';
import {
  type AnyId,
  type GroupId,
  parseGroupId,
  parseUserId,
  type RoomId,
  type UserId,
} from '../../domain/kernel/ids.js';
import type { Chunked } from '../../domain/kernel/chunked.js';
import type { JsonValue } from '../../domain/kernel/json.js';
import { newId } from '../../pipeline/submit.js';
import type { ScimSettings } from '../../domain/tenant/tenant.js';
import { GROUP } from '../group-schema.js';
import { readUserPatch } from '../read-patch.js';
import { readGroup, readGroupPatch, readGroupReplacement } from '../read-group.js';
import { readUser, readUserReplacement } from '../read-user.js';
import { USER } from '../user-schema.js';

type Data = JsonValue | undefined;
interface Target {
  readonly ifMatch?: IfMatch;
}

/** A command; a generator if it has to read many members. */
type CommandReading = BulkableCommand | Chunked<BulkableCommand>;

/**
 * The operations of a Bulk request on a resource type. They produce the same commands as the type's
 * own endpoint, and throw RefusalError if the operation is not valid.
 */
export interface BulkableType {
  /** `/Users` */
  readonly endpoint: string;
  readonly create: (id: AnyId, data: Data) => CommandReading;
  readonly replace: (id: string, data: Data, target: Target) => CommandReading;
  readonly patch: (id: string, data: Data, target: Target) => CommandReading;
  readonly remove: (id: string, target: Target) => BulkableCommand;
  /** A PATCH returns the resource, or no content (decisions.md 3). */
  readonly patchStatus: 200 | 204;
}

const userId = (text: string): UserId =>
  parseUserId(text) ?? raise('USER_NOT_FOUND', 'No user has this id.');

const USER_TYPE: BulkableType = {
  endpoint: USER.endpoint,
  create: (id, data) => ({
    type: 'user.create',
    userId: id as UserId,
    profile: readUser(data),
  }),
  replace: (id, data, target) => ({
    type: 'user.replace',
    userId: userId(id),
    ...readUserReplacement(data),
    ...target,
  }),
  patch: (id, data, target) => ({
    type: 'user.patch',
    userId: userId(id),
    changes: readUserPatch(data, id),
    ...target,
  }),
  remove: (id, target) => ({ type: 'user.delete', userId: userId(id), ...target }),
  patchStatus: 200,
};

const groupId = (text: string): GroupId =>
  parseGroupId(text) ?? raise('GROUP_NOT_FOUND', 'No group has this id.');

const groupType = (scim: ScimSettings): BulkableType => ({
  endpoint: GROUP.endpoint,
  create: function* (id, data) {
    const { members = [], ...attributes } = yield* readGroup(data);
    const ids = { groupId: id as GroupId, roomId: newId<RoomId>() };
    return { type: 'group.create', ...ids, ...attributes, members };
  },
  replace: function* (id, data, target) {
    const base = { type: 'group.change', groupId: groupId(id) } as const;
    return { ...base, ...(yield* readGroupReplacement(data, scim)), ...target };
  },
  patch: function* (id, data, target) {
    const base = { type: 'group.change', groupId: groupId(id) } as const;
    return { ...base, ...(yield* readGroupPatch(data, id)), ...target };
  },
  remove: (id, target) => ({ type: 'group.delete', groupId: groupId(id), ...target }),
  patchStatus: 204,
});

export type BulkableTypes = ReadonlyMap<string, BulkableType>;

/** The resource types by endpoint, for a tenant's settings. */
export const bulkableTypes = (scim: ScimSettings): BulkableTypes =>
  new Map([USER_TYPE, groupType(scim)].map((type) => [type.endpoint, type]));
