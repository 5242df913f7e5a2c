import type { ApiKeyId, EventId, TenantId } from './ids.js';
import type { JsonObject } from './json.js';
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
