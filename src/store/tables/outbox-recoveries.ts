import type { Recovery } from '../../outbox/delivery-record.js';
import { defineCollection, EXPIRES } from './collection.js';

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
