import {
  type JsonObject,
  type ReadMessage,
  SourceError,
  type JsonValue,
} from '../../../src/plugin/api.js';
import { trimIdentifier } from '../mapping/identifiers.js';
import type { ConnectorStore } from '../run/connector-store.js';
import { createIdSet } from '../run/id-set.js';
import type { RunRecord } from '../run/run-record.js';
import { isObject, recordOfUser } from './upload-body.js';
import type { Inbox, Upload } from './upload-store.js';

/** A complete list that was uploaded in several parts. */
interface List {
  readonly snapshot: string;
  /** Its first upload; null: begun in an earlier version, which did not store it. */
  readonly first: number | null;
  /** Its last one. */
  readonly seq: number;
}

/** Uploads that an operator has rejected, with the plan of the run that had read them. */
interface Rejected {
  readonly after: number;
  readonly upTo: number;
}

/** What has become of the uploads: the cursor of a connector that receives them. */
interface Applied {
  /** Up to which upload everything was applied or rejected. */
  readonly seq: number;
  /** The newest list that was applied; null: none. */
  readonly list: List | null;
  /** Oldest first. */
  readonly rejected: readonly Rejected[];
}

/** Older ones are deleted soon, and replaced by a newer list. */
const MAX_REJECTED = 100;

const cursorOf = (applied: Partial<Applied>): JsonObject => applied as unknown as JsonObject;

/** An earlier version stored `seq` alone. */
const storedIn = (cursor: JsonValue | undefined): Partial<Applied> =>
  isObject(cursor) ? cursor : {};

/** Up to which upload everything was applied or rejected. */
export const appliedSeq = (cursor: JsonValue | undefined): number => storedIn(cursor).seq ?? 0;

const rejectedIn = (cursor: JsonValue | undefined): readonly Rejected[] =>
  storedIn(cursor).rejected ?? [];

const isAmong = (rejected: readonly Rejected[], seq: number): boolean =>
  rejected.some(({ after, upTo }) => seq > after && seq <= upTo);

/** Whether an operator has rejected what was made of this upload. */
export const isRejected = (cursor: JsonValue, seq: number): boolean =>
  isAmong(rejectedIn(cursor), seq);

/** The cursor once the plan of a run that has read these uploads was rejected: they do not come again. */
export const cursorAfterRejection = ({
  from,
  cursor,
}: Pick<RunRecord, 'from' | 'cursor'>): JsonValue => {
  const upTo = appliedSeq(cursor);
  const rejected = [...rejectedIn(from), { after: appliedSeq(from), upTo }].slice(-MAX_REJECTED);
  return cursorOf({ ...storedIn(from), seq: upTo, rejected });
};

const listOf = ({ snapshot, first = null, seq }: NonNullable<Inbox['complete']>): List => ({
  snapshot,
  first,
  seq,
});

const readApplied = (cursor: JsonValue | undefined, { complete }: Inbox): Applied => {
  const seq = appliedSeq(cursor);
  const rejected = rejectedIn(cursor);
  const isApplied = complete !== null && complete.seq <= seq && !isAmong(rejected, complete.seq);
  const { list = isApplied ? listOf(complete) : null } = storedIn(cursor);
  return { seq, list, rejected };
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
  readonly store: Pick<ConnectorStore, 'links' | 'quarantine' | 'staged' | 'uploads'>;
  readonly run: Pick<RunRecord, 'id' | 'mode' | 'from' | 'ids' | 'checkpoint'>;
  readonly signal: AbortSignal;
}

/**
 * Reads uploads: for a full run, the newest list with the changes since; for a delta, the changes that
 * were not applied yet; for single people, everything that is stored of them.
 */
export async function* readUploads(reading: UploadReading): AsyncGenerator<ReadMessage> {
  const { run, store } = reading;
  const inbox = await store.uploads.inbox();
  const applied = readApplied(run.from, inbox);
  if (run.mode === 'delta') yield* readChanges(reading, inbox, applied);
  else if (run.mode === 'full') yield* readEverybody(reading, inbox, applied);
  else {
    const { list } = applied;
    const known = list && (await isStored(list, store)) ? list : null;
    const wanted = new Set(run.ids);
    yield* readPeople(reading, { ...applied, list: known }, { upTo: inbox.seq, wanted });
    yield { type: 'complete', cursor: null };
  }
}

async function* readEverybody(
  reading: UploadReading,
  { complete }: Inbox,
  applied: Applied,
): AsyncGenerator<ReadMessage> {
  const isDue = complete !== null && complete.seq > applied.seq;
  const list = isDue ? listOf(complete) : applied.list;
  if (!list)
    throw new SourceError(
      'config',
      'No complete list was applied: a full run has no people to read. Upload one with ' +
        '?snapshot=start and ?snapshot=complete, or run it with --mode delta.',
    );
  if (!(await isStored(list, reading.store)))
    throw new SourceError(
      'schema',
      'The newest complete list is older than 30 days and no longer stored. Upload another one.',
    );
  const seq = isDue ? list.seq : applied.seq;
  yield* readPeople(reading, { ...applied, list }, { upTo: seq });
  const { snapshot } = list;
  yield { type: 'complete', cursor: cursorOf({ ...applied, seq, list }), snapshot };
}

interface Wanted {
  readonly upTo: number;
  /** Absent: everybody. */
  readonly wanted?: ReadonlySet<string>;
}

const OTHERS = 500;

/** Each person once: as the list has them, with the changes since. */
async function* readPeople(
  reading: UploadReading,
  { list, rejected }: Pick<Applied, 'list' | 'rejected'>,
  { upTo, wanted }: Wanted,
): AsyncGenerator<ReadMessage> {
  const { store, signal } = reading;
  const isWanted = (person: JsonObject): boolean => !wanted || wanted.has(idOf(person));
  const changes = await changesSince(reading, { list, rejected }, { upTo, isWanted });
  if (list) {
    const seen = createIdSet();
    for await (const { people } of partsOf(list, store))
      for (const person of people.filter(isWanted).reverse()) {
        signal.throwIfAborted();
        const id = idOf(person);
        // The last time that a person is in the list counts.
        if (!seen.add(id)) continue;
        yield { type: 'record', id, data: merged(recordOfUser(person), changes.get(id) ?? {}) };
        changes.delete(id);
      }
  }
  const others = [...changes.keys()];
  for (let from = 0; from < others.length; from += OTHERS) {
    const ids = others.slice(from, from + OTHERS);
    const links = await store.links.many(ids);
    for (const id of ids)
      yield {
        type: 'record',
        id,
        data: merged(links.get(id)?.data ?? {}, changes.get(id) ?? {}),
      };
  }
}

/** Whether all parts of a list are stored: they are deleted in the order in which they came. */
const isStored = async (
  { first, seq }: List,
  { uploads }: UploadReading['store'],
): Promise<boolean> => {
  const oldest = first ?? seq;
  for await (const upload of uploads.list(oldest - 1)) return upload.seq === oldest;
  return false;
};

/** The uploads of a list, newest first. */
async function* partsOf(
  { snapshot, first, seq }: List,
  { uploads }: UploadReading['store'],
): AsyncGenerator<Upload> {
  for await (const upload of uploads.newestFirst(first ?? 1, seq))
    if (upload.snapshot === snapshot) yield upload;
}

/** In characters of JSON. */
const MAX_CHANGES = 32 * 1_024 * 1_024;

/** What was uploaded of each person after the list. */
const changesSince = async (
  { store: { uploads }, signal }: UploadReading,
  { list, rejected }: Pick<Applied, 'list' | 'rejected'>,
  { upTo, isWanted }: { readonly upTo: number; readonly isWanted: (person: JsonObject) => boolean },
): Promise<Map<string, JsonObject>> => {
  const changes = new Map<string, JsonObject>();
  let size = 0;
  for await (const { seq, snapshot, people } of uploads.list(list?.seq ?? 0)) {
    signal.throwIfAborted();
    if (seq > upTo) break;
    if (snapshot !== null || isAmong(rejected, seq)) continue;
    for (const person of people.filter(isWanted)) {
      size += JSON.stringify(person).length;
      if (size > MAX_CHANGES)
        throw new SourceError(
          'schema',
          'More than 32 MiB of changes were uploaded since the newest complete list. Upload another list.',
        );
      changes.set(idOf(person), merged(changes.get(idOf(person)) ?? {}, recordOfUser(person)));
    }
  }
  return changes;
};

/** A record at a time, each with what is known of the person: updates may be partial. */
async function* readChanges(
  reading: UploadReading,
  inbox: Inbox,
  applied: Applied,
): AsyncGenerator<ReadMessage> {
  const { run, signal, store } = reading;
  const due = pendingUploads(inbox, applied.seq);
  // A list that waits is read by a full run alone, and before what came after it.
  const upTo = due?.mode === 'delta' ? due.upTo : applied.seq;
  for await (const upload of store.uploads.list(appliedSeq(run.checkpoint?.cursor ?? run.from))) {
    signal.throwIfAborted();
    if (upload.seq > upTo) break;
    if (upload.snapshot === null) yield* changesOf(upload, reading);
  }
  yield { type: 'complete', cursor: cursorOf({ ...applied, seq: upTo }) };
}

async function* changesOf(
  { seq, people }: Upload,
  { store, run }: UploadReading,
): AsyncGenerator<ReadMessage> {
  const ids = [...new Set(people.map(idOf))];
  const [staged, waiting, links] = [
    await store.staged(run.id).many(ids),
    await store.quarantine.many(ids),
    await store.links.many(ids),
  ];
  const known = new Map<string, JsonObject>();
  for (const id of ids) {
    const earlier = staged.get(id);
    // What waits in quarantine is newer than what was applied.
    const stored = waiting.get(id)?.data ?? links.get(id)?.data ?? {};
    known.set(id, earlier?.kind === 'record' ? earlier.data : stored);
  }
  for (const person of people) {
    const id = idOf(person);
    const data = merged(known.get(id) ?? {}, recordOfUser(person));
    known.set(id, data);
    yield { type: 'record', id, data };
  }
  // Everything before it is staged: the next upload finds it there.
  yield { type: 'checkpoint', cursor: { seq } };
}

/** The id of a person in the system that uploads them. */
export const idOf = ({ externalId }: JsonObject): string =>
  typeof externalId === 'string' ? trimIdentifier(externalId) : '';

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
