import { z } from 'zod';
import { EVENT_NAMES, type EventName, envelopeOf, INCLUDABLE } from '../domain/events.js';
import { CustomValue, idField, instantField, wholeNumber } from './fields.js';
import type { PostedEvent } from './extensions.js';
import type { Tenant } from '../domain/tenant/tenant.js';
import type { EventReader } from '../ports/tenants.js';
import { type Route, tenantRoute } from './route.js';

const UserSummary = z
  .strictObject({
    id: idField("The user's id."),
    email: z.string().nullable(),
    display_name: z.string(),
    active: z.boolean(),
    custom: z
      .record(z.string(), CustomValue)
      .optional()
      .describe(
        "Values of the tenant's own attributes. Only in events about users, and only if the " +
          'receiver asks for them.',
      ),
  })
  .meta({ id: 'EventUser' });

const RoomSummary = z
  .strictObject({
    id: idField("The room's id."),
    name: z.string(),
    display_name: z
      .string()
      .nullable()
      .describe('Name of its SCIM mapping; null without a mapping.'),
    external_id: z
      .string()
      .nullable()
      .describe('External id of its SCIM mapping; null without a mapping.'),
  })
  .meta({ id: 'EventRoom' });

const GroupSummary = z
  .strictObject({
    id: idField("The group's id."),
    display_name: z.string(),
    external_id: z.string().nullable(),
    room_id: idField('Null for a group without a room.').nullable(),
    role: z.string().nullable().describe('The role that a mapping gives its members.'),
  })
  .meta({ id: 'EventGroup' });

const ListSummary = z
  .strictObject({
    id: idField("The list's id."),
    external_id: z.string().nullable(),
    name: z.string(),
  })
  .meta({ id: 'EventSmsList' });

const changed = z.array(z.string()).describe('Names of the changed attributes.');
const number = z.int().min(0);
/** interface.md */
const api_key_id = idField(
  'Id of the API key that made the change; null for an operator or a connector.',
).nullable();

const ofUser = { user: UserSummary };
const ofMember = { room: RoomSummary, user: UserSummary, tx_permission: z.boolean() };
const ofGroup = { group: GroupSummary };
const ofGroupMember = { ...ofGroup, user: UserSummary };
const ofRole = {
  role: z.string().optional().describe('The new role. Only if the role changed.'),
  previous_role: z.string().optional().describe('The previous role. Only if the role changed.'),
};
const ofList = { list: ListSummary, api_key_id };

/** Summary and `data` of each event (decisions.md 7). */
const DATA = {
  'user.created': ['A user was provisioned', ofUser],
  'user.updated': ["A user's attributes or role changed", { ...ofUser, changed, ...ofRole }],
  'user.deactivated': ['A user was deactivated', ofUser],
  'user.reactivated': ['A deactivated user was reactivated', ofUser],
  'user.deleted': ['A user was permanently deleted', ofUser],
  'room.member_added': ['A user was added to a room', ofMember],
  'room.member_removed': ['A user was removed from a room', ofMember],
  'room.member_updated': ["A member's transmit permission changed", ofMember],
  'group.created': ['A SCIM group was created', ofGroup],
  'group.updated': ['The name or external id of a SCIM group changed', { ...ofGroup, changed }],
  'group.deleted': ['A SCIM group was deleted', ofGroup],
  'group.member_added': ['A user was added to a group without a room', ofGroupMember],
  'group.member_removed': ['A user was removed from a group without a room', ofGroupMember],
  'sms_list.created': ['An SMS list was created', ofList],
  'sms_list.updated': ['An SMS list was changed', { ...ofList, changed }],
  'sms_list.deleted': ['An SMS list and its members were deleted', ofList],
  'sms_list.members_added': [
    'Members were added to an SMS list or updated',
    { ...ofList, added: number, updated: number },
  ],
  'sms_list.members_removed': [
    'Members were removed from an SMS list',
    { ...ofList, removed: number },
  ],
} as const satisfies Record<EventName, readonly [string, z.ZodRawShape]>;

/** `UserCreatedEvent` for `user.created`. */
const schemaNameOf = (name: EventName): string =>
  `${name.replaceAll(/(?:^|[._])([a-z])/g, (_match, letter: string) => letter.toUpperCase())}Event`;

const envelopeShape = (name: EventName) =>
  z
    .strictObject({
      id: idField("The event's id."),
      event: z.literal(name),
      tenant_id: idField("The organisation's id."),
      tenant_slug: z.string(),
      timestamp: instantField('Time of the event.'),
      seq: z.int().min(1).describe("Position in the organisation's log, gapless from 1."),
      data: z.strictObject(DATA[name][1]),
    })
    .meta({ id: schemaNameOf(name), description: `${DATA[name][0]}.` });

const ENVELOPES = EVENT_NAMES.map(envelopeShape);

/** Any event. `event` discriminates, so that typed clients get the type of `data`. */
const EventView = z
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

/** All events as receivers get them, for the OpenAPI document and for tests. */
export const EVENT_SHAPES: readonly PostedEvent[] = EVENT_NAMES.map((name, index) => ({
  name,
  summary: DATA[name][0],
  body: ENVELOPES[index] as z.ZodType,
}));

/** 15 digits are exact as a number. */
const MAX_POSITION = 999_999_999_999_999;

/** Names of events, separated by commas. */
export const eventsField = () =>
  z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(z.enum(EVENT_NAMES, 'must be names of events')).min(1));

const FeedQuery = z.strictObject({
  after: wholeNumber(0, MAX_POSITION)
    .default(0)
    .describe('The last `seq` that you have processed; 0 starts with the oldest event.'),
  limit: wholeNumber(1, 500).default(100).describe('Maximum number of events to return.'),
  include: z
    .enum(INCLUDABLE)
    .optional()
    .describe("`user.custom`: with the values of the tenant's own attributes."),
  event: eventsField().optional().describe('Only events with these names, separated by commas.'),
});

const Feed = z
  .strictObject({
    events: z.array(EventView),
    next_after: z.int().min(0).describe('Value of `after` for the next page.'),
    has_more: z.boolean().describe('True if more events are available now.'),
    has_gap: z
      .boolean()
      .describe('True if events after `after` have expired: you have missed some.'),
  })
  .meta({ id: 'EventFeed' });

/**
 * The event log of a tenant, for polling and for catching up. Each API that has it adds who may read
 * it: the operators' API here, that of tenants in the plugin whose events these are.
 */
export const eventFeed = (events: EventReader) => ({
  method: 'GET' as const,
  path: '/events',
  summary: 'Read the event log',
  description:
    'In order of `seq`. Continue from `next_after` to miss nothing: an event is returned only once ' +
    'all earlier ones are.',
  query: FeedQuery,
  responses: { 200: { description: 'Events after `after`.', body: Feed } },
  handler: async ({ caller: { tenant }, query: { after, limit, event, include } }: FeedRequest) => {
    const page = await events.page(tenant.id, { after, limit, ...(event && { names: event }) });
    return {
      status: 200,
      body: {
        events: page.events.map((each) => envelopeOf(each, include && [include])),
        next_after: page.upTo,
        has_more: page.hasMore,
        has_gap: page.hasGap,
      },
    };
  },
});

interface FeedRequest {
  readonly caller: { readonly tenant: Pick<Tenant, 'id'> };
  readonly query: z.output<typeof FeedQuery>;
}

/** For operators (decisions.md 8). */
export const eventRoutes = ({ events }: { readonly events: EventReader }): readonly Route[] => [
  tenantRoute({
    ...eventFeed(events),
    operationId: 'listTenantEvents',
    tag: 'Events of a tenant',
  }),
];
