import type { ApiKeyId, EventId, TenantId } from './ids.js';
import type { JsonObject } from './json.js';
import type { Group } from './group.js';
import type { Room } from './room.js';
import type { SmsList } from './sms-list.js';
import { displayNameOf, type User } from './user.js';

/** Every event that can be subscribed to: interface.md's thirteen and `user.deleted` (decisions.md 7). */
export const EVENT_NAMES = [
  'user.created',
  'user.updated',
  'user.deactivated',
  'user.reactivated',
  'user.deleted',
  'room.member_added',
  'room.member_removed',
  'group.created',
  'group.deleted',
  'sms_list.created',
  'sms_list.updated',
  'sms_list.deleted',
  'sms_list.members_added',
  'sms_list.members_removed',
] as const;

export type EventName = (typeof EVENT_NAMES)[number];

/** What deliveries of one thing are kept in order by (pipeline-rules.md 12). */
export interface EventResource {
  readonly kind: 'user' | 'membership' | 'group' | 'sms_list';
  readonly id: string;
}

/** What a decider says happened; the pipeline gives it its id, its time and its place in the log. */
export interface NewEvent {
  readonly name: EventName;
  readonly resource: EventResource;
  /** The `data` of the envelope, in the words of the wire (decisions.md 7). */
  readonly data: JsonObject;
}

/** Something that happened, as the log keeps it. */
export interface DomainEvent extends NewEvent {
  readonly id: EventId;
  readonly tenantId: TenantId;
  readonly tenantSlug: string;
  /** The place in the tenant's log, gapless from 1. */
  readonly seq: number;
  readonly at: Date;
  /** The API key that acted; null for operators and connectors. */
  readonly apiKeyId: ApiKeyId | null;
}

/** `data.user` of every event that names a user. */
export const summariseUser = (user: User): JsonObject => ({
  id: user.id,
  email: user.email,
  display_name: displayNameOf(user.profile),
  active: user.profile.active,
});

type UserEventName = Extract<EventName, `user.${string}`>;

export const userEvent = (name: UserEventName, user: User, more: JsonObject = {}): NewEvent => ({
  name,
  resource: { kind: 'user', id: user.id },
  data: { user: summariseUser(user), ...more },
});

/** `data.room` of membership events; its mapping's names are null where it has none. */
export const summariseRoom = (
  room: Pick<Room, 'id' | 'name'>,
  group: Pick<Group, 'displayName' | 'externalId'> | null,
): JsonObject => ({
  id: room.id,
  name: room.name,
  display_name: group?.displayName ?? null,
  external_id: group?.externalId ?? null,
});

/** `room` as summariseRoom gives it. */
export const memberEvent = (
  name: Extract<EventName, `room.${string}`>,
  { room, user, txPermission }: MemberEventParts,
): NewEvent => ({
  name,
  resource: { kind: 'membership', id: `${room.id as string}:${user.id}` },
  data: { room, user: summariseUser(user), tx_permission: txPermission },
});

interface MemberEventParts {
  readonly room: JsonObject;
  readonly user: User;
  readonly txPermission: boolean;
}

export const groupEvent = (
  name: Extract<EventName, `group.${string}`>,
  group: Group,
  role: string | null,
): NewEvent => ({
  name,
  resource: { kind: 'group', id: group.id },
  data: {
    group: {
      id: group.id,
      display_name: group.displayName,
      external_id: group.externalId,
      room_id: group.roomId,
      role,
    },
  },
});

/** Of a list of recipients, or a change of its members: counts, never a number (interface.md, Events). */
export const smsListEvent = (
  name: Extract<EventName, `sms_list.${string}`>,
  { id, externalId, name: listName }: Pick<SmsList, 'id' | 'externalId' | 'name'>,
  more: JsonObject,
): NewEvent => ({
  name,
  resource: { kind: 'sms_list', id },
  data: { list: { id, external_id: externalId, name: listName }, ...more },
});
