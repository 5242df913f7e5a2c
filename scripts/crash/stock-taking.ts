import mongoose from 'mongoose';
import type { TenantAccess } from './scene.js';

/** What the database holds of a tenant, read past the gateway. */
export interface Stock {
  readonly slug: string;
  readonly users: readonly { readonly id: string; readonly email: string | null }[];
  /** In the order of their places. */
  readonly events: readonly StoredEvent[];
  /** Commands that were applied, by what they were about. */
  readonly applied: readonly (string | null)[];
  /** Rows of the outbox that are not delivered. */
  readonly undelivered: number;
  /** Of which the receiver may have had the delivery nevertheless: too late, on a busy machine. */
  readonly failedAttempts: number;
  /** What the tenant's own counts say. */
  readonly counted: { readonly seq: number; readonly users: number; readonly seats: number };
}

export interface StoredEvent {
  readonly id: string;
  readonly seq: number;
  readonly name: string;
  /** The id of what it is about. */
  readonly subject: string;
}

interface Documents {
  readonly user: { readonly _id: string; readonly email: string | null };
  readonly event: {
    readonly _id: string;
    readonly seq: number;
    readonly name: string;
    readonly res: { readonly id: string };
  };
  readonly line: { readonly _id: string; readonly subject: { readonly id: string } | null };
  readonly state: {
    readonly _id: string;
    readonly seq: number;
    readonly userCount: number;
    readonly seatsProvisioned: number;
  };
}

export const takeStock = async (
  mongodbUri: string,
  tenants: readonly Pick<TenantAccess, 'id' | 'slug'>[],
): Promise<readonly Stock[]> => {
  const client = new mongoose.mongo.MongoClient(mongodbUri);
  try {
    const database = client.db();
    return await Promise.all(tenants.map((tenant) => stockOf(database, tenant)));
  } finally {
    await client.close();
  }
};

const stockOf = async (
  database: mongoose.mongo.Db,
  { id, slug }: Pick<TenantAccess, 'id' | 'slug'>,
): Promise<Stock> => {
  const of = { tenant: id };
  const applied = { ...of, outcome: 'applied', type: { $regex: '^user\\.' } };
  const [users, events, lines, undelivered, failedAttempts, state] = await Promise.all([
    database.collection<Documents['user']>('users').find(of).toArray(),
    database.collection<Documents['event']>('events').find(of).sort({ seq: 1 }).toArray(),
    database.collection<Documents['line']>('command_log').find(applied).toArray(),
    database.collection('outbox').countDocuments({ ...of, st: { $ne: 'd' } }),
    database.collection('outbox_attempts').countDocuments({ ...of, reason: { $ne: null } }),
    database.collection<Documents['state']>('tenant_state').findOne({ _id: id }),
  ]);
  return {
    slug,
    users: users.map(({ _id, email }) => ({ id: _id, email })),
    events: events.map(({ _id, seq, name, res }) => ({ id: _id, seq, name, subject: res.id })),
    applied: lines.map(({ subject }) => subject?.id ?? null),
    undelivered,
    failedAttempts,
    counted: {
      seq: state?.seq ?? 0,
      users: state?.userCount ?? 0,
      seats: state?.seatsProvisioned ?? 0,
    },
  };
};
