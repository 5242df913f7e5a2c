import mongoose from 'mongoose';
import type { Tenant } from './context.js';

/** What the database stores of a tenant, read without the gateway. */
export interface StoredState {
  readonly slug: string;
  readonly users: readonly { readonly _id: string; readonly email: string | null }[];
  /** In the order of the log. */
  readonly events: readonly {
    readonly _id: string;
    readonly seq: number;
    readonly name: string;
    readonly res: { readonly id: string };
  }[];
  /** Applied commands on users in the provisioning log. */
  readonly commands: readonly { readonly subject: { readonly id: string } | null }[];
  /** Deliveries that wait for a retry, or have failed. */
  readonly undelivered: number;
  /** Failed attempts: the receiver may have got the delivery, but responded too late. */
  readonly failedAttempts: number;
  /** The tenant's own counters. */
  readonly counters: {
    readonly seq: number;
    readonly userCount: number;
    readonly seatsProvisioned: number;
  };
}

export const readStoredState = async (
  mongodbUri: string,
  tenants: readonly Tenant[],
): Promise<readonly StoredState[]> => {
  const client = new mongoose.mongo.MongoClient(mongodbUri);
  const collection = (name: string) => client.db().collection(name);
  const failedAttempts = async (tenant: object): Promise<number> => {
    const [found] = await collection('deliveries')
      .aggregate([
        { $match: tenant },
        { $unwind: '$attempts' },
        { $match: { 'attempts.reason': { $ne: null } } },
        { $count: 'count' },
      ])
      .toArray();
    return Number(found?.['count'] ?? 0);
  };
  const stateOf = async ({ id, slug }: Tenant): Promise<unknown> => {
    const tenant = { tenant: id };
    const applied = { ...tenant, outcome: 'applied', type: { $regex: '^user\\.' } };
    return {
      slug,
      users: await collection('users').find(tenant).toArray(),
      events: await collection('events').find(tenant).sort({ seq: 1 }).toArray(),
      commands: await collection('command_log').find(applied).toArray(),
      undelivered: await collection('deliveries').countDocuments({ ...tenant, st: { $ne: 'd' } }),
      failedAttempts: await failedAttempts(tenant),
      counters: await collection('tenant_state').findOne({ _id: id as never }),
    };
  };
  try {
    return (await Promise.all(tenants.map(stateOf))) as readonly StoredState[];
  } finally {
    await client.close();
  }
};
