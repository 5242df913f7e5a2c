import type { CommandLogReader } from '../../ports/command-log.js';
import type { TenantId } from '../../domain/kernel/ids.js';
import type { CommandLogEntry } from '../../pipeline/commit-store.js';
import {
  afterCommit,
  isCommitRead,
  type LogWatch,
  type TailPosition,
  createLogWatch,
} from './watch-log.js';
import { z } from 'zod';
import type { OperatorCaller } from '../../routes/caller.js';
import { instantField } from '../../routes/fields.js';
import { tenantRoute, type Route, type ServerSentEvent } from '../../routes/route.js';
import { raise } from '../../domain/kernel/refusals.js';
import { CommandView, OUTCOMES, presentCommand, SOURCES, TYPES } from './command-view.js';
import { readTailCursor, writeTailCursor } from './log-cursor.js';
import type { RouteParts } from './route-parts.js';

/** Positions that one read returns. */
const MAX_POSITIONS = 5_000;
/** Entries that one read returns. */
const MAX_ENTRIES = 500;
const HEARTBEAT_MS = 15_000;

/** An entry or a sign of life, with the position that was read. */
type LogStep = { readonly position: TailPosition } & (
  { readonly entry: CommandLogEntry } | { readonly heartbeat: Date }
);

interface TailParts {
  readonly reader: Pick<CommandLogReader, 'positions' | 'findAll' | 'unapplied'>;
  readonly watch: LogWatch;
  readonly tenantId: TenantId;
  /** Entries after it are returned. */
  readonly after: TailPosition;
  /** The database's time. */
  readonly now: () => Date;
  readonly signal: AbortSignal;
}

/**
 * The entries of the log from a position on, as all gateways write them, within a second of their
 * becoming visible, until the signal aborts. Every entry comes once, however late its gateway wrote
 * it: the commits of a tenant are in the order of their times, and entries without a commit are
 * numbered. A slow reader gets them as fast as it takes them: only a batch is in memory.
 *
 * @internal
 */
export const tailLog = async function* (parts: TailParts): AsyncGenerator<LogStep> {
  const { watch, tenantId, now, signal } = parts;
  let position = parts.after;
  let beatAt = -Infinity;
  while (!signal.aborted) {
    if (performance.now() - beatAt >= HEARTBEAT_MS) {
      beatAt = performance.now();
      yield { heartbeat: now(), position };
    }
    const timeoutMs = Math.max(0, HEARTBEAT_MS - (performance.now() - beatAt));
    const end = await watch.next(tenantId, position, { timeoutMs, signal });
    if (!end) continue;
    for await (const step of committed(parts, position, end.committedAt)) {
      ({ position } = step);
      if (step.entry) yield { entry: step.entry, position };
    }
    for await (const step of unapplied(parts, position, end.unapplied)) {
      ({ position } = step);
      if (step.entry) yield { entry: step.entry, position };
    }
  }
};

interface Read {
  /** Undefined at the end of what could be read. */
  readonly entry?: CommandLogEntry;
  readonly position: TailPosition;
}

const committed = async function* (
  { reader, tenantId }: TailParts,
  after: TailPosition,
  until: Date,
): AsyncGenerator<Read> {
  let position = after;
  let isRead = isCommitRead(position, until);
  while (!isRead) {
    const found = await reader.positions(tenantId, {
      after: position,
      until,
      limit: MAX_POSITIONS,
    });
    for (let at = 0; at < found.length; at += MAX_ENTRIES) {
      const ids = found.slice(at, at + MAX_ENTRIES).map(({ id }) => id);
      for (const entry of await reader.findAll(tenantId, ids)) {
        position = { ...position, at: entry.at, id: entry.id };
        // Entries without a commit have an order of their own.
        if (entry.unappliedSeq === undefined) yield { entry, position };
      }
    }
    isRead = found.length < MAX_POSITIONS;
    position = { ...position, ...(isRead ? afterCommit(until) : found.at(-1)) };
  }
  yield { position };
};

const unapplied = async function* (
  { reader, tenantId }: TailParts,
  after: TailPosition,
  until: number,
): AsyncGenerator<Read> {
  let position = after;
  while (position.unapplied < until) {
    const found = await reader.unapplied(tenantId, {
      after: position.unapplied,
      limit: MAX_ENTRIES,
    });
    for (const entry of found) {
      position = { ...position, unapplied: entry.unappliedSeq ?? until };
      yield { entry, position };
    }
    // Others have expired.
    if (found.length < MAX_ENTRIES)
      position = { ...position, unapplied: Math.max(position.unapplied, until) };
  }
  yield { position };
};

/** Streams of a gateway, and how many of them one tenant and one operator may take. */
const MAX_STREAMS = 100;
const MAX_OF_TENANT = 25;
const MAX_OF_OPERATOR = 10;
const RETRY_AFTER = 30;

const Filters = z.strictObject({
  outcome: z.enum(OUTCOMES).optional(),
  source: z.enum(SOURCES).optional(),
  type: z.enum(TYPES).optional(),
});

const Heartbeat = z
  .strictObject({ at: instantField('The time of the database.') })
  .meta({ id: 'LiveHeartbeat' });

const matches =
  ({ outcome, source, type }: z.output<typeof Filters>) =>
  (step: LogStep): boolean =>
    !('entry' in step) ||
    ((outcome === undefined || step.entry.outcome === outcome) &&
      (source === undefined || step.entry.source === source) &&
      (type === undefined || step.entry.type === type));

const eventOf = (step: LogStep): ServerSentEvent =>
  'entry' in step
    ? { id: writeTailCursor(step.position), event: 'command', data: presentCommand(step.entry) }
    : {
        id: writeTailCursor(step.position),
        event: 'heartbeat',
        data: { at: step.heartbeat.toISOString() },
      };

/** Counts the open streams. */
const createStreamCount = () => {
  const open: { readonly tenantId: TenantId; readonly operator: string }[] = [];

  const refuseBeyond = (limit: number, count: number, whose: string): void => {
    if (count >= limit)
      raise(
        'RATE_LIMITED',
        `${limit} live streams ${whose} are open, which is the limit. Close one, or retry later.`,
        { retryAfter: RETRY_AFTER },
      );
  };

  return {
    /** Counts a stream until the signal aborts. Throws RefusalError beyond a limit. */
    open: (tenantId: TenantId, { actor }: OperatorCaller, signal: AbortSignal): void => {
      const stream = { tenantId, operator: actor.id ?? actor.name };
      const count = (isSame: (other: typeof stream) => boolean) => open.filter(isSame).length;
      refuseBeyond(
        MAX_OF_OPERATOR,
        count(({ operator }) => operator === stream.operator),
        'of this operator',
      );
      refuseBeyond(
        MAX_OF_TENANT,
        count((other) => other.tenantId === tenantId),
        'of this tenant',
      );
      if (open.length >= MAX_STREAMS)
        raise('UNAVAILABLE', 'Too many live streams are open. Retry later.', {
          retryAfter: RETRY_AFTER,
        });
      if (signal.aborted) return;
      open.push(stream);
      signal.addEventListener('abort', () => open.splice(open.indexOf(stream), 1), { once: true });
    },
  };
};

/** The provisioning log as it is written. */
export const liveRoutes = ({ commands, now }: RouteParts): readonly Route[] => {
  const watch = createLogWatch(commands);
  const streams = createStreamCount();

  /** Without a position, and as far as one is of an earlier version, the end of the log. */
  const startOf = async (tenantId: TenantId, lastEventId?: string): Promise<TailPosition> => {
    const end = (await commands.ends([tenantId])).get(tenantId);
    const { committedAt = new Date(0), unapplied = 0 } = end ?? {};
    const newest = { ...afterCommit(committedAt), unapplied };
    if (lastEventId === undefined) return newest;
    const given = readTailCursor(lastEventId);
    return isCommitRead(given, committedAt)
      ? { ...newest, ...given, ...afterCommit(committedAt) }
      : { ...newest, ...given };
  };

  const eventsOf = async function* (
    steps: AsyncIterable<LogStep>,
    isShown: (step: LogStep) => boolean,
  ): AsyncGenerator<ServerSentEvent> {
    for await (const step of steps) if (isShown(step)) yield eventOf(step);
  };

  return [
    tenantRoute({
      method: 'GET',
      path: '/live',
      operationId: 'streamCommands',
      tag: 'Provisioning log',
      summary: 'Follow the provisioning log',
      description:
        'Server-sent events, from all gateways, within a second: `command` with an entry of the log, ' +
        'and `heartbeat` at the start and every 15 s. A client that sends `Last-Event-ID` continues ' +
        'there; without it, the stream starts now. Each entry is sent once; those of commands that changed ' +
        `nothing may be out of order. A gateway has at most ${MAX_STREAMS} of these streams, ` +
        `${MAX_OF_TENANT} of one tenant and ${MAX_OF_OPERATOR} of one operator.`,
      query: Filters,
      responses: {
        200: {
          description: 'The entries, until the client disconnects.',
          body: z.union([CommandView, Heartbeat]),
          isStream: true,
        },
      },
      handler: async ({ query, caller, signal, lastEventId }) => {
        const tenantId = caller.tenant.id;
        streams.open(tenantId, caller, signal);
        const after = await startOf(tenantId, lastEventId);
        const steps = tailLog({ reader: commands, watch, tenantId, after, now, signal });
        return { status: 200, stream: eventsOf(steps, matches(query)) };
      },
    }),
  ];
};
