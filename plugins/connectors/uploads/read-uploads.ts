import {
  type JsonObject,
  type ReadMessage,
  SourceError,
  type JsonValue,
} from '../../../src/plugin/api.js';
import type { ConnectorStore } from '../run/connector-store.js';
import type { RunRecord } from '../run/run-record.js';
import { isObject, recordOfUser } from './upload-body.js';
import type { Inbox, Upload } from './upload-store.js';

/** Up to which upload everything was applied: the cursor of a connector that receives uploads. */
export const appliedSeq = (cursor: JsonValue | undefined): number => {
  const seq = isObject(cursor) ? cursor.seq : undefined;
  return typeof seq === 'number' ? seq : 0;
};

/** A run does not wait longer for a pause between uploads. */
const MAX_WAIT_MS = 5 * 60_000;

/** When a run may read what was uploaded: uploads that follow each other are one plan. */
export const settledAt = ({ receivedAt, waitingSince }: Inbox, settle: number): number =>
  Math.min(Date.parse(receivedAt) + settle, Date.parse(waitingSince) + MAX_WAIT_MS);

/** The run that uploads wait for, and the upload that it reads up to. */
export interface PendingUploads {
  readonly mode: 'full' | 'delta';
  readonly upTo: number;
}

/** Changes that were uploaded before a snapshot was complete are applied before it. */
export const pendingUploads = (
  { changes, complete }: Inbox,
  applied: number,
): PendingUploads | undefined => {
  const isSnapshotDue = complete !== null && complete.seq > applied;
  if (isSnapshotDue && complete.changes <= applied) return { mode: 'full', upTo: complete.seq };
  const last = isSnapshotDue ? complete.changes : changes;
  return last > applied ? { mode: 'delta', upTo: last } : undefined;
};

interface UploadReading {
  readonly store: Pick<ConnectorStore, 'links' | 'staged' | 'uploads'>;
  readonly run: Pick<RunRecord, 'id' | 'mode' | 'from' | 'ids' | 'checkpoint'>;
  readonly signal: AbortSignal;
}

/** Reads what was uploaded since the last run, the newest snapshot, or single people. */
export const readUploads = (reading: UploadReading): AsyncGenerator<ReadMessage> =>
  reading.run.mode === 'full' ? readSnapshot(reading) : readChanges(reading);

async function* readSnapshot({
  store: { uploads },
  signal,
}: UploadReading): AsyncGenerator<ReadMessage> {
  const { complete } = await uploads.inbox();
  if (!complete)
    throw new SourceError(
      'config',
      'No snapshot has been uploaded: a full run has nobody to read. Upload one with ' +
        '?snapshot=start and ?snapshot=complete, or run it with --mode delta.',
    );
  let isWhole = false;
  for await (const upload of uploads.list(0)) {
    signal.throwIfAborted();
    if (upload.snapshot !== complete.snapshot) continue;
    for (const person of upload.people) yield recordMessage(person, recordOfUser(person));
    isWhole = upload.seq === complete.seq;
  }
  if (!isWhole)
    throw new SourceError(
      'schema',
      'The newest snapshot is older than 30 days and no longer stored. Upload another one.',
    );
  yield {
    type: 'complete',
    cursor: { seq: complete.seq },
    snapshot: complete.snapshot,
  };
}

/** A record at a time, each with what is known of the person: updates may be partial. */
async function* readChanges(reading: UploadReading): AsyncGenerator<ReadMessage> {
  const { run, signal } = reading;
  const { uploads } = reading.store;
  const wanted = run.ids && new Set(run.ids);
  const applied = wanted ? 0 : appliedSeq(run.from);
  const from = wanted ? 0 : appliedSeq(run.checkpoint?.cursor ?? run.from);
  const inbox = await uploads.inbox();
  const upTo = wanted ? inbox.seq : (pendingUploads(inbox, applied)?.upTo ?? from);
  for await (const upload of uploads.list(from)) {
    signal.throwIfAborted();
    if (upload.seq > upTo) break;
    if (upload.snapshot === null) yield* changesOf(upload, reading, wanted);
  }
  yield { type: 'complete', cursor: wanted ? null : { seq: upTo } };
}

async function* changesOf(
  { seq, people }: Upload,
  { store, run }: UploadReading,
  wanted: ReadonlySet<string> | undefined,
): AsyncGenerator<ReadMessage> {
  const chosen = people.filter((person) => !wanted || wanted.has(idOf(person)));
  if (chosen.length === 0) return;
  const ids = [...new Set(chosen.map(idOf))];
  const [links, staged] = [await store.links.many(ids), await store.staged(run.id).many(ids)];
  const known = new Map<string, JsonObject>();
  for (const id of ids) {
    const earlier = staged.get(id);
    known.set(id, earlier?.kind === 'record' ? earlier.data : (links.get(id)?.data ?? {}));
  }
  for (const person of chosen) {
    const record = merged(known.get(idOf(person)) ?? {}, recordOfUser(person));
    known.set(idOf(person), record);
    yield recordMessage(person, record);
  }
  // Everything before it is staged: the next upload finds it there.
  yield { type: 'checkpoint', cursor: { seq } };
}

/** The id of a person in the system that uploads them. */
export const idOf = ({ externalId }: JsonObject): string =>
  typeof externalId === 'string' ? externalId : '';

const recordMessage = (person: JsonObject, data: JsonObject): ReadMessage => ({
  type: 'record',
  id: idOf(person),
  data,
});

/** Objects are merged, everything else is replaced; null removes. */
const merged = (before: JsonObject, change: JsonObject): JsonObject => ({
  ...before,
  ...Object.fromEntries(
    Object.entries(change).map(([name, value]) => {
      const old = before[name];
      return [name, isObject(old) && isObject(value) ? merged(old, value) : value];
    }),
  ),
});
