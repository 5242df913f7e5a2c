import {
  type ConnectorHost,
  type JsonObject,
  type ReadMessage,
  type ReadRequest,
  SourceError,
  z,
} from '../../src/plugin/api.js';
import type { BambooClient, Changes, Page } from './client.js';
import { hiddenFieldsOf, recordOf } from './record.js';

/** How far before its start a full read asks for changes: the clocks may differ. */
const OVERLAP_MS = 5 * 60_000;
const MAX_PAGE = 1_000;
/** More repeats than this are read again instead of remembered. */
const MAX_REPEATS = 1_000;

/** Where a delta starts. */
const DeltaCursor = z.object({
  since: z.string(),
  /** Employees that two reads saw with the same `lastChanged`: `since` is inclusive. */
  repeats: z.record(z.string(), z.string()),
  /** Those that the last read saw for the first time. */
  seen: z.record(z.string(), z.string()),
});

/** Where a full read resumes. */
const FullCursor = z.object({
  page: z.int(),
  pageSize: z.int(),
  total: z.int(),
  latest: z.string(),
  /** Employees that had been deleted before the read started. */
  deleted: z.array(z.string()),
});

/** Reads employees from the dataset; a delta reads the list of changes first. */
export const createReader = (
  client: BambooClient,
  fields: readonly string[],
  { clock }: Pick<ConnectorHost, 'clock'>,
) => {
  const today = (): string => clock.now().toISOString().slice(0, 10);

  const messageOf = (row: Page['data'][number]): ReadMessage => {
    const id = row.fields.eeid;
    const hidden = hiddenFieldsOf(row, fields);
    if (hidden.length === 0) return { type: 'record', id, data: recordOf(row, fields, today()) };
    const message = `The API key may not see ${hidden.join(', ')} of this employee.`;
    return { type: 'recordError', id, message };
  };

  /** A page, from 1. Its links are not used: the total says how many pages there are. */
  const readPage = async (page: number, pageSize: number, signal: AbortSignal) => {
    const { data: rows, meta } = await client.page(page, pageSize, signal);
    const total = meta.totalItems;
    const expected = Math.max(0, Math.min(pageSize, total - (page - 1) * pageSize));
    if (rows.length !== expected)
      throw new SourceError(
        'schema',
        `BambooHR sent ${rows.length} employees on page ${page}, ${expected} were expected.`,
      );
    return { rows, total, isLast: page * pageSize >= total };
  };

  const startFull = async (request: ReadRequest) => {
    if (request.isResumed) return FullCursor.parse(request.cursor);
    const since = new Date(clock.now().getTime() - OVERLAP_MS).toISOString();
    const changes = await client.changes(since, 'all', request.signal);
    return {
      page: 1,
      pageSize: Math.min(request.pageSize, MAX_PAGE),
      total: -1,
      latest: changes.latest,
      deleted: deletedIn(changes),
    };
  };

  async function* readFull(request: ReadRequest): AsyncGenerator<ReadMessage> {
    const start = await startFull(request);
    let { total } = start;
    for (let { page } = start, isLast = false; !isLast; page += 1) {
      const result = await readPage(page, start.pageSize, request.signal);
      if (total >= 0 && result.total !== total) throw changedMeanwhile();
      ({ total, isLast } = result);
      for (const row of result.rows) yield messageOf(row);
      if (!isLast) yield { type: 'checkpoint', cursor: { ...start, page: page + 1, total } };
    }
    // A deletion moves later employees to pages that were read already.
    const { employees } = await client.changes(start.latest, 'deleted', request.signal);
    const known = new Set(start.deleted);
    if ([...employees.keys()].some((id) => !known.has(id))) throw changedMeanwhile();
    yield { type: 'complete', cursor: { since: start.latest, repeats: {}, seen: {} }, total };
  }

  /** These employees, from as many pages as it takes. */
  async function* readSome(
    ids: ReadonlySet<string>,
    { pageSize, signal }: ReadRequest,
  ): AsyncGenerator<ReadMessage> {
    const missing = new Set(ids);
    for (let page = 1, isLast = false; !isLast && missing.size > 0; page += 1) {
      const result = await readPage(page, Math.min(pageSize, MAX_PAGE), signal);
      ({ isLast } = result);
      for (const row of result.rows) if (missing.delete(row.fields.eeid)) yield messageOf(row);
    }
    const message = 'BambooHR does not list this employee, or the API key may not see them.';
    for (const id of missing) yield { type: 'recordError', id, message };
  }

  async function* readDelta(request: ReadRequest): AsyncGenerator<ReadMessage> {
    const cursor = DeltaCursor.parse(request.cursor);
    const { latest, employees } = await client.changes(cursor.since, 'all', request.signal);
    const isRepeat = (id: string, at: string): boolean => cursor.repeats[id] === at;
    const changed = new Set<string>();
    for (const [id, { action, lastChanged }] of employees) {
      if (isRepeat(id, lastChanged)) continue;
      // A deleted record; a person who leaves is an update with a status and a termination date.
      if (action === 'Deleted') yield { type: 'tombstone', id };
      else changed.add(id);
    }
    if (changed.size > 0) yield* readSome(changed, request);
    // Read again once more: a second change within the same second looks the same.
    const entries = [...employees].filter(([, { lastChanged }]) => lastChanged >= latest);
    const repeats: Record<string, string> = {};
    const seen: Record<string, string> = {};
    for (const [id, { lastChanged }] of entries.slice(0, MAX_REPEATS))
      if (isRepeat(id, lastChanged) || cursor.seen[id] === lastChanged) repeats[id] = lastChanged;
      else seen[id] = lastChanged;
    yield { type: 'complete', cursor: { since: latest, repeats, seen } satisfies JsonObject };
  }

  return async function* read(request: ReadRequest): AsyncGenerator<ReadMessage> {
    if (request.ids) {
      yield* readSome(new Set(request.ids), request);
      yield { type: 'complete', cursor: null };
    } else if (request.mode === 'full') yield* readFull(request);
    else yield* readDelta(request);
  };
};

const deletedIn = ({ employees }: Changes): string[] =>
  [...employees].filter(([, { action }]) => action === 'Deleted').map(([id]) => id);

const changedMeanwhile = (): SourceError =>
  new SourceError(
    'network',
    'Employees were added or deleted in BambooHR while they were read. The next run reads again.',
  );
