import { randomUUID } from 'node:crypto';
import {
  type JsonObject,
  type PluginCollection,
  raise,
  VersionConflict,
} from '../../../src/plugin/api.js';
import type { ConfiguredConnector } from '../../../src/plugin/connectors-api.js';
import { SNAPSHOT_NOT_OPEN } from '../declarations.js';
import { Documents, type StoreParts, untilWritten } from '../run/documents.js';

/** What an upload is part of: changes, or a complete list in several uploads. */
export type SnapshotStep = 'start' | 'continue' | 'complete';

/** What a connector has received since its first upload. The first two numbers are handed out. */
export interface Received {
  /** Uploads of changes. */
  readonly changes: number;
  /** Uploads that are parts of lists. */
  readonly parts: number;
  readonly changeBytes: number;
  readonly partBytes: number;
}

/** An upload as it is stored, for 30 days or until a complete list replaces it. */
export interface Upload {
  readonly id: string;
  readonly receivedAt: string;
  /** What had been received, with this one: its own number is that of its kind. */
  readonly at: Received;
  /** Of which list it is a part; null: changes. */
  readonly list: number | null;
  readonly bytes: number;
  /** SCIM users. */
  readonly people: readonly JsonObject[];
}

/** What is read of an upload whose people are not needed. */
type UploadPlace = Pick<Upload, 'at' | 'receivedAt' | 'bytes'>;

/** A complete list in several uploads. */
export interface List {
  /** The number of its first part. */
  readonly id: number;
  readonly startedAt: string;
  readonly completedAt: string | null;
  /** What had been received with its first part. */
  readonly start: Received;
  /** What had been received with its last part; null: it is not complete. */
  readonly end: Received | null;
}

/** What of the uploads of a connector waits for a run. */
export interface UploadState {
  readonly received: Received;
  /** When the newest upload was received. */
  readonly receivedAt: Date;
  /** Oldest first: the one that was applied, those that wait, and the one that is being uploaded. */
  readonly lists: readonly List[];
  /** The first upload of changes that waits. */
  readonly waiting: UploadPlace | undefined;
}

/** What of the uploads was applied. */
export interface AppliedUploads {
  /** Number of the last upload of changes that was applied or rejected. */
  readonly changes: number;
  /** The newest list that was applied; null: none. */
  readonly appliedList: number | null;
}

/** The settings of a connector that receives uploads. */
export interface UploadSettings {
  readonly maxOperations: number;
  /** In milliseconds. */
  readonly settle: number;
}

export const uploadSettings = ({ options }: Pick<ConfiguredConnector, 'options'>): UploadSettings =>
  (options as { readonly settings: UploadSettings }).settings;

const MEBIBYTE = 1_048_576;

/** How much one connector may store. */
export interface UploadLimits {
  /** Uploads of changes that wait for a run, and their bytes. */
  readonly waiting: number;
  readonly waitingBytes: number;
  readonly listBytes: number;
  /** Bytes of changes that were applied. A list that more came after is not read again. */
  readonly appliedBytes: number;
  /** How long a client should wait while too many wait, in seconds. */
  readonly retryAfter: number;
}

export const UPLOAD_LIMITS: UploadLimits = {
  waiting: 10_000,
  waitingBytes: 128 * MEBIBYTE,
  listBytes: 256 * MEBIBYTE,
  appliedBytes: 32 * MEBIBYTE,
  retryAfter: 60,
};

const NOTHING: Received = { changes: 0, parts: 0, changeBytes: 0, partBytes: 0 };
const KEPT_MS = 30 * 86_400_000;
const PAGE = 20;
/** Pages of uploads without their people, and of lists. */
const LONG_PAGE = 1_000;

/** Names are ordered as text. */
const digits = (number: number): string => String(number).padStart(12, '0');

/** A UUID of version 8 (RFC 9562, 5.8), in which the upload is found. */
const newId = (number: number, isPart: boolean): string => {
  const hex = number.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-8${Number(isPart)}${randomUUID().slice(16)}`;
};

const ignoreConflict = (error: unknown): void => {
  if (!(error instanceof VersionConflict)) throw error;
};

type UploadParts = Pick<StoreParts, 'collection' | 'tenantId' | 'connector'>;

const logsOf = ({ collection: collectionOf, tenantId, connector }: UploadParts) => {
  const shared = { collection: collectionOf('uploads'), tenantId };
  const inDays = (time: string): Date => new Date(Date.parse(time) + KEPT_MS);
  const log = {
    ...shared,
    expiresAt: ({ receivedAt }: Pick<Upload, 'receivedAt'>) => inDays(receivedAt),
  };
  const changeLog = {
    ...log,
    prefix: `c:${connector}:`,
    nameOf: ({ at }: Pick<Upload, 'at'>) => digits(at.changes),
  };
  return {
    changes: new Documents<Upload>(changeLog),
    changePlaces: new Documents<UploadPlace>({
      ...changeLog,
      fields: ['at', 'receivedAt', 'bytes'],
    }),
    parts: new Documents<Upload>({
      ...log,
      prefix: `p:${connector}:`,
      nameOf: ({ at }) => digits(at.parts),
    }),
    lists: new Documents<List>({
      ...shared,
      prefix: `l:${connector}:`,
      nameOf: ({ id }) => digits(id),
      expiresAt: ({ startedAt }) => inDays(startedAt),
    }),
  };
};

interface ChangePages {
  readonly after: number;
  readonly upTo: number;
  readonly size: number;
}

async function* readChanges<Read extends Pick<Upload, 'at'>>(
  documents: Documents<Read>,
  { after, upTo, size }: ChangePages,
): AsyncGenerator<Read> {
  for (let last = after; last < upTo;) {
    const page = await documents.list(size, digits(last));
    yield* page.filter(({ at }) => at.changes <= upTo);
    last = page.length < size ? upTo : (page.at(-1)?.at.changes ?? upTo);
  }
}

const notOpen = (message: string) => raise(SNAPSHOT_NOT_OPEN, message);

/**
 * The uploads of one connector of one tenant: two logs, of changes and of parts of lists, in the order of
 * their numbers. A gateway takes a number first, so an upload is one insert that no other waits for.
 */
export class UploadStore {
  readonly #of: UploadParts;
  readonly #collection: PluginCollection;
  readonly #limits: UploadLimits;
  readonly #logs: ReturnType<typeof logsOf>;

  constructor(parts: UploadParts, limits = UPLOAD_LIMITS) {
    this.#of = parts;
    this.#collection = parts.collection('uploads');
    this.#limits = limits;
    this.#logs = logsOf(parts);
  }

  /** `applied`: the number of the last upload of changes that was applied or rejected. */
  async state(applied: number): Promise<UploadState> {
    return {
      ...(await this.#received()),
      lists: await this.#logs.lists.list(LONG_PAGE),
      waiting: (await this.#logs.changePlaces.list(1, digits(applied)))[0],
    };
  }

  /** Stores an upload, unless too much is stored. */
  async add(
    people: readonly JsonObject[],
    step: SnapshotStep | undefined,
    applied: AppliedUploads,
  ): Promise<Upload> {
    const { lists } = this.#logs;
    const bytes = Buffer.byteLength(JSON.stringify(people));
    const open = await this.#openList(step);
    await this.#requireCapacity(bytes, open, step === undefined ? applied.changes : undefined);
    const upload = await this.#take(people, { bytes, open, isPart: step !== undefined });
    const { at, receivedAt } = upload;
    if (step === 'start') {
      const start = { id: at.parts, startedAt: receivedAt, start: at };
      await lists.add([{ ...start, completedAt: null, end: null }]);
      await this.#dropReplaced(applied.appliedList);
    }
    if (step === 'complete' && open)
      await lists.change(digits(open.id), (list) =>
        list && list.end === null
          ? { ...list, completedAt: receivedAt, end: at }
          : notOpen('The snapshot was completed or replaced by another request.'),
      );
    return upload;
  }

  /** Uploads of changes that follow this one, oldest first. */
  changes(after: number, upTo: number): AsyncGenerator<Upload> {
    return readChanges(this.#logs.changes, { after, upTo, size: PAGE });
  }

  /**
   * Makes sure that no upload up to this one is still to come. A number without an upload gets an empty
   * one: either its gateway has ended, or its upload finds the number taken and gets another.
   */
  async seal(after: number, upTo: number): Promise<void> {
    const { changes, changePlaces } = this.#logs;
    const { received, receivedAt } = await this.#received();
    const empty = {
      id: '',
      receivedAt: receivedAt.toISOString(),
      list: null,
      bytes: 0,
      people: [],
    };
    const before = (await changePlaces.get(digits(after)))?.at ?? received;
    let last = { ...before, changes: after };
    const fillUntil = async (end: number): Promise<void> => {
      while (last.changes + 1 < end) {
        last = { ...last, changes: last.changes + 1 };
        await this.#insert(changes, { ...empty, at: last }).catch(ignoreConflict);
      }
    };
    for await (const { at } of readChanges(changePlaces, { after, upTo, size: LONG_PAGE })) {
      await fillUntil(at.changes);
      last = at;
    }
    await fillUntil(upTo + 1);
  }

  /** Undefined: it was deleted. */
  list(id: number): Promise<List | undefined> {
    return this.#logs.lists.get(digits(id));
  }

  /** The parts of a list, newest first. Parts that came with the last one belong to it, too. */
  async *parts({ id }: List): AsyncGenerator<Upload> {
    const [next] = await this.#logs.lists.list(1, digits(id));
    const end = next ? next.id - 1 : (await this.#received()).received.parts;
    for (let upTo = end; upTo >= id; upTo -= PAGE) {
      const page = await this.#logs.parts.list(PAGE, digits(Math.max(id - 1, upTo - PAGE)));
      yield* page.filter(({ at, list }) => list === id && at.parts <= upTo).reverse();
    }
  }

  async find(id: string): Promise<Upload | undefined> {
    const [, high, low, isPart] = /^([0-9a-f]{8})-([0-9a-f]{4})-8([01])/.exec(id) ?? [];
    const number = Number.parseInt(`${high ?? ''}${low ?? ''}`, 16);
    const { parts, changes } = this.#logs;
    const found = await (isPart === '1' ? parts : changes).get(digits(number));
    return found?.id === id ? found : undefined;
  }

  /** Deletes what the applied list replaces, and changes beyond the limit of those that are kept. */
  async drop({ changes: upTo, appliedList }: AppliedUploads): Promise<void> {
    const { lists, changePlaces } = this.#logs;
    const list = appliedList === null ? undefined : await lists.get(digits(appliedList));
    const end = (await changePlaces.get(digits(upTo)))?.at ?? list?.end ?? NOTHING;
    const least = end.changeBytes - this.#limits.appliedBytes;
    const isKept = list !== undefined && list.start.changeBytes >= least;
    if (list && !isKept) await this.#dropList(list, list.end?.parts ?? list.id);
    await this.#dropReplaced(appliedList);
    let last = list?.start.changes ?? 0;
    if (!isKept)
      for await (const { at } of readChanges(changePlaces, { after: last, upTo, size: PAGE })) {
        if (at.changeBytes > least) break;
        last = at.changes;
      }
    const prefix = `c:${this.#of.connector}:`;
    await this.#collection.clear(this.#of.tenantId, prefix, { upTo: prefix + digits(last) });
  }

  async #received() {
    const found = await this.#collection.get(this.#of.tenantId, this.#receivedKey());
    const received: Received = { ...NOTHING, ...found?.value };
    return { received, receivedAt: found?.updatedAt ?? new Date(0) };
  }

  #receivedKey(): string {
    return `received/${this.#of.connector}`;
  }

  /** Takes the next number of its log, and inserts the upload under it. */
  #take(
    people: readonly JsonObject[],
    given: { readonly bytes: number; readonly open: List | undefined; readonly isPart: boolean },
  ): Promise<Upload> {
    const { bytes, open, isPart } = given;
    const amounts = isPart ? { parts: 1, partBytes: bytes } : { changes: 1, changeBytes: bytes };
    return untilWritten(async () => {
      const { tenantId } = this.#of;
      const added = await this.#collection.add(tenantId, this.#receivedKey(), amounts);
      const at: Received = { ...NOTHING, ...added.value };
      const id = newId(isPart ? at.parts : at.changes, isPart);
      const receivedAt = added.updatedAt.toISOString();
      const list = isPart ? (open?.id ?? at.parts) : null;
      const upload: Upload = { id, receivedAt, at, list, bytes, people };
      await this.#insert(isPart ? this.#logs.parts : this.#logs.changes, upload);
      return upload;
    });
  }

  async #insert(log: Documents<Upload>, upload: Upload): Promise<void> {
    const documents = log.toStore([upload]).map((document) => ({ ...document, ifVersion: 0 }));
    await this.#collection.put(this.#of.tenantId, documents);
  }

  async #requireCapacity(
    bytes: number,
    open: List | undefined,
    applied: number | undefined,
  ): Promise<void> {
    const limits = this.#limits;
    const [{ received }, [first]] = await Promise.all([
      this.#received(),
      applied === undefined ? [] : this.#logs.changePlaces.list(1, digits(applied)),
    ]);
    if (open && received.partBytes - open.start.partBytes + bytes > limits.listBytes)
      raise(
        'PAYLOAD_TOO_LARGE',
        `The list has more than ${limits.listBytes / MEBIBYTE} MiB. Begin another one with ?snapshot=start.`,
      );
    if (!first) return;
    const waiting = received.changes - first.at.changes + 1;
    const waitingBytes = received.changeBytes - first.at.changeBytes + first.bytes;
    if (waiting >= limits.waiting || waitingBytes + bytes > limits.waitingBytes)
      raise(
        'RATE_LIMITED',
        `${waiting} uploads wait for a run of the connector ${this.#of.connector}. Retry later. If it is ` +
          'paused, or a plan waits for an approval, an operator must act first.',
        { retryAfter: limits.retryAfter },
      );
  }

  /** Which list an upload continues; undefined: none. */
  async #openList(step: SnapshotStep | undefined): Promise<List | undefined> {
    if (step === undefined || step === 'start') return undefined;
    const newest = (await this.#logs.lists.list(LONG_PAGE)).at(-1);
    return newest?.end === null
      ? newest
      : notOpen('No snapshot was begun. Send its first upload with ?snapshot=start.');
  }

  /** The list first, so that a run that reads its parts notices. */
  async #dropList({ id }: List, lastPart: number): Promise<void> {
    const { tenantId, connector } = this.#of;
    const prefix = `p:${connector}:`;
    await this.#logs.lists.delete([digits(id)]);
    await this.#collection.clear(tenantId, prefix, {
      after: prefix + digits(id - 1),
      upTo: prefix + digits(lastPart),
    });
  }

  /** Deletes lists that a later one replaces. */
  async #dropReplaced(appliedList: number | null): Promise<void> {
    const all = await this.#logs.lists.list(LONG_PAGE);
    const complete = all.findLast(({ end }) => end !== null);
    for (const [at, list] of all.entries()) {
      const next = all[at + 1];
      if (next && list.id !== appliedList && list !== complete)
        await this.#dropList(list, next.id - 1);
    }
  }
}
