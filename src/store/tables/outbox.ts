import { defineCollection, EXPIRES, MIXED, whereSet } from './collection.js';
import type { EventName } from '../../domain/events.js';
import {
  isSpan,
  type OutboxRow,
  type OutboxEvent,
  type OutboxSpan,
} from '../../outbox/outbox-planner.js';
import type { Recovery, AttemptRecord, StoredAttempt } from '../../outbox/delivery-record.js';
import type { JsonObject } from '../../domain/kernel/json.js';
import type { Acknowledgement } from '../../outbox/outbox-claims.js';
import * as mongo from 'mongodb';

/** Positions in a log, one bit for each from the first to the last: exact for any pattern. */
export interface PackedSeqs {
  readonly from: number;
  readonly bits: mongo.Binary;
}

/**
 * `seqs`: ascending, at least one.
 *
 * @internal
 */
export const packSeqs = (seqs: readonly number[]): PackedSeqs => {
  const from = seqs[0] ?? 0;
  const bits = Buffer.alloc((((seqs.at(-1) ?? from) - from) >> 3) + 1);
  for (const seq of seqs) {
    const at = seq - from;
    bits.writeUInt8(bits.readUInt8(at >> 3) | (1 << (at & 7)), at >> 3);
  }
  return { from, bits: new mongo.Binary(bits) };
};

/** Up to `limit` of the positions, in order, starting with `first`. */
export const unpackSeqs = (
  { from, bits }: PackedSeqs,
  first: number,
  limit: number,
): readonly number[] => {
  const bytes = Buffer.from(bits.buffer);
  const seqs: number[] = [];
  for (let at = first - from; at >> 3 < bytes.length && seqs.length < limit; at += 1) {
    if ((bytes.readUInt8(at >> 3) >> (at & 7)) & 1) seqs.push(from + at);
  }
  return seqs;
};

/** An attempt, kept for lists of deliveries. */
interface AttemptFields {
  readonly at: Date;
  readonly ms: number;
  readonly reason: string | null;
  /** JSON texts, which cost a fraction of some thirty fields; neither is queried. */
  readonly summary?: string;
  readonly details?: string;
}

/** An attempt that is not in the row of its delivery. */
export interface AttemptDocument extends AttemptFields {
  readonly _id?: mongo.ObjectId;
  /** The delivery. */
  readonly d: string;
  readonly tenant: string;
  readonly expireAt: Date;
}

export const BY_DELIVERY = { d: 1 } as const;

export const outboxAttempts = defineCollection<AttemptDocument>({
  name: 'outbox_attempts',
  fields: {
    _id: 'ObjectId',
    d: String,
    tenant: String,
    at: Date,
    ms: Number,
    reason: String,
    summary: String,
    details: String,
    expireAt: Date,
  },
  indexes: [{ key: BY_DELIVERY }, EXPIRES],
  purge: 'by tenant',
});

/** Pending, delivered, failed permanently, dropped because its key is no longer served. */
export type OutboxState = 'p' | 'd' | 'f' | 'x';

/**
 * A delivery: an event for one key of a subscriber. A span of events has
 * `left` and `span`; its other fields describe the first event that is left.
 */
export interface OutboxDocument {
  readonly _id: string;
  readonly tenant: string;
  readonly plugin: string;
  readonly key: string;
  /** The event's id; null in a span. */
  readonly ev: string | null;
  readonly seq: number;
  /** The event's type and time; absent from a span. */
  readonly name?: EventName;
  readonly at?: Date;
  /** Kind and id of the event's resource, whose deliveries keep their order; in a span `spanOf` its tenant. */
  readonly res: string;
  readonly st: OutboxState;
  /** When it may be claimed; while it is owned, the end of the lease. */
  readonly due: Date;
  readonly own: string | null;
  /** Null where born leased: an owner that claims its own row again holds it under another claim. */
  readonly claim: string | null;
  /** The claim before this one, if the same owner let its lease expire. */
  readonly renews?: string | null;
  /** The key of a redelivery that was requested during an attempt: requeued when that has ended. */
  readonly again?: string;
  /** Attempts, including the one in progress. */
  readonly n: number;
  /** Events of a span that are not rows yet. */
  readonly left?: number;
  readonly span?: SpanFields;
  readonly last?: { readonly at: Date; readonly reason: string | null; readonly ms: number };
  /** The record of its first attempt; those of others, and long ones, are in `outbox_attempts`. */
  readonly first?: AttemptFields;
  /** Set when it is finished, so that no pending delivery can expire. */
  readonly expireAt?: Date;
}

export interface SpanFields {
  /** All events that it was written for, including those that are rows by now. */
  readonly seqs: PackedSeqs;
  /** When it was first due: an expansion must not make it younger, or it would never be given up. */
  readonly since: Date;
}

/** Over pending rows only: finished rows, by far the most, cost nothing. */
const PENDING = { partialFilterExpression: { st: 'p' } } as const;

/**
 * The index of each query, passed as its hint: choosing one takes the server longer than the query
 * itself, 1,000 ms instead of 3 for 64 resources (measured with mongod 6.0.5).
 */
export const HINTS = {
  byId: { _id: 1 },
  /** For claims and, because it covers them, for counts. */
  byDue: { st: 1, plugin: 1, due: 1, seq: 1, key: 1, left: 1 },
  /** For the order of a resource, and for the first span of a key. */
  byResource: { plugin: 1, key: 1, res: 1, seq: 1 },
  /** For what is pending for one key. */
  byKey: { plugin: 1, key: 1, due: 1 },
  /** For lists of deliveries and for recoveries; over finished rows only, so that no commit updates it. */
  byState: { plugin: 1, key: 1, st: 1, seq: -1 },
} as const;

export const outbox = defineCollection<OutboxDocument>({
  name: 'outbox',
  fields: {
    _id: String,
    tenant: String,
    plugin: String,
    key: String,
    ev: String,
    seq: Number,
    name: String,
    at: Date,
    res: String,
    st: String,
    due: Date,
    own: String,
    claim: String,
    renews: String,
    again: String,
    n: Number,
    left: Number,
    span: MIXED,
    last: MIXED,
    first: MIXED,
    expireAt: Date,
  },
  indexes: [
    { key: HINTS.byDue, ...PENDING },
    { key: HINTS.byResource, ...PENDING },
    { key: HINTS.byKey, ...PENDING },
    { key: HINTS.byState, ...whereSet('expireAt') },
    EXPIRES,
  ],
  purge: 'by tenant',
});

const SPAN = 'span:';

/** The value of `res` in a span, which may have events of every resource of the tenant. */
export const spanOf = (tenant: string): string => `${SPAN}${tenant}`;

/** Matches every `spanOf`: a semicolon follows the colon. */
export const ANY_SPAN = { $gte: SPAN, $lt: 'span;' } as const;

const toRow = (row: OutboxEvent) => ({
  ev: row.eventId,
  seq: row.seq,
  name: row.name,
  at: row.at,
  res: row.resource,
  n: row.owner === null ? 0 : 1,
});

const toSpan = ({ seqs, tenantId, due }: OutboxSpan) => ({
  ev: null,
  seq: seqs[0] ?? 0,
  res: spanOf(tenantId),
  n: 0,
  left: seqs.length,
  span: { seqs: packSeqs(seqs), since: due },
});

/** A row as it is written in the transaction of its event. */
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

/** A request to retry all failed deliveries, and its progress. */
export interface RecoveryDocument {
  readonly _id: string;
  readonly tenant: string;
  readonly plugin: string;
  readonly keys: readonly string[];
  /** The key that the deliveries are requeued for. */
  readonly to: string;
  readonly since: Date;
  /** Deliveries that fail after this time are not retried again. */
  readonly createdAt: Date;
  readonly state: Recovery['state'];
  readonly recovered: number;
  /** When any instance may continue it; while one does, the end of its lease. */
  readonly due: Date;
  readonly own: string | null;
  readonly finishedAt: Date | null;
  readonly expireAt?: Date;
}

export const BY_DUE = { state: 1, due: 1 } as const;

export const outboxRecoveries = defineCollection<RecoveryDocument>({
  name: 'outbox_recoveries',
  fields: {
    _id: String,
    tenant: String,
    plugin: String,
    keys: [String],
    to: String,
    since: Date,
    createdAt: Date,
    state: String,
    recovered: Number,
    due: Date,
    own: String,
    finishedAt: Date,
    expireAt: Date,
  },
  indexes: [{ key: BY_DUE, partialFilterExpression: { state: 'running' } }, EXPIRES],
  purge: 'by tenant',
});

export type AttemptText = Pick<AttemptFields, 'summary' | 'details'>;

export const toText = (kept: StoredAttempt | null): AttemptText => ({
  ...(kept && { summary: JSON.stringify(kept.summary) }),
  ...(kept?.details && { details: JSON.stringify(kept.details) }),
});

const fromText = ({ summary, details }: AttemptFields): StoredAttempt | null =>
  summary === undefined
    ? null
    : {
        summary: JSON.parse(summary) as JsonObject,
        ...(details !== undefined && { details: JSON.parse(details) as JsonObject }),
      };

/** A long record might make a row impossible to write, which would be sent again for ever. */
const MAX_TEXT_IN_ROW = 2_048;

/**
 * The record of a first attempt, if it is stored in the row: with the acknowledgement, and without a
 * document of its own and its index entries.
 */
export const textInRow = ({ attempt }: Acknowledgement): AttemptText | undefined => {
  if (!attempt?.record?.isFirst) return undefined;
  const text = toText(attempt.record.kept);
  const length = (text.summary?.length ?? 0) + (text.details?.length ?? 0);
  return length <= MAX_TEXT_IN_ROW ? text : undefined;
};

export const fromFields = (fields: AttemptFields): AttemptRecord => {
  const { at, ms, reason } = fields;
  return { at, ms, reason, kept: fromText(fields) };
};

/** The attempt in a row. Its time is that of its acknowledgement. */
export const attemptInRow = ({ first }: Pick<OutboxDocument, 'first'>): readonly AttemptRecord[] =>
  first ? [fromFields({ ...first, at: new Date(first.at.getTime() - first.ms) })] : [];
