import {
  type Fence,
  type JsonValue,
  type OpenConnector,
  type ReadMessage,
  SourceError,
} from '../../../src/plugin/api.js';
import type { CompiledConnector } from '../compile-connector.js';
import { hashOf, projectRecord } from '../link.js';
import type { ConnectorStore, Staged } from './connector-store.js';
import type { ReadCheckpoint, RunRecord } from './run-record.js';

export interface ReadParts {
  readonly compiled: CompiledConnector;
  readonly store: ConnectorStore;
  readonly open: OpenConnector;
  readonly run: RunRecord;
  readonly fence: Fence;
  readonly signal: AbortSignal;
  /** Stores where the read continues after a crash; everything before it is staged. */
  readonly save: (checkpoint: ReadCheckpoint) => Promise<void>;
  readonly onProgress: (read: number) => void;
}

/** What a complete read has found. */
export interface ReadResult {
  readonly cursor: JsonValue;
  readonly read: number;
  readonly duplicates: number;
  readonly anonymousErrors: number;
  readonly snapshot?: string;
}

const BATCH = 500;
const MAX_ID = 200;
const NOTHING_READ: ReadCheckpoint = {
  cursor: null,
  segment: 0,
  read: 0,
  duplicates: 0,
  anonymousErrors: 0,
};

/**
 * Reads a source into the stage, page by page, as slowly as the database writes. Throws a SourceError
 * unless the read ended with `complete`.
 */
export const readSource = async (parts: ReadParts): Promise<ReadResult> => {
  const { store, run, open, fence, signal } = parts;
  const start = run.checkpoint ?? NOTHING_READ;
  let { segment, read, duplicates, anonymousErrors } = start;
  const isDelta = run.mode === 'delta';
  let batch = new Map<string, Staged>();
  let sinceSave = 0;

  const flush = async (): Promise<void> => {
    if (batch.size === 0) return;
    const read = [...batch.values()];
    const found = isDelta ? { staged: read, repeated: 0 } : await withEarlier(store, run, read);
    duplicates += found.repeated;
    await store.stage(run.id, found.staged, fence);
    batch = new Map();
  };

  const put = async (staged: Staged): Promise<void> => {
    const earlier = batch.get(staged.sourceId);
    // In a delta a record may change twice; the last one counts.
    const isRepeated = earlier !== undefined && !isDelta;
    if (isRepeated) duplicates += 1;
    batch.set(staged.sourceId, isRepeated ? bothOf(earlier, staged) : staged);
    if (batch.size >= BATCH) await flush();
  };

  const reading = open.read({
    mode: run.mode === 'delta' ? 'delta' : 'full',
    cursor: run.checkpoint?.cursor ?? (run.mode === 'delta' ? run.from : null),
    isResumed: run.checkpoint !== null,
    pageSize: BATCH,
    ...(run.ids && { ids: run.ids }),
    signal,
  });
  const messages = reading[Symbol.asyncIterator]();
  try {
    for (;;) {
      // Its host ends a read that hangs: only that knows which pauses the source asked for.
      const next = await messages.next();
      signal.throwIfAborted();
      if (next.done) throw new SourceError('network', 'The read ended without "complete".');
      const message = next.value;
      const place = { segment, attempt: run.attempt };
      if (message.type === 'complete') {
        await flush();
        requireTotal(message, read);
        const { cursor, snapshot } = message;
        const found = { cursor, read, duplicates, anonymousErrors };
        return snapshot === undefined ? found : { ...found, snapshot };
      }
      if (message.type === 'checkpoint') {
        await flush();
        segment += 1;
        if (sinceSave >= BATCH || segment === 1 || read - start.read <= BATCH) {
          await parts.save({ cursor: message.cursor, segment, read, duplicates, anonymousErrors });
          sinceSave = 0;
        }
        continue;
      }
      if (message.type === 'tombstone') {
        await put({ ...place, sourceId: requireId(message.id), kind: 'tombstone' });
        continue;
      }
      read += 1;
      sinceSave += 1;
      if (message.type === 'recordError' && message.id === undefined) anonymousErrors += 1;
      else if (message.type === 'recordError')
        await put({
          ...place,
          sourceId: requireId(message.id ?? ''),
          kind: 'error',
          message: message.message.slice(0, 500),
        });
      else await put({ ...place, ...stagedRecord(message, parts) });
      parts.onProgress(read);
    }
  } finally {
    // A connector that hangs must not keep the run.
    void messages.return?.().then(undefined, () => undefined);
  }
};

const requireId = (id: string): string => {
  if (id.length === 0 || id.length > MAX_ID)
    throw new SourceError('schema', `A record id has ${id.length} characters; allowed: 1 to 200.`);
  return id;
};

const stagedRecord = (
  { id, data }: Extract<ReadMessage, { type: 'record' }>,
  { compiled }: ReadParts,
) => {
  const sourceId = requireId(id);
  const parsed = compiled.connector.record.safeParse(data);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const path = issue?.path.map(String).join('.') ?? '';
    const message = `The record does not have the expected form: ${path}${path && ': '}${issue?.message ?? ''}`;
    return { sourceId, kind: 'error', message: message.slice(0, 500) } as const;
  }
  const projected = projectRecord(parsed.data, compiled.fields);
  return {
    sourceId,
    kind: 'record',
    data: projected,
    hash: hashOf(compiled.digest, projected),
  } as const;
};

/** With what this read has brought before; a page that is read again after a crash is no repetition. */
const withEarlier = async (
  store: ConnectorStore,
  { id, attempt }: RunRecord,
  read: readonly Staged[],
): Promise<{ readonly staged: readonly Staged[]; readonly repeated: number }> => {
  const before = await store.stagedMany(
    id,
    read.map(({ sourceId }) => sourceId),
  );
  let repeated = 0;
  const staged = read.map((one) => {
    const earlier = before.get(one.sourceId);
    if (!earlier || (earlier.segment >= one.segment && earlier.attempt !== attempt)) return one;
    repeated += 1;
    return bothOf(earlier, one);
  });
  return { staged, repeated };
};

/** Two records with one id: which of them is the person cannot be known, unless they are the same. */
const bothOf = (earlier: Staged, later: Staged): Staged => {
  // After a crash, it is still found before the repetition.
  const { segment } = earlier;
  const isSameRecord =
    earlier.kind === 'record' && later.kind === 'record' && earlier.hash === later.hash;
  if (isSameRecord || (earlier.kind === 'tombstone' && later.kind === 'tombstone'))
    return { ...later, segment };
  const message = 'The id came more than once in this read, with different data.';
  return { sourceId: later.sourceId, segment, attempt: later.attempt, kind: 'error', message };
};

const requireTotal = (
  { total }: Extract<ReadMessage, { type: 'complete' }>,
  read: number,
): void => {
  if (total !== undefined && total !== read)
    throw new SourceError('schema', `The source has ${total} records, but ${read} were read.`);
};
