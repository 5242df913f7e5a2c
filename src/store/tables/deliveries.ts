import type { EventName } from '../../domain/events.js';
import type { JsonObject } from '../../domain/kernel/json.js';
import type {
  AttemptRecord,
  DeliveryState,
  Recovery,
  StoredAttempt,
} from '../../ports/deliveries.js';
import type { MovedCursor } from '../../ports/event-stream.js';
import {
  defineCollection,
  defineTenantCollection,
  type DocumentOf,
  EXPIRES,
} from './collection.js';
import { nullable, optional, typed } from './fields.js';

export const cursorIdOf = (plugin: string, tenant: string): string => `${plugin}:${tenant}`;

/** The positions of a plugin's subscriptions in the log of a tenant; the id is `cursorIdOf` both. */
export const cursors = defineTenantCollection({
  name: 'cursors',
  fields: {
    plugin: String,
    /** The end of the log when the plugin subscribed for the first time; absent: there was none. */
    base: optional(Number),
    token: Number,
    low: Number,
    keys: typed<MovedCursor['keys']>(Object),
  },
  indexes: [{ key: { tenant: 1 } }],
});

export type CursorDocument = DocumentOf<typeof cursors>;

/** A partition of the tenants; or a gateway that takes part in their distribution; or a plugin's mark. */
export const partitions = defineCollection({
  name: 'stream_partitions',
  fields: {
    /** `partition:7`, `gateway:<id>`, or `plugin:<name>` once it has subscribed. */
    _id: String,
    n: optional(Number),
    owner: optional(nullable(String)),
    token: optional(Number),
  },
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

/** A delivery, written when its first attempt ends. */
export const deliveries = defineTenantCollection({
  name: 'deliveries',
  fields: {
    plugin: String,
    key: String,
    /** The event. */
    ev: String,
    seq: Number,
    name: typed<EventName>(String),
    at: Date,
    st: typed<DeliveryStateCode>(String),
    /** While it waits: when the next attempt is due, and the partition whose owner makes it. */
    due: optional(Date),
    part: optional(Number),
    /** Attempts since it was last queued. */
    n: Number,
    /** How often it was queued again. Absent: never. */
    rev: optional(Number),
    last: typed<{ readonly at: Date; readonly reason: string | null } | undefined>(Object),
    attempts: typed<readonly AttemptFields[] | undefined>(Object),
    /** The first attempt, in documents of earlier versions. */
    first: typed<AttemptFields | undefined>(Object),
    /** Set when it is finished, so that no pending delivery can expire. */
    expireAt: optional(Date),
  },
  indexes: [
    { key: HINTS.byDue, partialFilterExpression: { st: 'p' } },
    { key: HINTS.byKey },
    { key: HINTS.byEvent },
    EXPIRES,
  ],
});

export type DeliveryDocument = DocumentOf<typeof deliveries>;

/** A request to send again all deliveries that failed before it. */
export const recoveries = defineTenantCollection({
  name: 'delivery_recoveries',
  fields: {
    plugin: String,
    keys: [String],
    /** The key that the deliveries are queued for. */
    to: String,
    since: Date,
    createdAt: Date,
    state: typed<Recovery['state']>(String),
    recovered: Number,
    finishedAt: nullable(Date),
    expireAt: optional(Date),
  },
  indexes: [{ key: { state: 1 }, partialFilterExpression: { state: 'running' } }, EXPIRES],
});

export type RecoveryDocument = DocumentOf<typeof recoveries>;

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
