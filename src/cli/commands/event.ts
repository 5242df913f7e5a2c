import { setTimeout } from 'node:timers/promises';
import { z } from 'zod';
import type { EventName } from '../../domain/events.js';
import { CliError } from '../cli-error.js';
import type { FieldOption } from '../field-option.js';
import { formatSecond } from '../format-time.js';
import { createStreamRenderer } from '../output.js';
import { defineResource } from '../resource.js';
import type { Plugin } from '../../start/load-extensions.js';
import { type Access, ADMIN_ONLY, type Session } from '../session.js';
import { orDash, printable } from '../terminal-text.js';

const Named = z.looseObject({ name: z.string().optional(), display_name: z.string().nullish() });

const EventData = z.looseObject({
  user: z.looseObject({ email: z.string().nullable(), display_name: z.string() }).optional(),
  room: Named.optional(),
  group: Named.optional(),
  list: Named.optional(),
  changed: z.array(z.string()).optional(),
});

const EventView = z.looseObject({
  id: z.string(),
  event: z.string(),
  seq: z.int(),
  timestamp: z.string(),
  data: EventData,
});
type EventView = z.output<typeof EventView>;

const nameOf = (thing: z.output<typeof Named> | undefined): string | undefined =>
  thing && (thing.name ?? thing.display_name ?? undefined);

/** The names in the `data` of an event. */
export const subjectOf = (data: unknown): string => {
  const { user, room, group, list } = EventData.parse(data);
  const names = [
    user && (user.email ?? user.display_name),
    nameOf(room),
    nameOf(group),
    nameOf(list),
  ];
  return names.filter((name) => name !== undefined).join(', ');
};

/** Which events to read. */
export const EVENTS: FieldOption = {
  flags: '--event, --events <names>',
  field: 'event',
  help: 'only these events, such as user.created or "room.*"; repeatable, or separated by commas',
  type: 'events',
};

const POLL_MS = 1_000;
/** An event unchanged: a parsed one would have its fields in another order, and other signatures. */
const RawEvent = z.custom<EventView>((value) => EventView.safeParse(value).success);

const FeedPage = z.object({
  events: z.array(RawEvent),
  next_after: z.int(),
  has_more: z.boolean(),
});

const readFeed = async (session: Session, query: Readonly<Record<string, unknown>>) =>
  session.read(FeedPage, await session.client.request('GET', '/events', { query }));

/** The position of the newest event: positions are gapless, so a few reads find it. */
export const endOfFeed = async (session: Session): Promise<number> => {
  const isBefore = async (after: number): Promise<boolean> => {
    const { events, has_more: hasMore } = await readFeed(session, { after, limit: 1 });
    return events.length > 0 || hasMore;
  };
  let below = 0;
  if (!(await isBefore(below))) return below;
  let end = 1;
  while (await isBefore(end)) [below, end] = [end, end * 2];
  while (end - below > 1) {
    const middle = Math.floor((below + end) / 2);
    if (await isBefore(middle)) below = middle;
    else end = middle;
  }
  return end;
};

/** A gateway that restarts, or a network that breaks off, is waited for. */
const onlyUnreachable =
  ({ note }: Session) =>
  (error: unknown): undefined => {
    if (!(error instanceof CliError) || error.code !== 'UNREACHABLE') throw error;
    note(`${error.message} Trying again.\n`);
  };

interface FollowOptions {
  /** The position of the last one before. */
  readonly after: number;
  readonly event?: readonly EventName[];
  readonly signal: AbortSignal;
}

/** The events of a tenant after a position, as they happen, within a second, until the signal is aborted. */
export const followEvents = async function* (
  session: Session,
  { after, event, signal }: FollowOptions,
): AsyncGenerator<EventView> {
  let position = after;
  while (!signal.aborted) {
    const query = { after: position, ...(event && { event }) };
    const page = await readFeed(session, query).catch(onlyUnreachable(session));
    if (page) {
      yield* page.events;
      position = page.next_after;
    }
    if (page?.has_more !== true)
      await setTimeout(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
};

/** Prints new events until Ctrl-C. */
const printNew = async (session: Session, fields: Readonly<Record<string, unknown>>) => {
  const { context, format, paint } = session;
  const render = createStreamRenderer(format);
  const signal = context.interruption();
  const { after, event }: Partial<FollowOptions> = fields;
  const from = after ?? (await endOfFeed(session));
  for await (const one of followEvents(session, { signal, after: from, ...(event && { event }) }))
    context.stdout.write(
      render({
        people: () =>
          [
            formatSecond(one.timestamp),
            String(one.seq),
            paint.bold(printable(one.event)),
            orDash(subjectOf(one.data)),
            printable(one.data.changed?.join(', ') ?? ''),
          ]
            .join('  ')
            .trimEnd() + '\n',
        json: JSON.stringify(one),
        quiet: () => one.id,
      }),
    );
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
    description:
      'Events: the changes of users, rooms, groups and SMS lists of a tenant, numbered in order (seq).',
    path: '/events',
    items: 'events',
    view: EventView,
    fields: [
      { label: 'seq', text: ({ seq }) => String(seq), align: 'right' },
      { label: 'time', text: ({ timestamp }) => formatSecond(timestamp) },
      { label: 'event', text: ({ event }) => event },
      { label: 'subject', text: ({ data }) => subjectOf(data), wrapAt: 48 },
      { label: 'changed', text: ({ data }) => data.changed?.join(', '), wrapAt: 32 },
      { label: 'id', text: ({ id }) => id },
    ],
    id: ({ id }) => id,
    label: ({ id }) => id,
    readAccess: { ...ADMIN_ONLY, ...scopeFor(plugins) },
    list: {
      isDefault: true,
      follow: printNew,
      description:
        'List the events of a tenant in the order in which they happened, oldest first. With ' +
        '--follow, print those that happen from now on (or after --after) until Ctrl-C.',
      continuation: 'after',
      filters: [EVENTS],
      examples: [
        ['rollgate event list acme', 'all events, oldest first'],
        [
          'rollgate event list acme --after 41 --event user.created,user.deleted',
          'some events after a position',
        ],
        ['rollgate event list acme -o json | jq .events', 'with all fields'],
        ['rollgate event list acme --follow --event "user.*"', 'what happens to users from now on'],
      ],
    },
  });
