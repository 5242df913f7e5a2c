import type { EventName, NewEvent } from '../events.js';
import type { Group } from './group.js';
import type { JsonObject } from '../kernel/json.js';

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
