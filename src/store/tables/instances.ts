import type { mongo } from 'mongoose';
import { defineCollection } from './collection.js';

/** A running gateway. */
export interface InstanceDocument {
  readonly _id: string;
  readonly startedAt: Date;
  /** The database's time, so that no gateway's clock makes another look dead. */
  readonly heartbeatAt: Date;
  /** Ids of the sessions that may have a transaction open. */
  readonly sessions: readonly mongo.Binary[];
}

export const instances = defineCollection<InstanceDocument>({
  name: 'instances',
  fields: { _id: String, startedAt: Date, heartbeatAt: Date, sessions: [Buffer] },
  indexes: [],
  purge: 'never',
});
