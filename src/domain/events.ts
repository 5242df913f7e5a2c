import type { ApiKeyId, EventId, TenantId } from './kernel/ids.js';
import { isJsonObject, type JsonObject } from './kernel/json.js';

/** The names of all events (decisions.md 7). */
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

/** The name of an event: `user.created`. */
export type EventName = (typeof EVENT_NAMES)[number];

/** Events of one resource are delivered in order (pipeline-rules.md 12). */
export interface EventResource {
  readonly kind: 'user' | 'membership' | 'group' | 'sms_list';
  readonly id: string;
}

/** An event as a decider returns it; the commit adds its id, time and position in the log. */
export interface NewEvent {
  readonly name: EventName;
  readonly resource: EventResource;
  /** The `data` of the envelope (decisions.md 7). */
  readonly data: JsonObject;
  /** Values of the tenant's own attributes, for receivers that ask for them as `user.custom`. */
  readonly custom?: JsonObject;
}

/** An event as the log stores it. */
export interface DomainEvent extends NewEvent {
  readonly id: EventId;
  readonly tenantId: TenantId;
  readonly tenantSlug: string;
  /** Position in the tenant's log, gapless from 1. */
  readonly seq: number;
  readonly at: Date;
  /** The API key that acted; null for operators and connectors. */
  readonly apiKeyId: ApiKeyId | null;
}

/** An event as receivers get it, pushed or pulled (interface.md, Envelope; decisions.md 7). */
export type EventEnvelope = {
  readonly id: string;
  readonly event: string;
  readonly tenant_id: string;
  readonly tenant_slug: string;
  readonly timestamp: string;
  /** Position in the tenant's log; null for a test, which has none. */
  readonly seq: number | null;
  readonly data: JsonObject;
};

/** Additions to the envelope that a receiver asks for. */
export const INCLUDABLE = ['user.custom'] as const;
/** The name of such an addition. */
export type Includable = (typeof INCLUDABLE)[number];

/** The data of an event about a user, with the values of the tenant's own attributes. */
const dataWithCustom = ({ resource, data, custom = {} }: DomainEvent): JsonObject =>
  resource.kind === 'user' && isJsonObject(data['user'])
    ? { ...data, user: { ...data['user'], custom } }
    : data;

/** Depends on the event and what is asked for: every instance sends the same envelope. */
export const envelopeOf = (
  event: DomainEvent,
  include: readonly Includable[] = [],
): EventEnvelope => ({
  id: event.id,
  event: event.name,
  tenant_id: event.tenantId,
  tenant_slug: event.tenantSlug,
  timestamp: event.at.toISOString(),
  seq: event.seq,
  data: include.includes('user.custom') ? dataWithCustom(event) : event.data,
});
