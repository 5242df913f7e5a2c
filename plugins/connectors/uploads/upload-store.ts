import { randomUUID } from 'node:crypto';
import type { ConfiguredConnector, JsonObject, PluginDocument } from '../../../src/plugin/api.js';
import { type StoreParts, untilWritten } from '../run/documents.js';

/** What an upload is part of: changes, or a complete list in several uploads. */
export type SnapshotStep = 'start' | 'continue' | 'complete';

/** An upload as it is stored, until its records were applied and for 30 days. */
export interface Upload {
  readonly id: string;
  /** Its place among the uploads of the connector, from 1. */
  readonly seq: number;
  readonly receivedAt: string;
  /** Of which snapshot it is a part; null: changes. */
  readonly snapshot: string | null;
  /** SCIM users. */
  readonly people: readonly JsonObject[];
}

/** The settings of a connector that receives uploads. */
export interface UploadSettings {
  readonly maxOperations: number;
  /** In milliseconds. */
  readonly settle: number;
}

export const uploadSettings = ({ options }: Pick<ConfiguredConnector, 'options'>): UploadSettings =>
  (options as { readonly settings: UploadSettings }).settings;

/** What the uploads of a connector have come to. */
export interface Inbox {
  /** Of the newest upload. */
  readonly seq: number;
  /** Of the newest upload of changes. */
  readonly changes: number;
  /** When the newest upload was received, and the first one that waits for a run. */
  readonly receivedAt: string;
  readonly waitingSince: string;
  /** The snapshot that is being uploaded. */
  readonly open: string | null;
  /** Its first upload; null: begun in an earlier version, which did not store it. */
  readonly openFirst: number | null;
  /** The newest snapshot that is complete. */
  readonly complete: {
    readonly snapshot: string;
    /** Its first upload. */
    readonly first?: number | null;
    /** Its last one. */
    readonly seq: number;
    /** Of the newest upload of changes before it was complete. */
    readonly changes: number;
  } | null;
}

const EMPTY: Inbox = {
  seq: 0,
  changes: 0,
  receivedAt: '',
  waitingSince: '',
  open: null,
  openFirst: null,
  complete: null,
};
const KEPT_MS = 30 * 86_400_000;
const PAGE = 20;
/** Keys are ordered as text. */
const digits = (seq: number): string => String(seq).padStart(12, '0');

/** The uploads of one connector of one tenant. */

export const createUploadStore = ({
  collection: collectionOf,
  tenantId,
  connector,
  now,
}: Omit<StoreParts, 'fence'>) => {
  const collection = collectionOf('uploads');
  const inboxKey = `inbox/${connector}`;
  const prefix = `u:${connector}:`;
  const idKey = (id: string): string => `id:${connector}:${id}`;

  const inboxOf = ({ value }: PluginDocument): Inbox => ({
    ...EMPTY,
    ...(value as unknown as Inbox),
  });
  const uploadOf = ({ value }: PluginDocument): Upload => value as unknown as Upload;

  async function* list(after: number): AsyncGenerator<Upload> {
    let from = prefix + digits(after);
    for (;;) {
      const page = await collection.list(tenantId, { prefix, after: from, limit: PAGE });
      yield* page.map(uploadOf);
      const last = page.at(-1);
      if (!last || page.length < PAGE) return;
      from = last.key;
    }
  }

  /** From `last` back to `first`. */
  async function* newestFirst(first: number, last: number): AsyncGenerator<Upload> {
    for (let upTo = last; upTo >= first; upTo -= PAGE) {
      const after = prefix + digits(Math.max(first - 1, upTo - PAGE));
      const page = await collection.list(tenantId, { prefix, after, limit: PAGE });
      yield* page
        .map(uploadOf)
        .filter(({ seq }) => seq <= upTo)
        .reverse();
    }
  }

  return {
    inbox: async (): Promise<Inbox> => {
      const found = await collection.get(tenantId, inboxKey);
      return found ? inboxOf(found) : EMPTY;
    },

    /**
     * Stores an upload; undefined: it continues a snapshot, and none is open. `applied`: up to which
     * upload everything was applied.
     */
    add: (
      people: readonly JsonObject[],
      step: SnapshotStep | undefined,
      applied: number,
    ): Promise<Upload | undefined> =>
      untilWritten(async () => {
        const stored = await collection.get(tenantId, inboxKey);
        const before = stored ? inboxOf(stored) : EMPTY;
        const snapshot = step === 'start' ? randomUUID() : step === undefined ? null : before.open;
        if (step !== undefined && snapshot === null) return undefined;
        const seq = before.seq + 1;
        const changes = snapshot === null ? seq : before.changes;
        const at = now();
        const receivedAt = at.toISOString();
        const id = randomUUID();
        const upload: Upload = { id, seq, receivedAt, snapshot, people };
        const openFirst = step === 'start' ? seq : before.openFirst;
        const inbox: Inbox = {
          ...{ seq, changes, receivedAt, openFirst },
          waitingSince: before.seq > applied ? before.waitingSince : receivedAt,
          open: step === 'complete' ? null : (snapshot ?? before.open),
          complete:
            step === 'complete' && snapshot !== null
              ? { snapshot, first: openFirst, seq, changes }
              : before.complete,
        };
        const expiresAt = new Date(at.getTime() + KEPT_MS);
        await collection.put(tenantId, [
          {
            key: inboxKey,
            value: inbox as unknown as JsonObject,
            ifVersion: stored?.version ?? 0,
          },
          { key: prefix + digits(seq), value: upload as unknown as JsonObject, expiresAt },
          { key: idKey(id), value: { seq }, expiresAt },
        ]);
        return upload;
      }),

    /** Uploads that follow this one, oldest first. */
    list,
    newestFirst,

    find: async (id: string): Promise<Upload | undefined> => {
      const seq = (await collection.get(tenantId, idKey(id)))?.value.seq;
      if (typeof seq !== 'number') return undefined;
      const found = await collection.get(tenantId, prefix + digits(seq));
      return found && uploadOf(found);
    },
  };
};
