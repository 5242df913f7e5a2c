import { z } from 'zod';
import type { OperatorCaller } from '../../api/caller.js';
import type { CommandLogReader } from '../../api/command-log.js';
import { instantField } from '../../api/fields.js';
import { operatorRoute, type Route, type ServerSentEvent } from '../../api/route.js';
import type { TenantReader } from '../../api/tenants.js';
import type { TenantId } from '../../domain/kernel/ids.js';
import { raise } from '../../domain/kernel/refusals.js';
import { CommandView, OUTCOMES, presentCommand, SOURCES, TYPES } from './command-view.js';
import { readTailCursor, writeTailCursor } from './log-cursor.js';
import { type LogStep, tailLog } from './tail-log.js';
import { SLUG_PARAM, tenantBySlug } from './tenant-by-slug.js';
import { afterCommit, createLogWatch, isCommitRead, type TailPosition } from './watch-log.js';

export interface LiveRouteParts {
  readonly tenants: Pick<TenantReader, 'findBySlug'>;
  readonly commands: Pick<CommandLogReader, 'ends' | 'positions' | 'findAll' | 'unapplied'>;
  /** The database's time. */
  readonly now: () => Date;
}

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
  .meta({ id: 'LiveHeartbeat', examples: [{ at: '2026-01-31T12:00:00.000Z' }] });

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
export const liveRoutes = ({ tenants, commands, now }: LiveRouteParts): readonly Route[] => {
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
    operatorRoute({
      method: 'GET',
      path: '/tenants/{slug}/live',
      operationId: 'streamCommands',
      tag: 'Provisioning log',
      summary: 'Follow the provisioning log',
      description:
        'Server-sent events, from all gateways, within a second: `command` with an entry of the log, ' +
        'and `heartbeat` at the start and every 15 s. A client that sends `Last-Event-ID` continues ' +
        'there; without it, the stream starts now. Each entry is sent once; those of commands that changed ' +
        `nothing may be out of order. A gateway has at most ${MAX_STREAMS} of these streams, ` +
        `${MAX_OF_TENANT} of one tenant and ${MAX_OF_OPERATOR} of one operator.`,
      params: z.object(SLUG_PARAM),
      query: Filters,
      responses: {
        200: {
          description: 'The entries, until the client disconnects.',
          body: z.union([CommandView, Heartbeat]),
          isStream: true,
        },
      },
      refusals: ['TENANT_NOT_FOUND'],
      handler: async ({ params: { slug }, query, caller, signal, lastEventId }) => {
        const { id: tenantId } = await tenantBySlug(tenants, slug);
        streams.open(tenantId, caller, signal);
        const after = await startOf(tenantId, lastEventId);
        const steps = tailLog({ reader: commands, watch, tenantId, after, now, signal });
        return { status: 200, stream: eventsOf(steps, matches(query)) };
      },
    }),
  ];
};
