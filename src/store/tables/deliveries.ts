import type { EventName } from '../../domain/events.js';
import type { JsonObject } from '../../domain/kernel/json.js';
import type {
  AttemptRecord,
  DeliveryState,
  Recovery,
  StoredAttempt,
} from '../../ports/deliveries.js';
import type { MovedCursor } from '../../ports/event-stream.js';
import { defineCollection, EXPIRES, MIXED } from './collection.js';

/** The positions of a plugin's subscriptions in the log of a tenant. */
export interface CursorDocument extends Omit<MovedCursor, 'tenantId'> {
  /** `cursorIdOf` its plugin and tenant. */
  readonly _id: string;
  readonly tenant: string;
  /** The end of the log when the plugin subscribed for the first time; absent: there was none. */
  readonly base?: number;
}

export const cursorIdOf = (plugin: string, tenant: string): string => `${plugin}:${tenant}`;

export const cursors = defineCollection<CursorDocument>({
  name: 'cursors',
  fields: {
    _id: String,
    plugin: String,
    tenant: String,
    base: Number,
    token: Number,
    low: Number,
    keys: MIXED,
  },
  indexes: [{ key: { tenant: 1 } }],
  purge: 'by tenant',
});

/** A partition of the tenants; or a gateway that takes part in their distribution; or a plugin's mark. */
export interface PartitionDocument {
  /** `partition:7`, `gateway:<id>`, or `plugin:<name>` once it has subscribed. */
  readonly _id: string;
  readonly n?: number;
  readonly owner?: string | null;
  readonly token?: number;
}

export const partitions = defineCollection<PartitionDocument>({
  name: 'stream_partitions',
  fields: { _id: String, n: Number, owner: String, token: Number },
  indexes: [],
  purge: 'never',
});

/** An attempt, kept for lists of deliveries. */
export interface AttemptFields {
  readonly at: Date;
  readonly ms: number;
  readonly reason: string | null;
  /** JSON texts, which cost a fraction of some thirty fields; neither is queried. */
  readonly summary?: string;
  readonly details?: string;
}

/** Waiting for a retry, delivered, failed permanently, dropped because its key is no longer served. */
export const STATE_CODES = { pending: 'p', delivered: 'd', failed: 'f', dropped: 'x' } as const;
export type DeliveryStateCode = (typeof STATE_CODES)[DeliveryState];

/** A delivery, written when its first attempt ends. */
export interface DeliveryDocument {
  readonly _id: string;
  readonly tenant: string;
  readonly plugin: string;
  readonly key: string;
  /** The event. */
  readonly ev: string;
  readonly seq: number;
  readonly name: EventName;
  readonly at: Date;
  readonly st: DeliveryStateCode;
  /** While it waits: when the next attempt is due, and the partition whose owner makes it. */
  readonly due?: Date;
  readonly part?: number;
  /** Attempts since it was last queued. */
  readonly n: number;
  /** How often it was queued again. Absent: never. */
  readonly rev?: number;
  readonly last?: { readonly at: Date; readonly reason: string | null };
  readonly attempts?: readonly AttemptFields[];
  /** The first attempt, in documents of earlier versions. */
  readonly first?: AttemptFields;
  /** Set when it is finished, so that no pending delivery can expire. */
  readonly expireAt?: Date;
}

/** The index of each query, passed as its hint. */
export const HINTS = {
  byId: { _id: 1 },
  /** For retries; of pending deliveries only, which are few. */
  byDue: { due: 1, part: 1 },
  /** For lists and recoveries. */
  byKey: { plugin: 1, key: 1, st: 1, seq: -1 },
  /** For the number of deliveries of a command. */
  byEvent: { tenant: 1, seq: 1 },
} as const;

export const deliveries = defineCollection<DeliveryDocument>({
  name: 'deliveries',
  fields: {
    _id: String,
    tenant: String,
    plugin: String,
    key: String,
    ev: String,
    seq: Number,
    name: String,
    at: Date,
    st: String,
    due: Date,
    part: Number,
    n: Number,
    rev: Number,
    last: MIXED,
    attempts: MIXED,
    first: MIXED,
    expireAt: Date,
  },
  indexes: [
    { key: HINTS.byDue, partialFilterExpression: { st: 'p' } },
    { key: HINTS.byKey },
    { key: HINTS.byEvent },
    EXPIRES,
  ],
  purge: 'by tenant',
});

/** A request to send again all deliveries that failed before it. */
export interface RecoveryDocument extends Omit<Recovery, 'id'> {
  readonly _id: string;
  readonly tenant: string;
  readonly plugin: string;
  readonly keys: readonly string[];
  /** The key that the deliveries are queued for. */
  readonly to: string;
  readonly expireAt?: Date;
}

export const recoveries = defineCollection<RecoveryDocument>({
  name: 'delivery_recoveries',
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
    finishedAt: Date,
    expireAt: Date,
  },
  indexes: [{ key: { state: 1 }, partialFilterExpression: { state: 'running' } }, EXPIRES],
  purge: 'by tenant',
});

export const toText = (kept: StoredAttempt | null): Pick<AttemptFields, 'summary' | 'details'> => ({
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

/** The time of an attempt in `first` is that of its end. */
export const attemptsOf = ({
  first,
  attempts = [],
}: Pick<DeliveryDocument, 'first' | 'attempts'>): readonly AttemptRecord[] => {
  const before = first ? [{ ...first, at: new Date(first.at.getTime() - first.ms) }] : [];
  return [...before, ...attempts].map((fields) => {
    const { at, ms, reason } = fields;
    return { at, ms, reason, kept: fromText(fields) };
  });
};
