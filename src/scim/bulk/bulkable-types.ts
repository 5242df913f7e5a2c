import type { BulkableCommand } from '../../domain/commands.js';
import type { IfMatch } from '../../domain/precondition.js';
import {
  type AnyId,
  type GroupId,
  parseGroupId,
  parseUserId,
  type RoomId,
  type UserId,
} from '../../domain/ids.js';
import type { Pieces } from '../../domain/in-pieces.js';
import type { JsonValue } from '../../domain/json.js';
import { raise } from '../../domain/refusals.js';
import { newId } from '../../pipeline/new-id.js';
import type { ScimSettings } from '../../domain/tenant.js';
import { GROUP } from '../group-schema.js';
import { readPatch } from '../patch/read-patch.js';
import { readGroup, readGroupPatch, readGroupReplacement } from '../read-group.js';
import { readUser, readUserReplacement } from '../read-user.js';
import { USER } from '../user-schema.js';

type Data = JsonValue | undefined;
interface Target {
  readonly ifMatch?: IfMatch;
}

/** A command, or the way to one where that leads past many members. */
type Reading = BulkableCommand | Pieces<BulkableCommand>;

/**
 * What a Bulk can do with a type of resource: the same commands that its own endpoint makes. Each
 * throws RefusalError where the operation cannot be read.
 */
export interface BulkableType {
  /** `/Users` */
  readonly endpoint: string;
  readonly create: (id: AnyId, data: Data) => Reading;
  readonly replace: (id: string, data: Data, target: Target) => Reading;
  readonly patch: (id: string, data: Data, target: Target) => Reading;
  readonly remove: (id: string, target: Target) => BulkableCommand;
  /** A PATCH answers with the resource, or with nothing (decisions.md 3). */
  readonly patchStatus: 200 | 204;
}

const userId = (text: string): UserId =>
  parseUserId(text) ?? raise('USER_NOT_FOUND', 'No user has this id.');

const USERS: BulkableType = {
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
    operations: readPatch(USER, data, id),
    ...target,
  }),
  remove: (id, target) => ({ type: 'user.delete', userId: userId(id), ...target }),
  patchStatus: 200,
};

const groupId = (text: string): GroupId =>
  parseGroupId(text) ?? raise('GROUP_NOT_FOUND', 'No group has this id.');

const groupsOf = (scim: ScimSettings): BulkableType => ({
  endpoint: GROUP.endpoint,
  create: function* (id, data) {
    const { members = [], ...head } = yield* readGroup(data);
    const ids = { groupId: id as GroupId, roomId: newId<RoomId>() };
    return { type: 'group.create', ...ids, ...head, members };
  },
  replace: function* (id, data, target) {
    const own = { type: 'group.change', groupId: groupId(id) } as const;
    return { ...own, ...(yield* readGroupReplacement(data, scim)), ...target };
  },
  patch: function* (id, data, target) {
    const own = { type: 'group.change', groupId: groupId(id) } as const;
    return { ...own, ...(yield* readGroupPatch(data, id)), ...target };
  },
  remove: (id, target) => ({ type: 'group.delete', groupId: groupId(id), ...target }),
  patchStatus: 204,
});

export type BulkableTypes = ReadonlyMap<string, BulkableType>;

/** The types by their endpoint, as the settings of a tenant have them. */
export const bulkableTypes = (scim: ScimSettings): BulkableTypes =>
  new Map([USERS, groupsOf(scim)].map((type) => [type.endpoint, type]));
