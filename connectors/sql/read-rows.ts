import {
  type ConnectorHost,
  readCaFile,
  type ReadMessage,
  type ReadRequest,
  SourceError,
  z,
} from '../../src/plugin/api.js';
import type { Column, Database, Dialect, Row } from './database.js';
import { describeFault } from './describe-fault.js';
import { MYSQL, openMysql } from './mysql.js';
import { openPostgres, POSTGRES } from './postgres.js';
import { toRecord } from './record.js';
import type { SqlSettings } from './settings.js';

type Host = ConnectorHost<SqlSettings>;

const dialectOf = ({ system }: SqlSettings): Dialect => (system === 'mysql' ? MYSQL : POSTGRES);

/** Runs some work in a session of its own. */
export const openDatabase = async (host: Host, signal: AbortSignal): Promise<Database> => {
  const { settings } = host;
  const open = settings.system === 'mysql' ? openMysql : openPostgres;
  try {
    const certificates = settings.ca === undefined ? [] : readAuthorities(settings.ca);
    const opening = open(settings, certificates, host, signal);
    const { query, close } = await orAborted(opening, signal);
    const describe = (error: unknown): never => {
      signal.throwIfAborted();
      throw describeFault(error, settings);
    };
    return {
      query: (statement, values) => orAborted(query(statement, values), signal).catch(describe),
      close,
    };
  } catch (error) {
    signal.throwIfAborted();
    throw describeFault(error, settings);
  }
};

/** A library may notice late that its socket is gone. */
const orAborted = async <Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> => {
  let stopWaiting = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    stopWaiting = () => signal.removeEventListener('abort', abort);
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    stopWaiting();
  }
};

const readAuthorities = (file: string): readonly string[] => {
  try {
    return readCaFile(file);
  } catch (cause) {
    throw new SourceError('config', (cause as Error).message, { cause });
  }
};

/** Columns that are added to those of the view. */
const ID = 'rollgate_id';
const UPDATED_AT = 'rollgate_updated_at';
const ADDED = [ID, UPDATED_AT];

/** A view whose columns are known. */
export interface View {
  readonly columns: readonly Column[];
  readonly id: Column;
  readonly updatedAt: Column | undefined;
}

/** Asks the view for its columns. */
export const describeView = async (database: Database, settings: SqlSettings): Promise<View> => {
  const dialect = dialectOf(settings);
  const { id, updatedAt } = settings;
  const list = [dialect.quote(id), ...(updatedAt === null ? [] : [dialect.quote(updatedAt)])];
  const wanted = settings.columns?.map(dialect.quote).join(', ') ?? 'v.*';
  const { columns } = await database.query(
    `select ${list.join(', ')}, ${wanted} from ${viewName(settings)} v limit 0`,
  );
  const [idColumn, second] = columns;
  if (!idColumn) throw new SourceError('schema', `The view ${settings.view} has no columns.`);
  const changed = updatedAt === null ? undefined : second;
  if (changed && !changed.kind.startsWith('timestamp'))
    throw new SourceError(
      'schema',
      `The column ${changed.name} of ${settings.view} is no timestamp. Set \`updatedAt\` to one, or ` +
        'to null.',
    );
  const collation = await collationOf(database, settings, idColumn);
  return {
    columns: columns.slice(list.length),
    id: { ...idColumn, ...(collation !== null && { collation }) },
    updatedAt: changed,
  };
};

const collationOf = async (
  database: Database,
  settings: SqlSettings,
  { name, kind }: Column,
): Promise<string | null> => {
  const { collationOf: ask, quote } = dialectOf(settings);
  if (!ask || kind !== 'other') return null;
  const { rows } = await database.query(
    `select ${ask(`v.${quote(name)}`)} as rollgate_collation from ${viewName(settings)} v limit 1`,
  );
  const collation = textOf(rows[0], 'rollgate_collation');
  // It becomes part of a statement.
  return collation !== null && /^\w+$/.test(collation) ? collation : null;
};

const viewName = (settings: SqlSettings): string => {
  const { quote } = dialectOf(settings);
  const { schema, view } = settings;
  return schema === undefined ? quote(view) : `${quote(schema)}.${quote(view)}`;
};

const Checkpoint = z.union([
  z.strictObject({ mode: z.literal('full'), after: z.string(), next: z.string().nullable() }),
  z.strictObject({
    mode: z.literal('delta'),
    after: z.tuple([z.string(), z.string()]),
    next: z.string().nullable(),
  }),
]);
const Cursor = z.strictObject({ since: z.string() });

/** Everything that the steps of one read share. */
interface Reading {
  readonly database: Database;
  readonly settings: SqlSettings;
  readonly dialect: Dialect;
  readonly view: View;
  readonly request: ReadRequest;
}

/** Reads everybody, what changed, or single people, each in one consistent view of the data. */
export async function* readPeople(host: Host, request: ReadRequest): AsyncGenerator<ReadMessage> {
  const { settings } = host;
  const { signal } = request;
  signal.throwIfAborted();
  const database = await openDatabase(host, signal);
  try {
    const view = await describeView(database, settings);
    const dialect = dialectOf(settings);
    for (const statement of dialect.snapshot) await database.query(statement);
    yield* readMode({ database, settings, dialect, view, request });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    database.close();
  }
}

async function* readMode(reading: Reading): AsyncGenerator<ReadMessage> {
  const { request, view } = reading;
  if (request.ids) {
    yield* readIds(reading, request.ids);
    return;
  }
  const resumed = request.isResumed ? Checkpoint.safeParse(request.cursor).data : undefined;
  const since = request.isResumed ? undefined : Cursor.safeParse(request.cursor).data?.since;
  const next = resumed ? resumed.next : await nextCursor(reading);
  const { updatedAt } = view;
  const hasStart = resumed?.mode === 'delta' || since !== undefined;
  if (request.mode === 'delta' && updatedAt && hasStart) {
    const after = resumed?.mode === 'delta' ? resumed.after : undefined;
    yield* readChanges(reading, updatedAt, { since, after, next });
  } else {
    const after = resumed?.mode === 'full' ? resumed.after : undefined;
    yield* readEverybody(reading, after, next);
  }
}

/**
 * Where the next delta starts: the newest change that this read can see, but not a time in the
 * future, which a wrong clock may have written.
 */
const nextCursor = async ({
  database,
  settings,
  dialect,
  view,
}: Reading): Promise<string | null> => {
  if (!view.updatedAt) return null;
  const now = dialect.now(view.updatedAt);
  const newest = `max(${dialect.quote(view.updatedAt.name)})`;
  const { rows } = await database.query(
    `select ${dialect.asText(`least(coalesce(${newest}, ${now}), ${now})`)} as ${UPDATED_AT} ` +
      `from ${viewName(settings)} v`,
  );
  return textOf(rows[0], UPDATED_AT);
};

const selection = ({ settings, dialect, view }: Reading): string => {
  const wanted = settings.columns?.map((name) => `v.${dialect.quote(name)}`).join(', ') ?? 'v.*';
  const id = `v.${dialect.quote(view.id.name)}`;
  const updatedAt = view.updatedAt && `v.${dialect.quote(view.updatedAt.name)}`;
  return [
    `select ${wanted}, ${dialect.asText(id)} as ${ID}`,
    ...(updatedAt === undefined ? [] : [`${dialect.asText(updatedAt)} as ${UPDATED_AT}`]),
  ]
    .join(', ')
    .concat(` from ${viewName(settings)} v`);
};

/** By id, which never changes: an update during the read cannot move a row to an earlier page. */
async function* readEverybody(
  reading: Reading,
  start: string | undefined,
  next: string | null,
): AsyncGenerator<ReadMessage> {
  const { database, dialect, view, request, settings } = reading;
  const id = `v.${dialect.quote(view.id.name)}`;
  const nulls = await database.query(
    `select count(*) as rows_without_id from ${viewName(settings)} v where ${id} is null`,
  );
  if (textOf(nulls.rows[0], 'rows_without_id') !== '0')
    throw new SourceError(
      'schema',
      `The view ${settings.view} has rows without ${view.id.name}, which identifies a person.`,
    );
  let after = start;
  let total = 0;
  for (;;) {
    // Begins with the last row of the page before, to see whether another one has the same id.
    const where = after === undefined ? '' : ` where ${id} >= ${dialect.value(1, view.id)}`;
    const { rows } = await database.query(
      `${selection(reading)}${where} order by ${id} limit ${request.pageSize + 1}`,
      after === undefined ? [] : [after],
    );
    const last = after;
    const isFirst = (row: Row, at: number): boolean => at === 0 && textOf(row, ID) === last;
    const fresh = rows.filter((row, at) => !isFirst(row, at));
    for (const row of fresh) {
      const current = textOf(row, ID) ?? '';
      if (current === after) throw twice(settings, current);
      after = current;
      total += 1;
      yield toMessage(row);
    }
    if (rows.length <= request.pageSize) break;
    yield { type: 'checkpoint', cursor: { mode: 'full', after: after ?? '', next } };
  }
  yield {
    type: 'complete',
    cursor: next === null ? null : { since: next },
    ...(start === undefined && { total }),
  };
}

interface Changes {
  readonly since: string | undefined;
  readonly after: readonly [string, string] | undefined;
  readonly next: string | null;
}

/** By time of change and id, from five minutes before the last read. */
async function* readChanges(
  reading: Reading,
  column: Column,
  { since, after: start, next }: Changes,
): AsyncGenerator<ReadMessage> {
  const { database, dialect, view, request } = reading;
  const id = `v.${dialect.quote(view.id.name)}`;
  const updatedAt = `v.${dialect.quote(column.name)}`;
  const select = selection(reading);
  const order = `order by ${updatedAt}, ${id} limit ${request.pageSize}`;
  let after = start;
  for (;;) {
    const [at, position] = after ?? [];
    const { rows } =
      at === undefined || position === undefined
        ? await database.query(
            `${select} where ${updatedAt} >= ${dialect.overlap(column)} ${order}`,
            [since ?? ''],
          )
        : await database.query(
            `${select} where ${updatedAt} > ${dialect.value(1, column)} or ` +
              `(${updatedAt} = ${dialect.value(2, column)} and ${id} > ${dialect.value(3, view.id)}) ${order}`,
            [at, at, position],
          );
    for (const row of rows) yield toMessage(row);
    const last = rows.at(-1);
    if (!last || rows.length < request.pageSize) break;
    after = [textOf(last, UPDATED_AT) ?? '', textOf(last, ID) ?? ''];
    yield { type: 'checkpoint', cursor: { mode: 'delta', after: [...after], next } };
  }
  yield { type: 'complete', cursor: { since: next ?? since ?? '' } };
}

const IDS_PER_STATEMENT = 100;

async function* readIds(reading: Reading, ids: readonly string[]): AsyncGenerator<ReadMessage> {
  const { database, dialect, view } = reading;
  // As text: an id that is no number must not end the read.
  const id = dialect.asText(`v.${dialect.quote(view.id.name)}`);
  const other: Column = { name: '', kind: 'other' };
  for (let at = 0; at < ids.length; at += IDS_PER_STATEMENT) {
    const some = ids.slice(at, at + IDS_PER_STATEMENT);
    const places = some.map((_, index) => dialect.value(index + 1, other)).join(', ');
    const { rows } = await database.query(
      `${selection(reading)} where ${id} in (${places}) order by ${id}`,
      some,
    );
    for (const row of rows) yield toMessage(row);
  }
  yield { type: 'complete', cursor: null };
}

const MAX_ID = 200;

const toMessage = (row: Row): ReadMessage => {
  const id = textOf(row, ID) ?? '';
  if (id === '' || id.length > MAX_ID)
    return {
      type: 'recordError',
      message: `An id has ${id.length} characters; 1 to ${MAX_ID} are allowed: ${id.slice(0, 40)}…`,
    };
  return { type: 'record', id, data: toRecord(row, ADDED) };
};

const textOf = (row: Row | undefined, name: string): string | null => {
  const cell = row?.[name];
  if (cell === undefined || cell === null) return null;
  if (typeof cell === 'string') return cell;
  // Only counts are no text.
  return typeof cell === 'object' ? JSON.stringify(cell) : String(cell);
};

const twice = ({ view, id }: SqlSettings, value: string): SourceError =>
  new SourceError(
    'schema',
    `The view ${view} has more than one row with the ${id} ${value}. Each person must have one row.`,
  );
