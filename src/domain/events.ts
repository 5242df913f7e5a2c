import type { ApiKeyId, EventId, TenantId } from './ids.js';
import type { JsonObject } from './json.js';
import type { Group } from './group.js';
import type { Room } from './room.js';
import type { SmsList } from './sms-list.js';
import { displayNameOf, type User } from './user.js';

/** Every event that can be subscribed to: interface.md's thirteen and five more (decisions.md 7). */
export const EVENT_NAMES = [
  'user.created',
  'user.updated',
  'user.deactivated',
  'user.reactivated',
  'user.deleted',
  'room.member_added',
  'room.member_removed',
  'room.member_updated',
  'group.created',
  'group.updated',
  'group.deleted',
  'group.member_added',
  'group.member_removed',
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

/** `data.group`, with the role that a mapping gives its members. */
export const summariseGroup = (group: Group, role: string | null): JsonObject => ({
  id: group.id,
  display_name: group.displayName,
  external_id: group.externalId,
  room_id: group.roomId,
  role,
});

/** Whose members changed, as their events name it: a room, or a group without one. */
export type MemberHolder = { readonly room: JsonObject } | { readonly group: JsonObject };

interface MemberEventParts {
  readonly holder: MemberHolder;
  readonly user: User;
  readonly txPermission: boolean;
}

/** A member was added, removed, or given another transmit permission, which only rooms have. */
export const memberEvent = (
  verb: 'added' | 'removed' | 'updated',
  { holder, user, txPermission }: MemberEventParts,
): NewEvent => {
  const isRoom = 'room' in holder;
  const { id } = isRoom ? holder.room : holder.group;
  return {
    name: isRoom || verb === 'updated' ? `room.member_${verb}` : `group.member_${verb}`,
    resource: { kind: 'membership', id: `${id as string}:${user.id}` },
    data: {
      ...holder,
      user: summariseUser(user),
      ...(isRoom ? { tx_permission: txPermission } : {}),
    },
  };
};

export const groupEvent = (
  name: 'group.created' | 'group.updated' | 'group.deleted',
  group: Group,
  role: string | null,
  more: JsonObject = {},
): NewEvent => ({
  name,
  resource: { kind: 'group', id: group.id },
  data: { group: summariseGroup(group, role), ...more },
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
