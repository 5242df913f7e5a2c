import { nameKey } from '../kernel/names.js';
import type { GroupId, JobId, RoomId, RosterId, TenantId } from '../kernel/ids.js';
import type { EventName, NewEvent } from '../events.js';
import type { JsonObject } from '../kernel/json.js';

/**
 * A SCIM group: the mapping of a room, or a role-only group (interface.md, "Groups, role mapping and
 * SMS lists").
 */
export interface Group {
  /** Independent of the room's id; never changes. */
  readonly id: GroupId;
  readonly tenantId: TenantId;
  /** Unique per tenant, case-insensitively. Independent of the room's name. */
  readonly displayName: string;
  /** Need not be unique. */
  readonly externalId: string | null;
  /** Null for a role-only group, which has its own members. */
  readonly roomId: RoomId | null;
  readonly memberCount: number;
  /** Counts the changes of the group and its members, from 1; the ETag. */
  readonly version: number;
  /** As for a room. Only for a role-only group. */
  readonly pendingJob: JobId | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export const groupNameKey = ({ displayName }: Pick<Group, 'displayName'>): string =>
  nameKey(displayName);

/** The roster with the group's members: its room's, or its own if it is role-only. */
export const rosterOf = ({ id, roomId }: Pick<Group, 'id' | 'roomId'>): RosterId => roomId ?? id;

/** `data.group`, with the role that a mapping gives its members. */
export const summariseGroup = (group: Group, role: string | null): JsonObject => ({
  id: group.id,
  display_name: group.displayName,
  external_id: group.externalId,
  room_id: group.roomId,
  role,
});

type GroupEventName = Extract<EventName, 'group.created' | 'group.updated' | 'group.deleted'>;

export const groupEvent = (
  name: GroupEventName,
  group: Group,
  role: string | null,
  more: JsonObject = {},
): NewEvent => ({
  name,
  resource: { kind: 'group', id: group.id },
  data: { group: summariseGroup(group, role), ...more },
});
