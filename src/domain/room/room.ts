import { nameKey } from '../kernel/names.js';
import type { JobId, RoomId, TenantId, RosterId, UserId } from '../kernel/ids.js';
import type { NewEvent } from '../events.js';
import type { Group } from '../group/group.js';
import type { JsonObject } from '../kernel/json.js';
import { summariseUser, type User } from '../user/user.js';

/** A voice room. Operators create, rename and delete it (decisions.md 5). */
export interface Room {
  readonly id: RoomId;
  readonly tenantId: TenantId;
  /** Unique per tenant, case-insensitively. */
  readonly name: string;
  readonly memberCount: number;
  /** Counts the changes of the room, its mapping and its members, from 1. */
  readonly version: number;
  /** The job that is changing its members; other changes of them wait for it. */
  readonly pendingJob: JobId | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export const roomNameKey = ({ name }: Pick<Room, 'name'>): string => nameKey(name);

export const newRoom = (given: Pick<Room, 'id' | 'tenantId' | 'name'>, now: Date): Room => ({
  ...given,
  memberCount: 0,
  version: 1,
  pendingJob: null,
  createdAt: now,
  updatedAt: now,
});

/** The room after a change of something that its representation shows, such as its mapping. */
export const touchRoom = (room: Room, now: Date): Room => ({
  ...room,
  version: room.version + 1,
  updatedAt: now,
});

/**
 * One user on one roster. A document of its own, so that adding one costs the same at 10 and at
 * 100,000 members.
 */
export interface Membership {
  /** Derived from roster and user: a user is on a roster at most once. */
  readonly id: string;
  readonly tenantId: TenantId;
  readonly rosterId: RosterId;
  readonly userId: UserId;
  /** Whether the user may transmit in the room. Unused on the roster of a role-only group. */
  readonly txPermission: boolean;
  readonly addedAt: Date;
}

export const membershipIdOf = (rosterId: RosterId, userId: UserId): string =>
  `${rosterId}:${userId}`;

/** A page of a roster's members, in the order of their ids. */
interface RosterPage {
  readonly rosterId: string;
  /** The last user id of the page before; empty for the first page. */
  readonly after: string;
  readonly limit: number;
}

export const rosterPageKey = ({ rosterId, after, limit }: RosterPage): string =>
  `${rosterId}>${after}>${limit}`;

export const parseRosterPageKey = (key: string): RosterPage => {
  const [rosterId = '', after = '', limit] = key.split('>');
  return { rosterId, after, limit: Number(limit) };
};

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
