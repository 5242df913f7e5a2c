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
import { BackgroundWrite } from './background-write.js';
import { createKeyWatch } from '../mapping/group-rules.js';
import type { Staged } from './stage-store.js';
import { readUploads } from '../uploads/read-uploads.js';
import type { ReadCheckpoint, RunCounts, RunRecord } from './run-record.js';
import { bothOf, openStage, type Stage } from './open-stage.js';

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
  const { run } = attempt;
  const start = run.checkpoint ?? NOTHING_READ;
  return new SourceRead(attempt, await openStage(attempt, start.segment), start).read();
};

/** A read, from where an earlier attempt has ended. */
class SourceRead {
  readonly #signal: AbortSignal;
  readonly #writing = new BackgroundWrite();
  readonly #groupKeys;
  readonly #found;
  #batch = new Map<string, Staged>();
  #received: number;
  #sinceSave = 0;

  constructor(
    private readonly attempt: Attempt,
    private readonly stage: Stage,
    private readonly start: ReadCheckpoint,
  ) {
    const { read, segment, duplicates, anonymousErrors, firstError } = start;
    this.#signal = endsEither(attempt);
    this.#groupKeys = createKeyWatch(attempt.compiled.options.groups);
    this.#found = { segment, read, duplicates, anonymousErrors, firstError };
    this.#received = read;
  }

  async read(): Promise<ReadCheckpoint> {
    const { compiled, clock } = this.attempt;
    const { maxReadTime } = compiled.options.safety;
    const late = new AbortController();
    // A source that drips bytes is never idle.
    const stopClock = clock.after(maxReadTime, () => late.abort(tooLong(maxReadTime)));
    const reading = await this.#open(AbortSignal.any([this.#signal, late.signal]));
    const messages = reading[Symbol.asyncIterator]();
    try {
      for (;;) {
        // Its host ends a read that hangs: only the host has the pauses that the source requested.
        const next = await messages.next();
        this.#signal.throwIfAborted();
        if (next.done) throw new SourceError('network', 'The read ended without "complete".');
        if (next.value.type === 'complete') return await this.#complete(next.value);
        if (next.value.type === 'checkpoint') await this.#save(next.value);
        else await this.#take(next.value);
      }
    } finally {
      stopClock();
      await this.#writing.end().catch(() => undefined);
      // A connector that hangs must not keep the run.
      void messages.return?.().then(undefined, () => undefined);
    }
  }

  async #open(signal: AbortSignal): Promise<AsyncIterable<ReadMessage>> {
    const { configured, compiled, store, run } = this.attempt;
    if (compiled.connector.receivesUploads) return readUploads({ store, run, signal });
    const source = await configured.open();
    return source.read({
      mode: run.mode === 'delta' ? 'delta' : 'full',
      cursor: run.checkpoint?.cursor ?? (run.mode === 'delta' ? run.from : null),
      isResumed: run.checkpoint !== null,
      pageSize: BATCH,
      ...(run.ids && { ids: run.ids }),
      signal,
    });
  }

  async #complete({ cursor, snapshot, takenAt, total }: Complete): Promise<ReadCheckpoint> {
    const { run } = this.attempt;
    await this.#flush();
    await this.#writing.end();
    const { read } = this.#found;
    if (total !== undefined && total !== read)
      throw new SourceError('schema', `The source has ${total} records, but ${read} were read.`);
    // An earlier attempt may have read the records that have them.
    const isWhole = run.mode === 'full' && run.checkpoint === null && read > 0;
    return {
      ...this.#reached(cursor),
      segment: 0,
      ...(snapshot !== undefined && { snapshot }),
      ...(takenAt !== undefined && { takenAt }),
      ...(isWhole && { warnings: this.#groupKeys.warnings() }),
    };
  }

  async #save({ cursor }: Extract<ReadMessage, { type: 'checkpoint' }>): Promise<void> {
    const found = this.#found;
    found.segment += 1;
    const isEarly = found.segment === 1 || found.read - this.start.read <= BATCH;
    const isSaved = isEarly || this.#sinceSave >= BATCH;
    if (isSaved) this.#sinceSave = 0;
    // It may find repetitions, which count.
    await this.#writing.end();
    await this.#flush(isSaved ? this.#reached(cursor) : undefined);
    // The next upload is merged with what is staged of this one.
    if (this.attempt.compiled.connector.receivesUploads) await this.#writing.end();
  }

  async #take(message: Exclude<ReadMessage, Complete | { type: 'checkpoint' }>): Promise<void> {
    const { compiled, store, run, onProgress } = this.attempt;
    const { maxRecords } = compiled.options.safety;
    const found = this.#found;
    const { segment } = found;
    this.#received += 1;
    if (this.#received > maxRecords) throw tooMany(maxRecords);
    if (message.type === 'tombstone') {
      await this.#put({ segment, sourceId: requireId(message.id), kind: 'tombstone' });
      return;
    }
    found.read += 1;
    this.#sinceSave += 1;
    if (message.type === 'record') {
      this.#groupKeys.read(message.data);
      await this.#put({ segment, ...stagedRecord(await withApplied(message, store), compiled) });
    } else {
      const text = message.message.slice(0, 500);
      if (message.id === undefined) {
        found.anonymousErrors += 1;
        found.firstError ??= text;
      } else
        await this.#put({ segment, sourceId: requireId(message.id), kind: 'error', message: text });
    }
    onProgress(countsOf(run, found.read));
  }

  async #put(staged: Staged): Promise<void> {
    const earlier = this.#batch.get(staged.sourceId);
    // In a delta a record may change twice; the last one counts.
    const isRepeated = earlier !== undefined && this.attempt.run.mode !== 'delta';
    if (isRepeated) this.#found.duplicates += 1;
    this.#batch.set(staged.sourceId, isRepeated ? bothOf(earlier, staged) : staged);
    if (this.#batch.size >= BATCH) await this.#flush();
  }

  #reached(cursor: JsonValue): ReadCheckpoint {
    const { firstError, ...found } = this.#found;
    return { cursor, ...found, ...(firstError !== undefined && { firstError }) };
  }

  /** Writes the batch, and then how far the read is. None of what is read meanwhile belongs to that. */
  async #flush(reached?: ReadCheckpoint): Promise<void> {
    const { run, save } = this.attempt;
    const records = [...this.#batch.values()];
    this.#batch = new Map();
    await this.#writing.begin(async () => {
      const repeated = await this.stage.write(records);
      this.#found.duplicates += repeated;
      if (reached)
        await save({
          checkpoint: { ...reached, duplicates: reached.duplicates + repeated },
          counts: countsOf(run, reached.read),
        });
    });
  }
}

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
type Complete = Extract<ReadMessage, { type: 'complete' }>;

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
  { id, data: given }: RecordMessage,
  { fields, digest }: CompiledConnector,
) => {
  const sourceId = requireId(id);
  const error = (message: string) => ({ sourceId, kind: 'error', message }) as const;
  const wrong = identifierError(sourceId);
  if (wrong !== undefined) return error(`The record id ${wrong}.`);
  const data = projectRecord(given, fields);
  const excess = excessOf(data, KEPT);
  if (excess !== undefined) return error(`What the mapping reads of the record ${excess}.`);
  return { sourceId, kind: 'record', data, hash: hashOf(digest, data) } as const;
};
