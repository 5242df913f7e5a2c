import { type JsonObject, type ReadMessage, SourceError } from '../../../src/plugin/api.js';
import { trimIdentifier } from '../mapping/identifiers.js';
import type { ConnectorStore } from '../run/connector-store.js';
import { createIdSet } from '../id-set.js';
import type { RunRecord } from '../run/run-record.js';
import { isObject, recordOfUser } from './upload-body.js';
import {
  type Applied,
  appliedIn,
  cursorOf,
  dueList,
  isRejected,
  pendingUploads,
} from './upload-cursor.js';
import { type List, type Upload, UPLOAD_LIMITS } from './upload-store.js';

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
  const applied = appliedIn(run.from);
  if (run.mode === 'delta') yield* readChanges(reading, applied);
  else if (run.mode === 'full') yield* readEverybody(reading, applied);
  else {
    const { received } = await store.uploads.state(applied.changes);
    const list = await appliedListOf(reading, applied);
    const wanted = new Set(run.ids);
    yield* readPeople(reading, applied, { list, upTo: received.changes, wanted });
    yield { type: 'complete', cursor: null };
  }
}

const appliedListOf = async (
  { store }: UploadReading,
  { appliedList }: Applied,
): Promise<List | undefined> =>
  appliedList === null ? undefined : store.uploads.list(appliedList);

async function* readEverybody(
  reading: UploadReading,
  applied: Applied,
): AsyncGenerator<ReadMessage> {
  const { uploads } = reading.store;
  const due = dueList((await uploads.state(applied.changes)).lists, applied);
  if (!due && applied.appliedList === null)
    throw new SourceError(
      'config',
      'No complete list was applied: a full run has no people to read. Upload one with ' +
        '?snapshot=start and ?snapshot=complete, or run it with --mode delta.',
    );
  const list = due ?? (await appliedListOf(reading, applied));
  if (!list) throw noLongerStored();
  const upTo = Math.max(applied.changes, due?.end.changes ?? 0);
  await uploads.seal(applied.changes, upTo);
  yield* readPeople(reading, applied, { list, upTo });
  // It is deleted before its parts.
  if (!(await uploads.list(list.id))) throw noLongerStored();
  const lists = Math.max(applied.lists, list.id);
  const cursor = cursorOf({ ...applied, changes: upTo, lists, appliedList: list.id });
  yield { type: 'complete', cursor, snapshot: String(list.id) };
}

const noLongerStored = (): SourceError =>
  new SourceError(
    'schema',
    'The newest complete list is no longer stored: it is older than 30 days, or more than 32 MiB of ' +
      'changes were uploaded since. Upload another list.',
  );

interface Wanted {
  readonly list: List | undefined;
  /** Number of the last upload of changes. */
  readonly upTo: number;
  /** Absent: everybody. */
  readonly wanted?: ReadonlySet<string>;
}

const OTHERS = 500;

/** Each person once: as the list has them, with the changes that were uploaded later. */
async function* readPeople(
  reading: UploadReading,
  applied: Applied,
  { list, upTo, wanted }: Wanted,
): AsyncGenerator<ReadMessage> {
  const { store, signal } = reading;
  const isWanted = (person: JsonObject): boolean => !wanted || wanted.has(idOf(person));
  const changes = await changesSince(reading, applied, { list, upTo, isWanted });
  if (list) {
    const seen = createIdSet();
    for await (const part of store.uploads.parts(list))
      for (const person of part.people.filter(isWanted).reverse()) {
        signal.throwIfAborted();
        const id = idOf(person);
        // The last time that a person is in the list counts.
        if (!seen.add(id)) continue;
        yield { type: 'record', id, data: changedBy(recordOfUser(person), changes.get(id), part) };
        changes.delete(id);
      }
  }
  const others = [...changes.keys()];
  for (let from = 0; from < others.length; from += OTHERS) {
    const ids = others.slice(from, from + OTHERS);
    const links = await store.links.many(ids);
    for (const id of ids)
      yield { type: 'record', id, data: changedBy(links.get(id)?.data ?? {}, changes.get(id)) };
  }
}

/** What was uploaded of a person, and when. */
interface Change {
  readonly at: Upload['at'];
  readonly data: JsonObject;
}

/** The order of all uploads. */
const orderOf = ({ at }: Pick<Upload, 'at'>): number => at.changes + at.parts;

/** The data with the changes that were uploaded after it. */
const changedBy = (
  data: JsonObject,
  changes: readonly Change[] = [],
  since?: Pick<Upload, 'at'>,
): JsonObject =>
  changes
    .filter((change) => !since || orderOf(change) > orderOf(since))
    .reduce((before, change) => merged(before, change.data), data);

/** What was uploaded of each person since the list began, and what waits; oldest first. */
const changesSince = async (
  { store: { uploads }, signal }: UploadReading,
  applied: Applied,
  {
    list,
    upTo,
    isWanted,
  }: Omit<Wanted, 'wanted'> & {
    readonly isWanted: (person: JsonObject) => boolean;
  },
): Promise<Map<string, Change[]>> => {
  const changes = new Map<string, Change[]>();
  const after = list ? Math.min(list.start.changes, applied.changes) : 0;
  for await (const upload of uploads.changes(after, upTo)) {
    signal.throwIfAborted();
    const { at, people } = upload;
    if (list && at.changeBytes - list.start.changeBytes > UPLOAD_LIMITS.appliedBytes)
      throw noLongerStored();
    if (isRejected(applied, upload)) continue;
    for (const person of people.filter(isWanted)) {
      const known = changes.get(idOf(person)) ?? [];
      known.push({ at, data: recordOfUser(person) });
      changes.set(idOf(person), known);
    }
  }
  return changes;
};

/** A record at a time, each with what is known of the person: updates may be partial. */
async function* readChanges(reading: UploadReading, applied: Applied): AsyncGenerator<ReadMessage> {
  const { run, signal, store } = reading;
  const { uploads } = store;
  const due = pendingUploads(await uploads.state(applied.changes), applied);
  // A list that waits is read by a full run alone, and before what came after it.
  const upTo = due?.mode === 'delta' ? due.upTo : applied.changes;
  const after = appliedIn(run.checkpoint?.cursor ?? run.from).changes;
  await uploads.seal(after, upTo);
  for await (const upload of uploads.changes(after, upTo)) {
    signal.throwIfAborted();
    yield* changesOf(upload, reading);
  }
  yield { type: 'complete', cursor: cursorOf({ ...applied, changes: upTo }) };
}

async function* changesOf(
  { at, people }: Upload,
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
  yield { type: 'checkpoint', cursor: cursorOf({ changes: at.changes }) };
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
