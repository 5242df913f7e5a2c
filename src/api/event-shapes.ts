import { z } from 'zod';
import { EVENT_NAMES, type EventName } from '../domain/events.js';
import { idField, instantField } from './fields.js';
import type { WebhookShape } from './webhook-shape.js';

const UserSummary = z
  .strictObject({
    id: idField("The user's id."),
    email: z.string().nullable(),
    display_name: z.string(),
    active: z.boolean(),
  })
  .meta({ id: 'EventUser' });

const RoomSummary = z
  .strictObject({
    id: idField("The room's id."),
    name: z.string(),
    display_name: z.string().nullable().describe('Of its SCIM mapping; null without one.'),
    external_id: z.string().nullable().describe('Of its SCIM mapping; null without one.'),
  })
  .meta({ id: 'EventRoom' });

const GroupSummary = z
  .strictObject({
    id: idField("The group's id."),
    display_name: z.string(),
    external_id: z.string().nullable(),
    room_id: z.string().nullable().describe('Null for a group without a room.'),
    role: z.string().nullable().describe('The role that a mapping gives to its members.'),
  })
  .meta({ id: 'EventGroup' });

const ListSummary = z
  .strictObject({
    id: idField("The list's id."),
    external_id: z.string().nullable(),
    name: z.string(),
  })
  .meta({ id: 'EventSmsList' });

const changed = z.array(z.string()).describe('The names of what changed.');
const number = z.int().min(0);
/** interface.md: the API key that acted; null where an operator or a connector did. */
const api_key_id = z.string().nullable().describe('The API key that acted, or null.');

const ofUser = { user: UserSummary };
const ofMember = { room: RoomSummary, user: UserSummary, tx_permission: z.boolean() };
const ofGroup = { group: GroupSummary };
const ofGroupMember = { ...ofGroup, user: UserSummary };
const ofRole = {
  role: z.string().optional().describe('Only if the role changed: the role that the user has now.'),
  previous_role: z.string().optional().describe('Only if the role changed: the role before.'),
};
const ofList = { list: ListSummary, api_key_id };

/** `data` by event (decisions.md 7), and what happened, in words. */
const DATA = {
  'user.created': ['A user was provisioned', ofUser],
  'user.updated': ["A user's attributes or role changed", { ...ofUser, changed, ...ofRole }],
  'user.deactivated': ['A user was deactivated', ofUser],
  'user.reactivated': ['A deactivated user was reactivated', ofUser],
  'user.deleted': ['A user was deleted for good', ofUser],
  'room.member_added': ['A user was added to a room', ofMember],
  'room.member_removed': ['A user was removed from a room', ofMember],
  'room.member_updated': ["A member's transmit permission changed", ofMember],
  'group.created': ['A SCIM group was created', ofGroup],
  'group.updated': ['A SCIM group got another name or external id', { ...ofGroup, changed }],
  'group.deleted': ['A SCIM group was deleted', ofGroup],
  'group.member_added': ['A user was added to a group without a room', ofGroupMember],
  'group.member_removed': ['A user was removed from a group without a room', ofGroupMember],
  'sms_list.created': ['An SMS list was created', ofList],
  'sms_list.updated': ['An SMS list was changed', { ...ofList, changed }],
  'sms_list.deleted': ['An SMS list and its members were deleted', ofList],
  'sms_list.members_added': [
    'Numbers were added to an SMS list, or updated on it',
    { ...ofList, added: number, updated: number },
  ],
  'sms_list.members_removed': [
    'Numbers were removed from an SMS list',
    { ...ofList, removed: number },
  ],
} as const satisfies Record<EventName, readonly [string, z.ZodRawShape]>;

/** `user.created` as the name of a schema: `UserCreatedEvent`. */
const schemaNameOf = (name: EventName): string =>
  `${name.replaceAll(/(?:^|[._])([a-z])/g, (_match, letter: string) => letter.toUpperCase())}Event`;

const envelopeShape = (name: EventName) =>
  z
    .strictObject({
      id: idField("The event's id."),
      event: z.literal(name),
      tenant_id: idField("The organisation's id."),
      tenant_slug: z.string(),
      timestamp: instantField('When it happened.'),
      seq: z.int().min(1).describe("The place in the organisation's log, gapless from 1."),
      data: z.strictObject(DATA[name][1]),
    })
    .meta({ id: schemaNameOf(name), description: `${DATA[name][0]}.` });

const ENVELOPES = EVENT_NAMES.map(envelopeShape);

/** Any event; `event` decides which, so a typed client knows `data` from its name. */
export const EventView = z
  .discriminatedUnion('event', ENVELOPES as [(typeof ENVELOPES)[number], ...typeof ENVELOPES])
  .meta({
    id: 'Event',
    discriminator: {
      propertyName: 'event',
      mapping: Object.fromEntries(
        EVENT_NAMES.map((name) => [name, `#/components/schemas/${schemaNameOf(name)}`]),
      ),
    },
  });

/** Every event as receivers get it, for the OpenAPI document and for tests of deliveries. */
export const EVENT_SHAPES: readonly WebhookShape[] = EVENT_NAMES.map((name, index) => ({
  name,
  summary: DATA[name][0],
  body: ENVELOPES[index] as z.ZodType,
}));
