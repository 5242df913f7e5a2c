import {
  type ConnectorHost,
  type JsonObject,
  type ReadMessage,
  type ReadRequest,
  requireOk,
  SourceError,
  type SourceField,
  streamJsonArray,
} from '../../src/plugin/api.js';
import type { WorkdaySettings } from './settings.js';
import { whileWaiting } from './while-waiting.js';

const CONTEXT = {
  source: 'Workday',
  hints: {
    400: 'Check the settings "prompts": each prompt of the report needs a value or a default.',
    401: 'Check user and password, and that the user may sign in with a password.',
    403: 'Share the report with the integration system user, and activate its security policies.',
    404: 'Check tenant, owner and report: compare them with the address that View URLs shows.',
  },
};
type Row = Readonly<Record<string, unknown>>;

/** How often to say that the report is still being computed. */
const WAITING_MS = 30_000;
/** How many rows show the columns of a report. */
const SAMPLE = 50;

/** Reads a report as it arrives; Workday sends it in one response. */
export const createReader = ({ http, settings }: ConnectorHost<WorkdaySettings>) => {
  const { tenant, owner, report, idColumn, prompts } = settings;
  const path = [tenant, owner, report].map(encodeURIComponent).join('/');
  const base = (settings.baseUrl ?? `https://${settings.host ?? ''}`).replace(/\/$/, '');

  async function* rows(signal: AbortSignal): AsyncGenerator<Row> {
    const response = await http.stream({
      url: `${base}/ccx/service/customreport2/${path}`,
      query: { ...prompts, format: 'json' },
      auth: { user: `${settings.user}@${tenant}`, password: settings.password.reveal() },
      headers: { accept: 'application/json' },
      timeoutMs: settings.timeout,
      signal,
    });
    try {
      requireOk(response, CONTEXT);
      yield* streamJsonArray(response.body, { key: 'Report_Entry', source: 'Workday', signal });
    } finally {
      response.body.destroy();
    }
  }

  const messageOf = (row: Row): ReadMessage => {
    const id = row[idColumn];
    if (typeof id === 'string' && id !== '') return { type: 'record', id, data: row as JsonObject };
    return { type: 'recordError', message: `A row has no value in the column ${idColumn}.` };
  };

  async function* read({ ids, signal }: ReadRequest): AsyncGenerator<ReadMessage> {
    const wanted = ids && new Set(ids);
    for await (const row of whileWaiting(withId(rows(signal), idColumn), WAITING_MS)) {
      if (row === undefined) {
        // Nothing was read: a read that resumes here starts at the beginning.
        yield { type: 'checkpoint', cursor: null };
        continue;
      }
      const message = messageOf(row);
      if (wanted && !(message.type === 'record' && wanted.delete(message.id))) continue;
      yield message;
    }
    const message = 'The report has no row of this worker.';
    for (const id of wanted ?? []) yield { type: 'recordError', id, message };
    yield { type: 'complete', cursor: null };
  }

  return {
    read: (request: ReadRequest) => read(request),
    /** The columns of the first rows; a row lacks those without a value. */
    columns: async (signal: AbortSignal): Promise<readonly SourceField[]> => {
      const columns = new Map<string, SourceField>();
      let count = 0;
      for await (const row of withId(rows(signal), idColumn)) {
        for (const [path, value] of Object.entries(row))
          columns.set(path, { path, type: typeof value });
        if ((count += 1) === SAMPLE) break;
      }
      return [...columns.values()];
    },
  };
};

/**
 * The rows; a SourceError if none of the first ones has the column. Single rows may lack it: Workday
 * leaves out what is empty.
 */
async function* withId(rows: AsyncIterable<Row>, column: string): AsyncGenerator<Row> {
  let waiting: Row[] | undefined = [];
  for await (const row of rows) {
    if (!waiting) {
      yield row;
      continue;
    }
    waiting.push(row);
    if (column in row) {
      yield* waiting;
      waiting = undefined;
    } else if (waiting.length === SAMPLE) throw noColumn(row, column);
  }
  const last = waiting?.at(-1);
  if (last) throw noColumn(last, column);
}

const noColumn = (row: Row, column: string): SourceError =>
  new SourceError(
    'schema',
    `The report has no column ${column}. Its columns are: ${Object.keys(row).join(', ')}. ` +
      'Set idColumn to the one that identifies a worker.',
  );
