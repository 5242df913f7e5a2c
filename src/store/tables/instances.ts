import type { mongo } from 'mongoose';
import { defineCollection } from './collection.js';

/** A running gateway. */
export interface InstanceDocument {
  readonly _id: string;
  /** Of its machine. Absent from gateways of earlier versions, as is `version`. */
  readonly host?: string;
  readonly version?: string;
  readonly startedAt: Date;
  /** The database's time, so that no gateway's clock makes another look dead. */
  readonly heartbeatAt: Date;
  /** How many gateways have joined since this one: a change means that it is not alone. */
  readonly joined?: number;
  /** Ids of the sessions that may have a transaction open. */
  readonly sessions: readonly mongo.Binary[];
}

export const instances = defineCollection<InstanceDocument>({
  name: 'instances',
  fields: {
    _id: String,
    host: String,
    version: String,
    startedAt: Date,
    heartbeatAt: Date,
    joined: Number,
    sessions: [Buffer],
  },
  indexes: [],
  purge: 'never',
});
