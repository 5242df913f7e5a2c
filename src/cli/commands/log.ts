import { z } from 'zod';
import { printable, type Paint } from '../terminal-text.js';
import { formatSecond } from '../format-time.js';
import { setTimeout } from 'node:timers/promises';
import type { StreamedEvent } from '../../client/index.js';
import { COMMAND_TYPES } from '../../domain/command-words.js';
import type { Session } from '../session.js';
import type { Source } from '../../domain/kernel/actor.js';
import { createStreamRenderer } from '../output.js';
import { defineResource } from '../resource.js';
import { SkippedMembers, skippedMembersIn } from '../skipped-members.js';

const Thing = z.object({
  kind: z.string(),
  id: z.string().nullable(),
  name: z.string().nullable(),
});

export const LogEntry = z.looseObject({
  id: z.string(),
  at: z.string(),
  actor: Thing,
  source: z.string(),
  type: z.string(),
  subject: Thing.nullable(),
  affected: z.array(Thing),
  changes: z.array(
    z.object({ path: z.string(), before: z.json().optional(), after: z.json().optional() }),
  ),
  change_count: z.int(),
  ...SkippedMembers.shape,
  outcome: z.string(),
  error: z.string().nullable(),
  message: z.string().nullable(),
  request_id: z.string(),
});
export type LogEntry = z.output<typeof LogEntry>;

export const nameOf = (thing: z.output<typeof Thing> | null): string =>
  thing?.name ?? thing?.id ?? '-';

const json = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value ?? null);

const ID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** A path or value with names instead of ids: `members[ada@example.com].tx_permission`. */
const named = (text: string, { subject, affected }: LogEntry): string =>
  text.replaceAll(ID, (id) => [subject, ...affected].find((one) => one?.id === id)?.name ?? id);

/** Why it was refused, or what it changed. */
export const detailOf = (entry: LogEntry): string => {
  const { error, message, changes, change_count: count } = entry;
  if (error !== null) return message === null ? error : `${error}: ${message}`;
  const shown = changes.map(({ path, before, after }) =>
    before === undefined && after === undefined
      ? path
      : `${path}: ${before === null ? '' : `${json(before)} → `}${json(after)}`,
  );
  const rest = count > changes.length ? [`and ${count - changes.length} more`] : [];
  return named([...shown, ...rest, ...skippedIn(entry)].join(', '), entry);
};

const skippedIn = (entry: LogEntry): readonly string[] => {
  const skipped = skippedMembersIn(entry);
  return skipped === undefined ? [] : [`left out ${skipped}`];
};

/** One entry in one line. */
const logLine = (entry: LogEntry, paint: Paint): string => {
  const { at, outcome, type, subject, actor, source } = entry;
  const painted = { applied: paint.green, refused: paint.yellow, failed: paint.red }[outcome];
  return [
    formatSecond(at),
    (painted ?? paint.dim)(printable(outcome).padEnd('applied'.length)),
    printable(type),
    printable(nameOf(subject)),
    paint.dim(printable(`${source}, ${nameOf(actor)}`)),
    printable(detailOf(entry)),
  ]
    .join('  ')
    .trimEnd();
};

const SHOWN_FIRST = 10;
const POLL_MS = 1_000;
/** An entry may appear a little after one that has a later time. */
const OVERLAP_MS = 10_000;
const MAX_REMEMBERED = 5_000;
/** What the gateway's stream can filter by. */
const STREAM_FILTERS = ['outcome', 'source', 'type', 'limit'];

type Query = Readonly<Record<string, unknown>>;

const Page = z.object({ commands: z.array(LogEntry), next: z.string().nullable() });

/** Prints the last entries and every new one, oldest first, until Ctrl-C. */
const followLog = async (session: Session, query: Query): Promise<void> => {
  const signal = session.context.interruption();
  const print = printerOnce(session);
  const stream = Object.keys(query).every((name) => STREAM_FILTERS.includes(name))
    ? await openStream(session, query, signal)
    : undefined;
  // Read when the stream is open, so that nothing falls between the two.
  const first = await readPage(session, { ...query, limit: query['limit'] ?? SHOWN_FIRST });
  for (const entry of first.toReversed()) print(entry);
  if (stream === undefined) await poll(session, query, { signal, print, newest: first[0]?.at });
  else await consume(stream, { session, query, signal, print });
};

type Print = (entry: LogEntry) => void;

const printerOnce = ({ paint, format, context: { stdout } }: Session): Print => {
  const seen = new Set<string>();
  const render = createStreamRenderer(format);
  return (entry) => {
    if (seen.has(entry.id)) return;
    seen.add(entry.id);
    for (const oldest of seen) {
      if (seen.size <= MAX_REMEMBERED) break;
      seen.delete(oldest);
    }
    const people = (): string => `${logLine(entry, paint)}\n`;
    stdout.write(render({ people, json: JSON.stringify(entry), quiet: () => entry.id }));
  };
};

const readPage = async (session: Session, query: Query): Promise<readonly LogEntry[]> =>
  session.read(Page, await session.client.request('GET', '/commands', { query })).commands;

type Stream = AsyncIterable<StreamedEvent>;

const openStream = (
  session: Session,
  { limit: _limit, ...query }: Query,
  signal: AbortSignal,
  lastEventId?: string,
): Promise<Stream> =>
  session.call((api) =>
    api.stream('/admin/v1/tenants/{slug}/live', {
      path: { slug: session.tenant ?? '' },
      query,
      signal,
      ...(lastEventId !== undefined && { lastEventId }),
    }),
  );

interface Following {
  readonly session: Session;
  readonly query: Query;
  readonly signal: AbortSignal;
  readonly print: Print;
}

/** Continues after the last event if the gateway ends the stream, for example because it stops. */
const consume = async (first: Stream, { session, query, signal, print }: Following) => {
  let stream: Stream = first;
  let lastEventId: string | undefined;
  while (!signal.aborted) {
    const open = stream;
    await session
      .call(async () => {
        for await (const { id, event, data } of open) {
          if (id !== '') lastEventId = id;
          const entry = LogEntry.safeParse(data);
          if (event === 'command' && entry.success) print(entry.data);
        }
      })
      .catch((error: unknown) => session.note(`${String(error)}\n`));
    if (!(await pause(signal))) return;
    stream = await openStream(session, query, signal, lastEventId);
  }
};

/** False if it was interrupted. */
const pause = (signal: AbortSignal): Promise<boolean> =>
  setTimeout(POLL_MS, true, { signal }).catch(() => false);

const poll = async (
  session: Session,
  query: Query,
  { signal, print, newest }: Pick<Following, 'signal' | 'print'> & { newest: string | undefined },
): Promise<void> => {
  let until = Date.parse(newest ?? session.context.now().toISOString());
  while (await pause(signal)) {
    const since = new Date(until - OVERLAP_MS).toISOString();
    const found: LogEntry[] = [];
    let cursor: string | null | undefined;
    do {
      const page: z.output<typeof Page> = session.read(
        Page,
        await session.client.request('GET', '/commands', {
          query: { ...query, since, limit: 500, ...(cursor != null && { cursor }) },
        }),
      );
      found.push(...page.commands);
      cursor = page.next;
    } while (cursor !== null);
    for (const entry of found.toReversed()) print(entry);
    until = Math.max(until, ...found.map(({ at }) => Date.parse(at)));
  }
};

const SOURCES = [
  'scim',
  'rest',
  'admin',
  'cli',
  'dashboard',
  'connector',
  'system',
] as const satisfies readonly Source[];
const OUTCOMES = ['applied', 'no-op', 'refused', 'failed'] as const;

export const LOG = defineResource({
  name: 'log',
  noun: 'a log entry',
  plural: 'log entries',
  summary: 'read the provisioning log',
  description: 'The provisioning log: every command with its actor, subject, outcome and changes.',
  path: '/commands',
  items: 'commands',
  view: LogEntry,
  fields: [
    { label: 'time', text: ({ at }) => formatSecond(at) },
    { label: 'outcome', text: ({ outcome }) => outcome },
    { label: 'command', text: ({ type }) => type, wrapAt: 32 },
    { label: 'subject', text: ({ subject }) => nameOf(subject), wrapAt: 32 },
    { label: 'detail', text: detailOf, wrapAt: 60 },
    { label: 'actor', text: ({ actor }) => nameOf(actor), wrapAt: 24 },
    { label: 'source', text: ({ source }) => source },
    { label: 'request id', text: ({ request_id }) => request_id },
  ],
  id: ({ id }) => id,
  label: ({ id }) => id,
  list: {
    isDefault: true,
    follow: followLog,
    description:
      'List the provisioning log of a tenant, newest first. All given filters must match. With ' +
      '--follow, print the last 10 entries and every new one, oldest first, until Ctrl-C; with ' +
      '--json one per line.',
    continuation: 'cursor',
    filters: [
      { flags: '--subject <name>', help: 'only this subject: an id or a name' },
      {
        flags: '--affected <name>',
        help: 'only changes to this user or room: an id, or a user name, email address or display name',
      },
      {
        flags: '--actor <name>',
        help: 'only this actor: id or description of a key, or name of an operator',
      },
      {
        flags: '--type <command>',
        help: 'only this command, such as user.create',
        choices: COMMAND_TYPES,
      },
      {
        flags: '--source <source>',
        help: `only this interface: ${SOURCES.join(', ')}`,
        choices: SOURCES,
      },
      {
        flags: '--outcome <outcome>',
        help: `only this outcome: ${OUTCOMES.join(', ')}`,
        choices: OUTCOMES,
      },
      { flags: '--request-id <id>', help: 'only commands of this request' },
      {
        flags: '--since <time>',
        help: 'only since this time: 2h means two hours ago; also 2027-01-31 or 2027-01-31T08:00Z',
        type: 'past-time',
      },
      { flags: '--until <time>', help: 'only before this time', type: 'past-time' },
      { flags: '--search <text>', field: 'q', help: 'only entries with this text in a name or id' },
    ],
    examples: [
      ['rollgate log list acme --outcome refused --since 1h', 'what was refused, and why'],
      ['rollgate log list acme --affected ada@example.com', 'everything that changed a user'],
      ['rollgate log list acme --json | jq .commands', 'with all fields'],
      ['rollgate log list acme --follow --outcome refused', 'what is refused from now on'],
    ],
  },
});
