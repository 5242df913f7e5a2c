import type * as mongo from 'mongodb';
import type { ApiKey } from '../../domain/tenant/tenant.js';
import type { ConnectionCycle, ConnectionRefusal } from '../../domain/tenant/connection.js';
import type { FailureReason } from '../../ports/connections.js';
import { defineCollection, EXPIRES, MIXED, whereSet } from './collection.js';

/** Requests of an hour; the hour counts from the epoch. */
interface HourCount {
  readonly hour: number;
  readonly requests: number;
  readonly refused: number;
}

/** The requests with an API key, written outside commits, or what remains of a deleted key. */
export interface ConnectionDocument {
  readonly _id: string;
  readonly userAgent?: string;
  readonly lastSuccessAt?: Date;
  readonly lastRefusal?: ConnectionRefusal;
  /** The last 25 hours, each in the place of its number modulo 25. */
  readonly hours?: Readonly<Record<string, HourCount>>;
  /** The cycle that may go on, apart from those that have ended: most writes change it alone. */
  readonly current?: ConnectionCycle;
  readonly cycles?: readonly ConnectionCycle[];
  /** Of a deleted key: its tenant and its SHA-256. */
  readonly tenant?: string;
  readonly hash?: string;
  readonly expireAt?: Date;
}

export const connections = defineCollection<ConnectionDocument>({
  name: 'connections',
  fields: {
    _id: String,
    userAgent: String,
    lastSuccessAt: Date,
    lastRefusal: MIXED,
    hours: MIXED,
    current: MIXED,
    cycles: MIXED,
    tenant: String,
    hash: String,
    expireAt: Date,
  },
  indexes: [
    { key: { hash: 1 }, ...whereSet('hash') },
    { ...EXPIRES, ...whereSet('expireAt') },
  ],
  purge: 'expires',
});

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
export interface FailedAuthenticationDocument {
  readonly _id: string;
  readonly tenant: string;
  readonly address: string;
  readonly keyPrefix: string | null;
  readonly reason: FailureReason;
  readonly scope: string | null;
  readonly firstAt: Date;
  readonly lastAt: Date;
  readonly count: number;
  readonly expireAt: Date;
}

export const failedAuthentications = defineCollection<FailedAuthenticationDocument>({
  name: 'failed_authentications',
  fields: {
    _id: String,
    tenant: String,
    address: String,
    keyPrefix: String,
    reason: String,
    scope: String,
    firstAt: Date,
    lastAt: Date,
    count: Number,
    expireAt: Date,
  },
  indexes: [{ key: { tenant: 1, lastAt: -1 } }, EXPIRES],
  purge: 'by tenant',
});
