import { z } from 'zod';
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

/** Streams of a gateway. */
const MAX_STREAMS = 100;

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

/** The provisioning log as it is written. */
export const liveRoutes = ({ tenants, commands, now }: LiveRouteParts): readonly Route[] => {
  const watch = createLogWatch(commands);
  let open = 0;

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
    open += 1;
    try {
      for await (const step of steps) if (isShown(step)) yield eventOf(step);
    } finally {
      open -= 1;
    }
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
        `nothing may be out of order. A gateway has at most ${MAX_STREAMS} of these streams.`,
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
      handler: async ({ params: { slug }, query, signal, lastEventId }) => {
        const { id: tenantId } = await tenantBySlug(tenants, slug);
        if (open >= MAX_STREAMS)
          raise('UNAVAILABLE', 'Too many live streams are open. Close one, or retry later.', {
            retryAfter: 30,
          });
        const after = await startOf(tenantId, lastEventId);
        const steps = tailLog({ reader: commands, watch, tenantId, after, now, signal });
        return { status: 200, stream: eventsOf(steps, matches(query)) };
      },
    }),
  ];
};
