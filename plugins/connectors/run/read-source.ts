import {
  excessOf,
  type JsonValue,
  type ReadMessage,
  SourceError,
} from '../../../src/plugin/api.js';
import type { CompiledConnector } from '../compile-connector.js';
import { hashOf, projectRecord } from '../link.js';
import { identifierError, trimIdentifier } from '../mapping/identifiers.js';
import { type Attempt, endsEither } from './attempt.js';
import { createKeyWatch } from '../plan/group-rules.js';
import type { Staged } from './stage-store.js';
import { readUploads } from '../uploads/read-uploads.js';
import type { ReadCheckpoint, RunCounts, RunRecord } from './run-record.js';
import { bothOf, openStage } from './open-stage.js';

const BATCH = 500;
/** What is kept of a record: the plan is made of 500 at once. */
const KEPT = { bytes: 65_536, values: 2_500, depth: 32 };
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
export const readSource = async (attempt: Attempt): Promise<ReadCheckpoint> => {
  const { configured, compiled, store, run, clock } = attempt;
  const signal = endsEither(attempt);
  const start = run.checkpoint ?? NOTHING_READ;
  let { segment, read, duplicates, anonymousErrors, firstError } = start;
  const found = () => ({
    ...{ read, duplicates, anonymousErrors },
    ...(firstError !== undefined && { firstError }),
  });
  const isDelta = run.mode === 'delta';
  let batch = new Map<string, Staged>();
  let sinceSave = 0;
  let writing: Promise<void> = Promise.resolve();
  const stage = await openStage(attempt, start.segment);

  /** Writes the batch, and then how far the read is, while the source is read on. */
  const flush = async (reached?: Pick<ReadCheckpoint, 'cursor'>): Promise<void> => {
    await writing;
    const records = [...batch.values()];
    batch = new Map();
    // The read goes on, and none of what follows belongs to the checkpoint.
    const reach = { segment, ...found() };
    writing = (async () => {
      const repeated = await stage.write(records);
      duplicates += repeated;
      if (reached)
        await attempt.save({
          checkpoint: { ...reach, cursor: reached.cursor, duplicates: reach.duplicates + repeated },
          counts: countsOf(run, reach.read),
        });
    })();
    // An error is thrown by the next await.
    writing.catch(() => undefined);
  };

  const put = async (staged: Staged): Promise<void> => {
    const earlier = batch.get(staged.sourceId);
    // In a delta a record may change twice; the last one counts.
    const isRepeated = earlier !== undefined && !isDelta;
    if (isRepeated) duplicates += 1;
    batch.set(staged.sourceId, isRepeated ? bothOf(earlier, staged) : staged);
    if (batch.size >= BATCH) await flush();
  };

  const { maxRecords, maxReadTime } = compiled.options.safety;
  const late = new AbortController();
  // A source that drips bytes is never idle.
  const stopClock = clock.after(maxReadTime, () => late.abort(tooLong(maxReadTime)));
  let received = start.read;
  const until = AbortSignal.any([signal, late.signal]);
  const reading = compiled.connector.receivesUploads
    ? readUploads({ store, run, signal: until })
    : (await configured.open()).read({
        mode: run.mode === 'delta' ? 'delta' : 'full',
        cursor: run.checkpoint?.cursor ?? (run.mode === 'delta' ? run.from : null),
        isResumed: run.checkpoint !== null,
        pageSize: BATCH,
        ...(run.ids && { ids: run.ids }),
        signal: until,
      });
  const groupKeys = createKeyWatch(compiled.options.groups);
  const messages = reading[Symbol.asyncIterator]();
  try {
    for (;;) {
      // Its host ends a read that hangs: only the host has the pauses that the source requested.
      const next = await messages.next();
      signal.throwIfAborted();
      if (next.done) throw new SourceError('network', 'The read ended without "complete".');
      const message = next.value;
      if (message.type === 'complete') {
        await flush();
        await writing;
        requireTotal(message, read);
        const { cursor, snapshot, takenAt } = message;
        // An earlier attempt may have read the records that have them.
        const isWhole = run.mode === 'full' && run.checkpoint === null && read > 0;
        return {
          cursor,
          segment: 0,
          ...found(),
          ...(snapshot !== undefined && { snapshot }),
          ...(takenAt !== undefined && { takenAt }),
          ...(isWhole && { warnings: groupKeys.warnings() }),
        };
      }
      if (message.type === 'checkpoint') {
        segment += 1;
        const isSaved = sinceSave >= BATCH || segment === 1 || read - start.read <= BATCH;
        if (isSaved) sinceSave = 0;
        await flush(isSaved ? message : undefined);
        // The next upload is merged with what is staged of this one.
        if (compiled.connector.receivesUploads) await writing;
        continue;
      }
      received += 1;
      if (received > maxRecords) throw tooMany(maxRecords);
      if (message.type === 'tombstone') {
        await put({ segment, sourceId: requireId(message.id), kind: 'tombstone' });
        continue;
      }
      read += 1;
      sinceSave += 1;
      if (message.type === 'recordError' && message.id === undefined) {
        anonymousErrors += 1;
        firstError ??= message.message.slice(0, 500);
      } else if (message.type === 'recordError')
        await put({
          segment,
          sourceId: requireId(message.id ?? ''),
          kind: 'error',
          message: message.message.slice(0, 500),
        });
      else {
        groupKeys.read(message.data);
        await put({ segment, ...stagedRecord(await withApplied(message, store), compiled) });
      }
      attempt.onProgress(countsOf(run, read));
    }
  } finally {
    stopClock();
    // After an error the caller clears what the run has stored: no write may follow.
    await writing.catch(() => undefined);
    // A connector that hangs must not keep the run.
    void messages.return?.().then(undefined, () => undefined);
  }
};

/** While it reads: each record is stored. */
export const countsOf = ({ counts }: RunRecord, read: number): RunCounts => ({
  ...counts,
  read,
  staged: read,
});

const tooMany = (most: number): SourceError =>
  new SourceError(
    'schema',
    `The source sent more than ${most} records. If it has that many, raise \`safety.maxRecords\`.`,
  );

const MINUTE_MS = 60_000;

const tooLong = (ms: number): SourceError =>
  new SourceError(
    'network',
    `The read took longer than ${Math.round(ms / MINUTE_MS)} min. If the source needs that long, ` +
      'raise `safety.maxReadTime`.',
  );

const requireId = (given: string): string => {
  const id = trimIdentifier(given);
  if (id.length === 0 || id.length > MAX_ID)
    throw new SourceError('schema', `A record id has ${id.length} characters; allowed: 1 to 200.`);
  return id;
};

type RecordMessage = Extract<ReadMessage, { type: 'record' }>;

const withApplied = async (
  message: RecordMessage,
  { links }: Attempt['store'],
): Promise<RecordMessage> => {
  if (!message.alternatives) return message;
  const stored = (await links.many([message.id])).get(message.id)?.data ?? {};
  const data: Record<string, JsonValue | undefined> = { ...message.data };
  for (const [field, values] of Object.entries(message.alternatives)) {
    const applied = values.find((value) => value === stored[field]);
    if (applied !== undefined) data[field] = applied;
  }
  return { ...message, data };
};

/** What is kept of a record, or why nothing is. */
export const stagedRecord = (
  { id, data }: RecordMessage,
  { fields, digest }: CompiledConnector,
) => {
  const sourceId = requireId(id);
  const error = identifierError(sourceId);
  if (error !== undefined)
    return { sourceId, kind: 'error', message: `The record id ${error}.` } as const;
  const projected = projectRecord(data, fields);
  const excess = excessOf(projected, KEPT);
  if (excess !== undefined)
    return {
      sourceId,
      kind: 'error',
      message: `What the mapping reads of the record ${excess}.`,
    } as const;
  return {
    sourceId,
    kind: 'record',
    data: projected,
    hash: hashOf(digest, projected),
  } as const;
};

const requireTotal = (
  { total }: Extract<ReadMessage, { type: 'complete' }>,
  read: number,
): void => {
  if (total !== undefined && total !== read)
    throw new SourceError('schema', `The source has ${total} records, but ${read} were read.`);
};
