import type { NewEvent } from '../events.js';
import type { Group } from '../group/group.js';
import type { JsonObject } from '../kernel/json.js';
import type { Room } from './room.js';
import { summariseUser } from '../user/user-events.js';
import type { User } from '../user/user.js';

/** `data.room` of membership events; the names of its mapping are null if it has none. */
export const summariseRoom = (
  room: Pick<Room, 'id' | 'name'>,
  group: Pick<Group, 'displayName' | 'externalId'> | null,
): JsonObject => ({
  id: room.id,
  name: room.name,
  display_name: group?.displayName ?? null,
  external_id: group?.externalId ?? null,
});

/** The owner of a roster as events name it: a room, or a group without a room. */
export type OwnerSummary = { readonly room: JsonObject } | { readonly group: JsonObject };

interface MemberEventParts {
  readonly owner: OwnerSummary;
  readonly user: User;
  readonly txPermission: boolean;
}

/** A member was added or removed, or the transmit permission changed, which only rooms have. */
export const memberEvent = (
  verb: 'added' | 'removed' | 'updated',
  { owner, user, txPermission }: MemberEventParts,
): NewEvent => {
  const isRoom = 'room' in owner;
  const { id } = isRoom ? owner.room : owner.group;
  return {
    name: isRoom || verb === 'updated' ? `room.member_${verb}` : `group.member_${verb}`,
    resource: { kind: 'membership', id: `${id as string}:${user.id}` },
    data: {
      ...owner,
      user: summariseUser(user),
      ...(isRoom ? { tx_permission: txPermission } : {}),
    },
  };
};
