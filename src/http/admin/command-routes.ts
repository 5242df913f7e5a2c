import { z } from 'zod';
import type { CommandLogQuery, CommandLogReader } from '../../api/command-log.js';
import { idField, instantField, PAGE_FIELDS, pageOf, timeField } from '../../api/fields.js';
import { operatorRoute, type Route } from '../../api/route.js';
import type { TenantReader } from '../../api/tenants.js';
import type { Source } from '../../domain/actor.js';
import type { CommandType } from '../../domain/commands.js';
import { DECIDERS } from '../../domain/decide/deciders.js';
import type { CommandLogEntry, LogOutcome } from '../../pipeline/commit-store.js';
import { SLUG_PARAM, tenantInPath } from './tenant-in-path.js';

export interface CommandRouteParts {
  readonly tenants: Pick<TenantReader, 'findBySlug'>;
  readonly commands: CommandLogReader;
}

const TYPES = Object.keys(DECIDERS) as [CommandType, ...CommandType[]];
const OUTCOMES = ['applied', 'no-op', 'refused', 'failed'] as const satisfies readonly LogOutcome[];
const SOURCES = [
  'scim',
  'rest',
  'admin',
  'cli',
  'dashboard',
  'connector',
  'system',
] as const satisfies readonly Source[];

/** A line of the provisioning log (decisions.md 8). */
const CommandView = z
  .strictObject({
    id: idField("The command's id."),
    at: instantField('When it was decided.'),
    actor: z.string().describe('`api-key:<id>`, `operator:<name>`, `connector:<name>` …'),
    source: z.enum(SOURCES).describe('The door it came through.'),
    type: z.enum(TYPES),
    target: z.string().nullable().describe('The id of what it was about.'),
    outcome: z.enum(OUTCOMES),
    error: z.string().nullable().describe('The code of the refusal.'),
    message: z
      .string()
      .nullable()
      .describe('The sentence of the refusal, without what is known of a person.'),
    changed: z.array(z.string()).describe('The names of what changed.'),
    events: z
      .strictObject({ first_seq: z.int(), last_seq: z.int() })
      .nullable()
      .describe("The places of its events in the tenant's log."),
    duration_ms: z.number(),
    request_id: z.string(),
  })
  .meta({ id: 'Command' });

const LogFilters = z.strictObject({
  ...PAGE_FIELDS,
  type: z.enum(TYPES).optional(),
  outcome: z.enum(OUTCOMES).optional(),
  source: z.enum(SOURCES).optional(),
  target: z.string().min(1).max(64).optional().describe('The id of what they were about.'),
  since: timeField().optional().describe('From this time on.'),
  until: timeField().optional().describe('Before this time.'),
});

const queryOf = ({
  limit,
  offset,
  type,
  outcome,
  source,
  target,
  since,
  until,
}: z.output<typeof LogFilters>): CommandLogQuery => ({
  limit,
  offset,
  ...(type !== undefined && { type }),
  ...(outcome !== undefined && { outcome }),
  ...(source !== undefined && { source }),
  ...(target !== undefined && { target }),
  ...(since !== undefined && { since: new Date(since) }),
  ...(until !== undefined && { until: new Date(until) }),
});

const present = (entry: CommandLogEntry): z.output<typeof CommandView> => ({
  id: entry.id,
  at: entry.at.toISOString(),
  actor: entry.actor,
  source: entry.source,
  type: entry.type,
  target: entry.target,
  outcome: entry.outcome,
  error: entry.refusal?.code ?? null,
  message: entry.refusal?.message ?? null,
  changed: [...entry.changed],
  events: entry.events && { first_seq: entry.events[0], last_seq: entry.events[1] },
  duration_ms: entry.durationMs,
  request_id: entry.requestId,
});

/** The provisioning log: what was asked, by whom, and what came of it. */
export const commandRoutes = ({ tenants, commands }: CommandRouteParts): readonly Route[] => [
  operatorRoute({
    method: 'GET',
    path: '/tenants/{slug}/commands',
    operationId: 'listCommands',
    tag: 'Provisioning log',
    summary: "Read a tenant's provisioning log",
    description: 'Newest first. All conditions that are given must hold.',
    params: z.object(SLUG_PARAM),
    query: LogFilters,
    answers: {
      200: {
        description: 'A page of the log.',
        body: pageOf('commands', CommandView, 'CommandList'),
      },
    },
    refusals: ['TENANT_NOT_FOUND'],
    handler: async ({ params: { slug }, query }) => {
      const { id } = await tenantInPath(tenants, slug);
      const page = await commands.page(id, queryOf(query));
      const { limit, offset } = query;
      const shown = page.entries.map(present);
      return { status: 200, body: { commands: shown, total: page.total, limit, offset } };
    },
  }),
];
