import { setTimeout } from 'node:timers/promises';
import { z } from 'zod';
import type { StreamedEvent } from '../client/index.js';
import { type LogEntry, LogEntry as EntrySchema, logLine } from './log-entry.js';
import type { Session } from './session.js';

const SHOWN_FIRST = 10;
const POLL_MS = 1_000;
/** An entry may appear a little after one that has a later time. */
const OVERLAP_MS = 10_000;
const MAX_REMEMBERED = 5_000;
/** What the gateway's stream can filter by. */
const STREAM_FILTERS = ['outcome', 'source', 'type', 'limit'];

type Query = Readonly<Record<string, unknown>>;

const Page = z.object({ commands: z.array(EntrySchema), next: z.string().nullable() });

/** Prints the last entries and every new one, oldest first, until Ctrl-C. */
export const followLog = async (session: Session, query: Query): Promise<void> => {
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

const printerOnce = ({ paint, style, context: { stdout } }: Session): Print => {
  const seen = new Set<string>();
  return (entry) => {
    if (seen.has(entry.id)) return;
    seen.add(entry.id);
    for (const oldest of seen) {
      if (seen.size <= MAX_REMEMBERED) break;
      seen.delete(oldest);
    }
    const line =
      style === 'json'
        ? JSON.stringify(entry)
        : style === 'quiet'
          ? entry.id
          : logLine(entry, paint);
    stdout.write(`${line}\n`);
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
          const entry = EntrySchema.safeParse(data);
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
