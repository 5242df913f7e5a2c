import type { EventName } from '../../domain/events.js';
import {
  isSpan,
  type OutboxRow,
  type OutboxEvent,
  type OutboxSpan,
} from '../../outbox/outbox-planner.js';
import { type PackedSeqs, packSeqs } from '../outbox/packed-seqs.js';
import type { AttemptFields } from './outbox-attempts.js';
import { defineCollection, EXPIRES, MIXED, whereSet } from './collection.js';

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
