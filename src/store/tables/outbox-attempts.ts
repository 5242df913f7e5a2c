import type { mongo } from 'mongoose';
import { defineCollection, EXPIRES } from './collection.js';

/** An attempt, kept for lists of deliveries. */
export interface AttemptFields {
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
