import {
  API_VERSION,
  checkSource,
  type ConnectorHost,
  defineConnector,
  type ReadMessage,
  type ReadRequest,
  type RunningConnector,
  type SourceCheck,
  SourceError,
  type SourceField,
  z,
} from '../../src/plugin/api.js';
import type { FileEntry, Folder } from './folder.js';
import { openLocalFolder } from './local-folder.js';
import { archiveFile, findAgain, pickFile, type PickedFile } from './pick-file.js';
import { openTable, type Row } from './read-rows.js';
import { CsvRecord, lifecycle, mapping, nameColumns, toRecord } from './record.js';
import { CsvSettings } from './settings.js';
import { openSftpFolder } from './sftp-folder.js';

type Host = ConnectorHost<CsvSettings>;

/** Reads users from CSV files in a folder or on an SFTP server. Every file has everybody. */
export default defineConnector<CsvSettings>({
  name: 'csv',
  version: '1.0.0',
  apiVersion: API_VERSION,
  title: 'CSV files',
  description: 'Reads users from CSV files in a folder or on an SFTP server.',
  settings: CsvSettings,
  triedAgainst: 'server',
  record: CsvRecord,
  mapping,
  lifecycle,
  start: (host): RunningConnector => ({
    check: (signal) => check(host, signal),
    discover: (signal) => discover(host, signal),
    read: (request) => read(host, request),
  }),
});

const withFolder = async <Result>(
  { settings, ...host }: Host,
  signal: AbortSignal,
  work: (folder: Folder) => Promise<Result>,
): Promise<Result> => {
  const folder = await openFolder({ settings, ...host }, signal);
  try {
    return await work(folder);
  } finally {
    await folder.close();
  }
};

const openFolder = async (host: Host, signal: AbortSignal): Promise<Folder> => {
  const { folder, sftp } = host.settings;
  if (sftp) return openSftpFolder(sftp, host, signal);
  return openLocalFolder(folder ?? '.');
};

const check = (host: Host, signal: AbortSignal): Promise<SourceCheck> =>
  checkSource(() =>
    withFolder(host, signal, async (folder) => {
      const file = await newest(host, folder, signal);
      const { length } = await readColumns(host, folder, file);
      const at = new Date(file.modifiedAt).toISOString();
      return `The newest file in ${folder.title} is ${file.original} of ${at}, with ${length} columns.`;
    }),
  );

const discover = (host: Host, signal: AbortSignal): Promise<readonly SourceField[]> =>
  withFolder(host, signal, async (folder) => {
    const file = await newest(host, folder, signal);
    const names = await readColumns(host, folder, file);
    return names.filter((name) => name !== '').map((path) => ({ path, type: 'text' }));
  });

/** Without waiting until it is written: the header is enough. */
const newest = (host: Host, folder: Folder, signal: AbortSignal): Promise<PickedFile> => {
  const settings = { ...host.settings, ready: 'renamed' as const };
  return pickFile(
    folder,
    host.settings.ready === 'settled' ? settings : host.settings,
    host.clock,
    signal,
  );
};

const readColumns = async (
  { settings }: Host,
  folder: Folder,
  file: FileEntry & { readonly path: string },
): Promise<readonly string[]> => {
  const stream = await folder.read(file.path);
  try {
    const { header, rows } = await openTable(stream, settings);
    await rows[Symbol.asyncIterator]().return?.();
    return nameColumns(header, settings);
  } finally {
    stream.destroy();
  }
};

const Checkpoint = z.strictObject({
  original: z.string(),
  size: z.number(),
  modifiedAt: z.number(),
  row: z.number(),
});

async function* read(host: Host, request: ReadRequest): AsyncGenerator<ReadMessage> {
  const { settings, clock } = host;
  const { signal, ids, isTrial } = request;
  signal.throwIfAborted();
  const folder = await openFolder(host, signal);
  try {
    const resumed = request.isResumed ? Checkpoint.safeParse(request.cursor).data : undefined;
    const file = resumed
      ? await findAgain(folder, settings, resumed)
      : await pickFile(folder, settings, clock, signal);
    host.log.debug({ file: file.original, size: file.size }, 'Reading a file');
    yield* readRecords({ host, folder, file, request, after: resumed?.row ?? 0 });
    // Only a file that stayed the same was read as a whole.
    await findAgain(folder, settings, file);
    try {
      yield {
        type: 'complete',
        cursor: null,
        // The archive keeps name and time, and an export that runs again gives another time.
        ...(ids === undefined && {
          snapshot: snapshotOf(file),
          takenAt: new Date(file.modifiedAt).toISOString(),
        }),
      };
    } finally {
      if (ids === undefined && !isTrial) await archive(host, folder, file);
    }
  } finally {
    await folder.close();
  }
}

const archive = async (host: Host, folder: Folder, file: PickedFile): Promise<void> => {
  try {
    await archiveFile(folder, host.settings, file);
  } catch (error) {
    // The next run reads the file again and finds nothing to do.
    host.log.warn({ err: error, file: file.original }, 'Cannot move the file to the archive');
  }
};

interface Reading {
  readonly host: Host;
  readonly folder: Folder;
  readonly file: PickedFile;
  readonly request: ReadRequest;
  /** Rows that an interrupted read has yielded. */
  readonly after: number;
}

async function* readRecords(reading: Reading): AsyncGenerator<ReadMessage> {
  const { host, folder, file, after } = reading;
  const { settings } = host;
  const { signal, ids, pageSize } = reading.request;
  const wanted = ids && new Set(ids);
  const stream = await folder.read(file.path);
  const abort = (): void => void stream.destroy(signal.reason as Error);
  signal.addEventListener('abort', abort, { once: true });
  try {
    const { header, rows } = await openTable(stream, settings);
    const names = nameColumns(header, settings);
    const idAt = names.indexOf(settings.id);
    for await (const row of rows) {
      signal.throwIfAborted();
      if (row.number <= after) continue;
      const id = row.cells[idAt]?.trim() ?? '';
      if (wanted) {
        if (wanted.has(id)) yield toMessage(row, { names, idAt, id });
        continue;
      }
      yield toMessage(row, { names, idAt, id });
      if (row.number % pageSize === 0)
        yield { type: 'checkpoint', cursor: { ...identityOf(file), row: row.number } };
    }
  } catch (error) {
    signal.throwIfAborted();
    throw describeReadFault(error, file);
  } finally {
    signal.removeEventListener('abort', abort);
    stream.destroy();
  }
}

const identityOf = ({ original, size, modifiedAt }: PickedFile) => ({ original, size, modifiedAt });

const MAX_SNAPSHOT = 500;

const snapshotOf = ({ original, size, modifiedAt }: PickedFile): string =>
  `${modifiedAt}:${size}:${original}`.slice(0, MAX_SNAPSHOT);

const describeReadFault = (error: unknown, { original }: PickedFile): SourceError =>
  error instanceof SourceError
    ? new SourceError(error.kind, `File ${original}: ${error.message}`, error.options)
    : new SourceError('network', `Reading ${original} failed: ${(error as Error).message}.`, {
        cause: error,
      });

interface Place {
  readonly names: readonly string[];
  readonly idAt: number;
  readonly id: string;
}

const MAX_ID = 200;

const toMessage = ({ line, cells, fault }: Row, { names, idAt, id }: Place): ReadMessage => {
  if (fault !== undefined)
    return {
      type: 'recordError',
      // A stray delimiter shifts what follows it, so only the first cell is certain.
      ...(idAt === 0 && isUsable(id) && { id }),
      message: fault,
    };
  if (!isUsable(id))
    return {
      type: 'recordError',
      message:
        id === ''
          ? `Line ${line} has no ${names[idAt] ?? 'id'}.`
          : `Line ${line}: ${names[idAt] ?? 'id'} is longer than ${MAX_ID} characters.`,
    };
  return { type: 'record', id, data: toRecord(names, cells) };
};

const isUsable = (id: string): boolean => id !== '' && id.length <= MAX_ID;
