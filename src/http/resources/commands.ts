import { z } from 'zod';
import { idField, PAGE_FIELDS, textFilter, timeField } from '../../routes/fields.js';
import type { CommandLogQuery, CommandLogReader } from '../../ports/command-log.js';
import { tenantRoute, type Route } from '../../routes/route.js';
import { fromWire } from '../../routes/wire.js';
import { raise } from '../../domain/kernel/refusals.js';
import { CommandView, OUTCOMES, presentCommand, SOURCES, TYPES } from './command-view.js';
import { readLogCursor, writeLogCursor } from './log-cursor.js';
import type { RouteParts } from './route-parts.js';
import type { TenantId } from '../../domain/kernel/ids.js';
import { type CsvColumn, csvOf } from '../../routes/csv.js';

type Command = z.output<typeof CommandView>;

/** Entries that are read at once: a few milliseconds of work. */
const PAGE = 100;

const COLUMNS: readonly CsvColumn<Command>[] = [
  ['at', ({ at }) => at],
  ['id', ({ id }) => id],
  ['outcome', ({ outcome }) => outcome],
  ['error', ({ error }) => error],
  ['message', ({ message }) => message],
  ['type', ({ type }) => type],
  ['source', ({ source }) => source],
  ['actor_kind', ({ actor }) => actor.kind],
  ['actor_id', ({ actor }) => actor.id],
  ['actor_name', ({ actor }) => actor.name],
  ['subject_kind', ({ subject }) => subject?.kind ?? null],
  ['subject_id', ({ subject }) => subject?.id ?? null],
  ['subject_name', ({ subject }) => subject?.name ?? null],
  ['affected_count', ({ affected_count }) => affected_count],
  ['change_count', ({ change_count }) => change_count],
  ['changes', ({ changes }) => (changes.length === 0 ? null : JSON.stringify(changes))],
  ['first_event', ({ events }) => events?.first_seq ?? null],
  ['last_event', ({ events }) => events?.last_seq ?? null],
  ['deliveries', ({ deliveries }) => deliveries],
  ['duration_ms', ({ duration_ms }) => duration_ms],
  ['request_id', ({ request_id }) => request_id],
];

/** How entries are written, by format. */
const FORMATS = {
  csv: csvOf(COLUMNS),
  ndjson: {
    type: 'application/x-ndjson',
    header: '',
    lineOf: (command: Command): string => `${JSON.stringify(command)}\n`,
  },
} as const;

type ExportFormat = keyof typeof FORMATS;

interface ExportParts {
  readonly reader: Pick<CommandLogReader, 'page'>;
  readonly tenantId: TenantId;
  readonly query: Omit<CommandLogQuery, 'limit'>;
  readonly format: ExportFormat;
  readonly signal: AbortSignal;
}

/** The entries that match, as text, page by page: as fast as the client reads. */
const exportLog = async function* ({
  reader,
  tenantId,
  query,
  format,
  signal,
}: ExportParts): AsyncGenerator<string> {
  const { header, lineOf } = FORMATS[format];
  if (header !== '') yield header;
  let { after } = query;
  do {
    signal.throwIfAborted();
    const page = await reader.page(tenantId, { ...query, limit: PAGE, ...(after && { after }) });
    const text = page.entries.map((entry) => lineOf(presentCommand(entry))).join('');
    if (text !== '') yield text;
    after = page.next;
  } while (after);
};

const FILTERS = {
  subject: textFilter('Id or name of the subject.'),
  affected: textFilter(
    'A user or room that the command changed: an id, or a user name, email address or display name.',
  ),
  actor: textFilter('Id or description of an API key, or name of an operator.'),
  type: z.enum(TYPES).optional(),
  source: z.enum(SOURCES).optional(),
  outcome: z.enum(OUTCOMES).optional(),
  request_id: textFilter('All commands of one request, such as the operations of a Bulk.'),
  since: timeField().optional().describe('At or after this time.'),
  until: timeField().optional().describe('Before this time.'),
  q: textFilter('Text that a name or an id contains, ignoring case.'),
};

const LogFilters = z.strictObject({
  limit: PAGE_FIELDS.limit,
  cursor: textFilter('`next` of the previous page; omit it for the first page.'),
  ...FILTERS,
});

const ExportFilters = z.strictObject({
  format: z.enum(['csv', 'ndjson']).default('csv'),
  ...FILTERS,
});

const LogPage = z
  .strictObject({
    commands: z.array(CommandView),
    next: z.string().nullable().describe('`cursor` of the next page; null on the last page.'),
  })
  .meta({ id: 'CommandList' });

/** What a customer's identity provider was refused; nothing that operators or their programs did. */
const FOR_SETUP = { outcome: 'refused', source: 'scim' } as const;

type Given = Omit<z.output<typeof LogFilters>, 'limit' | 'cursor'>;

const filtersOf = ({ q, since, until, ...given }: Given): Omit<CommandLogQuery, 'limit'> => ({
  ...fromWire(given),
  ...(since !== undefined && { since: new Date(since) }),
  ...(until !== undefined && { until: new Date(until) }),
  ...(q !== undefined && { text: q }),
});

const queryOf = ({ limit, cursor, ...given }: z.output<typeof LogFilters>): CommandLogQuery => ({
  limit,
  ...(cursor !== undefined && { after: readLogCursor(cursor) }),
  ...filtersOf(given),
});

/** The provisioning log (decisions.md 8). */
export const commandRoutes = ({ commands }: RouteParts): readonly Route[] => [
  tenantRoute({
    method: 'GET',
    path: '/commands',
    operationId: 'listCommands',
    forCustomers: {
      // Not who did it, and what else it changed.
      fields:
        'commands(id at source type title subject(kind id name) outcome error message request_id) next',
    },
    tag: 'Provisioning log',
    summary: "List the entries of a tenant's provisioning log",
    description:
      'Newest first. Filters are combined with AND. A page may have fewer entries than `limit`, even ' +
      'none, while `next` is set: each request searches a bounded part of the log. `subject`, ' +
      '`affected`, `actor` and `request_id` use an index. Setup links see what was refused over SCIM ' +
      'only, whatever `outcome` and `source` are.',
    query: LogFilters,
    responses: { 200: { description: 'A page of the log.', body: LogPage } },
    handler: async ({ caller: { tenant, setup }, query }) => {
      const shown = setup ? { ...query, ...FOR_SETUP } : query;
      const { entries, next } = await commands.page(tenant.id, queryOf(shown));
      return {
        status: 200,
        body: { commands: entries.map(presentCommand), next: next ? writeLogCursor(next) : null },
      };
    },
  }),
  tenantRoute({
    method: 'GET',
    path: '/commands/export',
    operationId: 'exportCommands',
    tag: 'Provisioning log',
    summary: 'Export the provisioning log',
    description:
      'All entries that match, newest first, as CSV (RFC 4180) or with an entry per line as JSON. It is ' +
      'read and sent page by page, so it may be of any length. In CSV, an apostrophe precedes text that ' +
      'a spreadsheet would run as a formula. If reading fails midway, the connection breaks.',
    query: ExportFilters,
    responses: {
      200: { description: 'The entries.', mediaTypes: ['text/csv', 'application/x-ndjson'] },
    },
    handler: ({ caller: { tenant }, query: { format, ...given }, signal }) => {
      const query = filtersOf(given);
      const chunks = exportLog({ reader: commands, tenantId: tenant.id, query, format, signal });
      const name = `provisioning-log-${tenant.slug}.${format}`;
      return Promise.resolve({ status: 200, file: { type: FORMATS[format].type, name, chunks } });
    },
  }),
  tenantRoute({
    method: 'GET',
    path: '/commands/{commandId}',
    operationId: 'getCommand',
    tag: 'Provisioning log',
    summary: 'Get an entry of the provisioning log',
    params: z.object({ commandId: idField("The command's id.") }),
    responses: { 200: { description: 'The entry.', body: CommandView } },
    refusals: ['COMMAND_NOT_FOUND'],
    handler: async ({ caller: { tenant }, params: { commandId } }) => {
      const entry = await commands.find(tenant.id, commandId.toLowerCase());
      return { status: 200, body: presentCommand(entry ?? raise('COMMAND_NOT_FOUND')) };
    },
  }),
];
