import type { mongo } from 'mongoose';
import type { OutboxRow } from '../domain/outbox.js';
import { ensureCollection } from './ensure-collection.js';

/** Pending, delivered, failed for good, dropped because its key is no longer served. */
export type OutboxState = 'p' | 'd' | 'f' | 'x';

/** An event owed to one key of a subscriber (webhook-delivery.md 4). */
export interface OutboxDocument {
  readonly _id: string;
  readonly tenant: string;
  readonly plugin: string;
  readonly key: string;
  /** The event's id. */
  readonly ev: string;
  readonly seq: number;
  /** Kind and id of what the event is about: what is kept in order. */
  readonly res: string;
  readonly st: OutboxState;
  /** When it may be taken; the end of the lease while it is owned. */
  readonly due: Date;
  readonly own: string | null;
  /** Null where born leased: an owner that claims its own row again is another holder. */
  readonly claim: string | null;
  /** Attempts made, the one that it is held for among them. */
  readonly n: number;
  readonly last?: { readonly at: Date; readonly reason: string | null; readonly ms: number };
  /** Set on finishing only, so that nothing owed can expire. */
  readonly expireAt?: Date;
}

export const OUTBOX = 'outbox';

/** How a row is first written, in the transaction of its event. */
export const toOutboxDocument = (row: OutboxRow): OutboxDocument => ({
  _id: row.id,
  tenant: row.tenantId,
  plugin: row.plugin,
  key: row.key,
  ev: row.eventId,
  seq: row.seq,
  res: row.resource,
  st: 'p',
  due: row.due,
  own: row.owner,
  claim: null,
  n: row.owner === null ? 0 : 1,
});

/** Over what is pending alone: finished rows, by far the most, cost nothing. */
const PENDING = { partialFilterExpression: { st: 'p' } } as const;

/** For claims, and, as it holds all that they need, for counts. */
const BY_DUE = { st: 1, plugin: 1, due: 1, seq: 1, key: 1 } as const;
/** For the order of a resource. */
const BY_RESOURCE = { plugin: 1, key: 1, res: 1, seq: 1 } as const;
/** For all that waits for one key. */
const BY_KEY = { plugin: 1, key: 1, due: 1 } as const;

/**
 * Which index a question is for. Said with each, for finding out takes the server longer than the
 * answer: 1,000 ms against 3 where 64 resources are asked for at once (seen, mongod 6.0.5).
 */
export const HINTS = { byId: { _id: 1 }, byDue: BY_DUE, byResource: BY_RESOURCE, byKey: BY_KEY };

export const OUTBOX_INDEXES = [
  { key: BY_DUE, ...PENDING },
  { key: BY_RESOURCE, ...PENDING },
  { key: BY_KEY, ...PENDING },
  { key: { expireAt: 1 }, expireAfterSeconds: 0 },
] as const satisfies readonly mongo.IndexDescription[];

/** Makes the collection, too: a transaction that has to make one waits for a database lock. */
export const ensureOutboxIndexes = async (database: mongo.Db): Promise<void> => {
  await ensureCollection(database, OUTBOX);
  await database.collection(OUTBOX).createIndexes([...OUTBOX_INDEXES]);
};
