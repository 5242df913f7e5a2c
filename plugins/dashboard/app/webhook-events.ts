import type { Schema } from './api/schema.ts';

export type EventName = Schema<'Event'>['event'];
/** A name, a family such as `user.*`, or `*`. */
export type Subscription = Schema<'Webhook'>['events'][number];

/** Every event of the API; the compiler asks for the title of a new one. */
const TITLES: Readonly<Record<EventName, string>> = {
  'user.created': 'Created',
  'user.updated': 'Changed',
  'user.deactivated': 'Deactivated',
  'user.reactivated': 'Reactivated',
  'user.deleted': 'Deleted',
  'room.member_added': 'Member added',
  'room.member_removed': 'Member removed',
  'room.member_updated': 'Transmit permission changed',
  'group.created': 'Created',
  'group.updated': 'Renamed or changed',
  'group.deleted': 'Deleted',
  'group.member_added': 'Member added',
  'group.member_removed': 'Member removed',
  'sms_list.created': 'Created',
  'sms_list.updated': 'Changed',
  'sms_list.deleted': 'Deleted',
  'sms_list.members_added': 'Recipients added',
  'sms_list.members_removed': 'Recipients removed',
};

export const EVENT_NAMES = Object.keys(TITLES) as readonly EventName[];

/** The events that webhooks can subscribe to, by family. */
export const EVENT_FAMILIES = (
  [
    ['user', 'Users'],
    ['room', 'Rooms'],
    ['group', 'Groups'],
    ['sms_list', 'SMS lists'],
  ] as const
).map(([family, title]) => ({
  family,
  title,
  events: EVENT_NAMES.filter((name) => name.startsWith(`${family}.`)).map(
    (name) => [name, TITLES[name]] as const,
  ),
}));

/** `All events`, `Users, rooms`, `3 events`. */
export const describeEvents = (events: readonly Subscription[]): string => {
  if (events.includes('*')) return 'All events';
  const families = EVENT_FAMILIES.filter(({ family }) => events.includes(`${family}.*`));
  const single = events.filter((event) => !event.endsWith('.*'));
  const parts = [
    ...families.map(({ title }) => `all of ${title}`),
    ...(single.length <= 2 ? single : [`${single.length} events`]),
  ].join(', ');
  return parts.charAt(0).toUpperCase() + parts.slice(1);
};
