import { z } from 'zod';
import { EVENT_NAMES } from '../../domain/events.js';
import { formatSecond } from '../format-time.js';
import { FEED_PAGING } from '../paging.js';
import { parseList } from '../parse-argument.js';
import { defineResource } from '../resource.js';
import type { Plugin } from '../../start/load-extensions.js';
import { type Access, ADMIN_ONLY } from '../session.js';

const Named = z.object({ name: z.string().optional(), display_name: z.string().nullish() });

const EventView = z.object({
  id: z.string(),
  event: z.string(),
  seq: z.int(),
  timestamp: z.string(),
  data: z.object({
    user: z.object({ email: z.string().nullable(), display_name: z.string() }).optional(),
    room: Named.optional(),
    group: Named.optional(),
    list: Named.optional(),
    changed: z.array(z.string()).optional(),
  }),
});
type EventView = z.output<typeof EventView>;

const nameOf = (thing: z.output<typeof Named> | undefined): string | undefined =>
  thing && (thing.name ?? thing.display_name ?? undefined);

const subjectOf = ({ data: { user, room, group, list } }: EventView): string => {
  const names = [
    user && (user.email ?? user.display_name),
    nameOf(room),
    nameOf(group),
    nameOf(list),
  ];
  return names.filter((name) => name !== undefined).join(', ');
};

const scopeFor = (plugins: readonly Pick<Plugin, 'scopes'>[]): Pick<Access, 'scope'> => {
  const declared = plugins.flatMap(({ scopes = [] }) => scopes).find((one) => one.readsEvents);
  return declared ? { scope: declared.scope } : {};
};

/** `rollgate event …`; API keys need a plugin that gives them access to the event log. */
export const eventResource = (plugins: readonly Pick<Plugin, 'scopes'>[]) =>
  defineResource({
    name: 'event',
    noun: 'an event',
    plural: 'events',
    summary: 'read the event log',
    description: 'Events: what happened in a tenant.',
    path: '/events',
    items: 'events',
    view: EventView,
    fields: [
      { label: 'seq', text: ({ seq }) => String(seq), align: 'right' },
      { label: 'time', text: ({ timestamp }) => formatSecond(timestamp) },
      { label: 'event', text: ({ event }) => event },
      { label: 'subject', text: subjectOf, wrapAt: 48 },
      { label: 'changed', text: ({ data }) => data.changed?.join(', '), wrapAt: 32 },
      { label: 'id', text: ({ id }) => id },
    ],
    id: ({ id }) => id,
    label: ({ id }) => id,
    readAccess: { ...ADMIN_ONLY, ...scopeFor(plugins) },
    list: {
      description:
        'List the events of a tenant in the order in which they happened, oldest first. To poll, ' +
        'pass the last position you have seen with --after.',
      paging: FEED_PAGING,
      filters: [
        {
          flags: '--event <names>',
          field: 'event',
          help: 'only these events, separated by commas',
          choices: EVENT_NAMES,
          parse: (text) => parseList(EVENT_NAMES)(text).join(','),
        },
      ],
      examples: [
        ['rollgate event list acme', 'all events, oldest first'],
        [
          'rollgate event list acme --after 41 --event user.created,user.deleted',
          'some events after a position',
        ],
        ['rollgate event list acme --json | jq .events', 'with all fields'],
      ],
    },
  });
