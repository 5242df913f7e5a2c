import type { CommandLogQuery, CommandLogReader } from '../../ports/command-log.js';
import type { TenantId } from '../../domain/kernel/ids.js';
import type { z } from 'zod';
import { type CsvColumn, csvOf } from '../csv.js';
import { type CommandView, presentCommand } from './command-view.js';

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
export const FORMATS = {
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
export const exportLog = async function* ({
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
