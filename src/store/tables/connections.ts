import type * as mongo from 'mongodb';
import type { ApiKey } from '../../domain/tenant/tenant.js';
import type { ConnectionCycle, ConnectionRefusal } from '../../domain/tenant/connection.js';
import type { FailureReason } from '../../ports/connections.js';
import {
  defineCollection,
  defineTenantCollection,
  type DocumentOf,
  EXPIRES,
  whereSet,
} from './collection.js';
import { nullable, optional, typed } from './fields.js';

/** Requests of an hour; the hour counts from the epoch. */
export interface HourCount {
  readonly hour: number;
  readonly requests: number;
  readonly refused: number;
}

/** The requests with API keys, written outside commits, and what remains of deleted keys. */
export const connections = defineCollection({
  name: 'connections',
  fields: {
    /** The key. */
    _id: String,
    userAgent: optional(String),
    lastSuccessAt: optional(Date),
    lastRefusal: optional(typed<ConnectionRefusal>(Object)),
    /** The last 25 hours, each in the place of its number modulo 25. */
    hours: optional(typed<Readonly<Record<string, HourCount>>>(Object)),
    /** The cycle that may go on, apart from those that have ended: most writes change it alone. */
    current: optional(typed<ConnectionCycle>(Object)),
    cycles: optional(typed<readonly ConnectionCycle[]>(Object)),
    /** Of a deleted key: its tenant and its SHA-256. */
    tenant: optional(String),
    hash: optional(String),
    expireAt: optional(Date),
  },
  indexes: [
    { key: { hash: 1 }, ...whereSet('hash') },
    { ...EXPIRES, ...whereSet('expireAt') },
  ],
  purge: 'expires',
});

export type ConnectionDocument = DocumentOf<typeof connections>;

/** How long requests with a deleted key are recognised as such. */
const REMEMBER_DELETED_MS = 30 * 24 * 3_600_000;

/** Replaces what is known of deleted keys by their hashes, in the transaction that deletes them. */
export const rememberDeletedKeys = async (
  deleted: readonly ApiKey[],
  database: mongo.Db,
  session: mongo.ClientSession,
): Promise<void> => {
  if (deleted.length === 0) return;
  await connections.in(database).bulkWrite(
    deleted.map(({ id, tenantId, hash }) => ({
      updateOne: {
        filter: { _id: id },
        update: [
          {
            $replaceWith: {
              _id: id,
              tenant: tenantId,
              hash,
              expireAt: { $add: ['$$NOW', REMEMBER_DELETED_MS] },
            },
          },
        ],
        upsert: true,
      },
    })),
    { session },
  );
};

/** Failed authentications of an hour with the same address, prefix and reason. */
export const failedAuthentications = defineTenantCollection({
  name: 'failed_authentications',
  fields: {
    address: String,
    keyPrefix: nullable(String),
    reason: typed<FailureReason>(String),
    scope: nullable(String),
    firstAt: Date,
    lastAt: Date,
    count: Number,
    expireAt: Date,
  },
  indexes: [{ key: { tenant: 1, lastAt: -1 } }, EXPIRES],
});

export type FailedAuthenticationDocument = DocumentOf<typeof failedAuthentications>;
