import type { mongo } from 'mongoose';
import type { EventName } from '../domain/events.js';
import { isSpan, type OutboxRow, type OwedEvent, type OwedSpan } from '../domain/outbox.js';
import { ensureCollection } from './ensure-collection.js';
import { type PackedSeqs, packSeqs } from './outbox-seqs.js';

/** Pending, delivered, failed for good, dropped because its key is no longer served. */
export type OutboxState = 'p' | 'd' | 'f' | 'x';

/**
 * An event owed to one key of a subscriber (webhook-delivery.md 4), or a span of them: then it has
 * `left` and `span`, and what it says of an event it says of the first that is left.
 */
export interface OutboxDocument {
  readonly _id: string;
  readonly tenant: string;
  readonly plugin: string;
  readonly key: string;
  /** The event's id; null in a span. */
  readonly ev: string | null;
  readonly seq: number;
  /** What happened, and when; of a span: absent. */
  readonly name?: EventName;
  readonly at?: Date;
  /** Kind and id of what the event is about: what is kept in order. Of a span: `spanOf` its tenant. */
  readonly res: string;
  readonly st: OutboxState;
  /** When it may be taken; the end of the lease while it is owned. */
  readonly due: Date;
  readonly own: string | null;
  /** Null where born leased: an owner that claims its own row again is another holder. */
  readonly claim: string | null;
  /** Attempts made, the one that it is held for among them. */
  readonly n: number;
  /** How many events of a span are still owed as such: no rows were made of them yet. */
  readonly left?: number;
  readonly span?: SpanFields;
  readonly last?: { readonly at: Date; readonly reason: string | null; readonly ms: number };
  /** Set on finishing only, so that nothing owed can expire. */
  readonly expireAt?: Date;
}

export interface SpanFields {
  /** All that it was written for, what is a row by now among it. */
  readonly seqs: PackedSeqs;
  /** Due since then: an expansion must not make it younger, or it would never be given up. */
  readonly since: Date;
}

export const OUTBOX = 'outbox';

const SPAN = 'span:';

/** What stands for the resource in a span: events of every resource of the tenant may be in it. */
export const spanOf = (tenant: string): string => `${SPAN}${tenant}`;

/** All of these; the colon's successor ends them. */
export const ANY_SPAN = { $gte: SPAN, $lt: 'span;' } as const;

const toRow = (row: OwedEvent) => ({
  ev: row.eventId,
  seq: row.seq,
  name: row.name,
  at: row.at,
  res: row.resource,
  n: row.owner === null ? 0 : 1,
});

const toSpan = ({ seqs, tenantId, due }: OwedSpan) => ({
  ev: null,
  seq: seqs[0] ?? 0,
  res: spanOf(tenantId),
  n: 0,
  left: seqs.length,
  span: { seqs: packSeqs(seqs), since: due },
});

/** How a row is first written, in the transaction of its event. */
export const toOutboxDocument = (row: OutboxRow): OutboxDocument => ({
  _id: row.id,
  tenant: row.tenantId,
  plugin: row.plugin,
  key: row.key,
  st: 'p',
  due: row.due,
  own: row.owner,
  claim: null,
  ...(isSpan(row) ? toSpan(row) : toRow(row)),
});

/** Over what is pending alone: finished rows, by far the most, cost nothing. */
const PENDING = { partialFilterExpression: { st: 'p' } } as const;

/** For claims, and, as it holds all that they need, for counts. */
const BY_DUE = { st: 1, plugin: 1, due: 1, seq: 1, key: 1, left: 1 } as const;
/** For the order of a resource, and for the first span of a key. */
const BY_RESOURCE = { plugin: 1, key: 1, res: 1, seq: 1 } as const;
/** For all that waits for one key. */
const BY_KEY = { plugin: 1, key: 1, due: 1 } as const;

/**
 * For lists of deliveries and for what is to be tried again; over finished rows alone, so that no
 * commit pays for it.
 */
const BY_STATE = { plugin: 1, key: 1, st: 1, seq: -1 } as const;
const FINISHED = { partialFilterExpression: { expireAt: { $exists: true } } } as const;

/**
 * Which index a question is for. Said with each, for finding out takes the server longer than the
 * answer: 1,000 ms against 3 where 64 resources are asked for at once (seen, mongod 6.0.5).
 */
export const HINTS = {
  byId: { _id: 1 },
  byDue: BY_DUE,
  byResource: BY_RESOURCE,
  byKey: BY_KEY,
  byState: BY_STATE,
};

export const OUTBOX_INDEXES = [
  { key: BY_DUE, ...PENDING },
  { key: BY_RESOURCE, ...PENDING },
  { key: BY_KEY, ...PENDING },
  { key: BY_STATE, ...FINISHED },
  { key: { expireAt: 1 }, expireAfterSeconds: 0 },
] as const satisfies readonly mongo.IndexDescription[];

/** Makes the collection, too: a transaction that has to make one waits for a database lock. */
export const ensureOutboxIndexes = async (database: mongo.Db): Promise<void> => {
  await ensureCollection(database, OUTBOX);
  await database.collection(OUTBOX).createIndexes([...OUTBOX_INDEXES]);
};
