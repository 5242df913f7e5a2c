import { randomUUID } from 'node:crypto';
import {
  type ConfiguredConnector,
  type JsonObject,
  raise,
  VersionConflict,
} from '../../../src/plugin/api.js';
import { SNAPSHOT_NOT_OPEN } from '../declarations.js';
import {
  createDocuments,
  type Documents,
  type StoreParts,
  untilWritten,
} from '../run/documents.js';

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

/**
 * The uploads of one connector of one tenant: two logs, of changes and of parts of lists, in the order of
 * their numbers. A gateway takes a number first, so an upload is one insert that no other waits for.
 */
export const createUploadStore = (
  { collection: collectionOf, tenantId, connector }: Omit<StoreParts, 'fence'>,
  limits = UPLOAD_LIMITS,
) => {
  const collection = collectionOf('uploads');
  const receivedKey = `received/${connector}`;
  const changePrefix = `c:${connector}:`;
  const partPrefix = `p:${connector}:`;
  const inDays = (time: string): Date => new Date(Date.parse(time) + KEPT_MS);
  const shared = { collection, tenantId, fence: undefined };
  const changeLog = {
    ...shared,
    prefix: changePrefix,
    nameOf: ({ at }: Pick<Upload, 'at'>) => digits(at.changes),
    expiresAt: ({ receivedAt }: Pick<Upload, 'receivedAt'>) => inDays(receivedAt),
  };
  const changes = createDocuments<Upload>(changeLog);
  const changePlaces = createDocuments<UploadPlace>({
    ...changeLog,
    fields: ['at', 'receivedAt', 'bytes'],
  });
  const parts = createDocuments<Upload>({
    ...changeLog,
    prefix: partPrefix,
    nameOf: ({ at }) => digits(at.parts),
  });
  const lists = createDocuments<List>({
    ...shared,
    prefix: `l:${connector}:`,
    nameOf: ({ id }) => digits(id),
    expiresAt: ({ startedAt }) => inDays(startedAt),
  });

  async function* readChanges<Read extends Pick<Upload, 'at'>>(
    documents: Documents<Read>,
    { after, upTo, size }: { readonly after: number; readonly upTo: number; readonly size: number },
  ): AsyncGenerator<Read> {
    for (let last = after; last < upTo;) {
      const page = await documents.list(size, digits(last));
      yield* page.filter(({ at }) => at.changes <= upTo);
      last = page.length < size ? upTo : (page.at(-1)?.at.changes ?? upTo);
    }
  }

  const insert = (documents: Documents<Upload>, upload: Upload): Promise<void> =>
    collection.put(
      tenantId,
      documents.toStore([upload]).map((document) => ({ ...document, ifVersion: 0 })),
    );

  const readReceived = async () => {
    const found = await collection.get(tenantId, receivedKey);
    const received: Received = { ...NOTHING, ...found?.value };
    return { received, receivedAt: found?.updatedAt ?? new Date(0) };
  };

  const requireCapacity = async (
    bytes: number,
    open: List | undefined,
    applied: number | undefined,
  ): Promise<void> => {
    const [{ received }, [first]] = await Promise.all([
      readReceived(),
      applied === undefined ? [] : changePlaces.list(1, digits(applied)),
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
        `${waiting} uploads wait for a run of the connector ${connector}. Retry later. If it is paused, or a ` +
          'plan waits for an approval, an operator must act first.',
        { retryAfter: limits.retryAfter },
      );
  };

  /** Which list an upload continues; undefined: none. */
  const openList = async (step: SnapshotStep | undefined): Promise<List | undefined> => {
    if (step === undefined || step === 'start') return undefined;
    const newest = (await lists.list(LONG_PAGE)).at(-1);
    return newest && newest.end === null
      ? newest
      : raise(
          SNAPSHOT_NOT_OPEN,
          'No snapshot was begun. Send its first upload with ?snapshot=start.',
        );
  };

  /** The list first, so that a run that reads its parts notices. */
  const dropList = async ({ id }: List, lastPart: number): Promise<void> => {
    await lists.delete([digits(id)]);
    await collection.clear(tenantId, partPrefix, {
      after: partPrefix + digits(id - 1),
      upTo: partPrefix + digits(lastPart),
    });
  };

  /** Deletes lists that a later one replaces. */
  const dropReplaced = async (appliedList: number | null): Promise<void> => {
    const all = await lists.list(LONG_PAGE);
    const complete = all.findLast(({ end }) => end !== null);
    for (const [at, list] of all.entries()) {
      const next = all[at + 1];
      if (next && list.id !== appliedList && list !== complete) await dropList(list, next.id - 1);
    }
  };

  return {
    /** `applied`: the number of the last upload of changes that was applied or rejected. */
    state: async (applied: number): Promise<UploadState> => ({
      ...(await readReceived()),
      lists: await lists.list(LONG_PAGE),
      waiting: (await changePlaces.list(1, digits(applied)))[0],
    }),

    /** Stores an upload, unless too much is stored. */
    add: async (
      people: readonly JsonObject[],
      step: SnapshotStep | undefined,
      applied: AppliedUploads,
    ): Promise<Upload> => {
      const isPart = step !== undefined;
      const bytes = Buffer.byteLength(JSON.stringify(people));
      const open = await openList(step);
      await requireCapacity(bytes, open, isPart ? undefined : applied.changes);
      const upload = await untilWritten(async () => {
        const amounts = isPart
          ? { parts: 1, partBytes: bytes }
          : { changes: 1, changeBytes: bytes };
        const { value, updatedAt } = await collection.add(tenantId, receivedKey, amounts);
        const at: Received = { ...NOTHING, ...value };
        const id = newId(isPart ? at.parts : at.changes, isPart);
        const receivedAt = updatedAt.toISOString();
        const list = isPart ? (open?.id ?? at.parts) : null;
        const received: Upload = { id, receivedAt, at, list, bytes, people };
        await insert(isPart ? parts : changes, received);
        return received;
      });
      const { at, receivedAt } = upload;
      if (step === 'start') {
        const start = { id: at.parts, startedAt: receivedAt, start: at };
        await lists.add([{ ...start, completedAt: null, end: null }]);
        await dropReplaced(applied.appliedList);
      }
      if (step === 'complete' && open)
        await lists.change(digits(open.id), (list) =>
          list && list.end === null
            ? { ...list, completedAt: receivedAt, end: at }
            : raise(
                SNAPSHOT_NOT_OPEN,
                'The snapshot was completed or replaced by another request.',
              ),
        );
      return upload;
    },

    /** Uploads of changes that follow this one, oldest first. */
    changes: (after: number, upTo: number) => readChanges(changes, { after, upTo, size: PAGE }),

    /**
     * Makes sure that no upload up to this one is still to come. A number without an upload gets an empty
     * one: either its gateway has ended, or its upload finds the number taken and gets another.
     */
    seal: async (after: number, upTo: number): Promise<void> => {
      const { received, receivedAt } = await readReceived();
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
          await insert(changes, { ...empty, at: last }).catch(ignoreConflict);
        }
      };
      for await (const { at } of readChanges(changePlaces, { after, upTo, size: LONG_PAGE })) {
        await fillUntil(at.changes);
        last = at;
      }
      await fillUntil(upTo + 1);
    },

    /** Undefined: it was deleted. */
    list: (id: number) => lists.get(digits(id)),

    /** The parts of a list, newest first. Parts that came with the last one belong to it, too. */
    async *parts({ id }: List): AsyncGenerator<Upload> {
      const [next] = await lists.list(1, digits(id));
      const end = next ? next.id - 1 : (await readReceived()).received.parts;
      for (let upTo = end; upTo >= id; upTo -= PAGE) {
        const page = await parts.list(PAGE, digits(Math.max(id - 1, upTo - PAGE)));
        yield* page.filter(({ at, list }) => list === id && at.parts <= upTo).reverse();
      }
    },

    find: async (id: string): Promise<Upload | undefined> => {
      const [, high, low, isPart] = /^([0-9a-f]{8})-([0-9a-f]{4})-8([01])/.exec(id) ?? [];
      const number = Number.parseInt(`${high ?? ''}${low ?? ''}`, 16);
      const found = await (isPart === '1' ? parts : changes).get(digits(number));
      return found?.id === id ? found : undefined;
    },

    /** Deletes what the applied list replaces, and changes beyond the limit of those that are kept. */
    drop: async ({ changes: upTo, appliedList }: AppliedUploads): Promise<void> => {
      const list = appliedList === null ? undefined : await lists.get(digits(appliedList));
      const end = (await changePlaces.get(digits(upTo)))?.at ?? list?.end ?? NOTHING;
      const least = end.changeBytes - limits.appliedBytes;
      const isKept = list !== undefined && list.start.changeBytes >= least;
      if (list && !isKept) await dropList(list, list.end?.parts ?? list.id);
      await dropReplaced(appliedList);
      let last = list?.start.changes ?? 0;
      if (!isKept)
        for await (const { at } of readChanges(changePlaces, { after: last, upTo, size: PAGE })) {
          if (at.changeBytes > least) break;
          last = at.changes;
        }
      await collection.clear(tenantId, changePrefix, { upTo: changePrefix + digits(last) });
    },
  };
};
