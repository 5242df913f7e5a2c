import type * as mongo from 'mongodb';
import { type Fence, LeaseLost, type LeaseStore } from '../ports/plugin-storage.js';
import { isDuplicateKey } from './database-errors.js';
import { leases as descriptor } from './tables/gateways.js';
import { MAJORITY_WRITE } from './concerns.js';

const KEPT_MS = 30 * 86_400_000;

const after = (ms: number) => ({ $add: ['$$NOW', ms] });

/** Held by this token still. */
const heldBy = ({ lease, token }: Fence) => ({
  _id: lease,
  token,
  $expr: { $gt: ['$freeAt', '$$NOW'] },
});

export const mongoLeaseStore = (database: mongo.Db): LeaseStore => {
  const leases = descriptor.in(database);
  const known = new Set<string>();

  /** First, for `$expr` is not allowed in the filter of an upsert. */
  const create = async (_id: string): Promise<void> => {
    if (known.has(_id)) return;
    const [never, expireAt] = [new Date(0), new Date(Date.now() + KEPT_MS)];
    const fresh = { owner: null, token: 0, takenAt: never, freeAt: never, expireAt };
    await leases
      .updateOne({ _id }, { $setOnInsert: fresh }, { upsert: true, ...MAJORITY_WRITE })
      .catch((error: unknown) => {
        if (!isDuplicateKey(error)) throw error;
      });
    known.add(_id);
  };

  const waitFor = async (_id: string): Promise<number> => {
    const [found] = await leases
      .aggregate<{ readonly ms: number }>([
        { $match: { _id } },
        { $project: { ms: { $subtract: ['$freeAt', '$$NOW'] } } },
      ])
      .toArray();
    if (!found) known.delete(_id);
    return Math.max(0, found?.ms ?? 0);
  };

  return {
    take: async ({ lease: _id, owner, ttlMs }) => {
      await create(_id);
      const taken = await leases.findOneAndUpdate(
        { _id, $expr: { $lte: ['$freeAt', '$$NOW'] } },
        [
          {
            $set: {
              owner,
              token: { $add: ['$token', 1] },
              takenAt: '$$NOW',
              freeAt: after(ttlMs),
              expireAt: after(KEPT_MS),
            },
          },
        ],
        { returnDocument: 'after', ...MAJORITY_WRITE },
      );
      return taken ? { fence: { lease: _id, token: taken.token } } : { waitMs: await waitFor(_id) };
    },
    renew: async (fence, ttlMs) => {
      const { matchedCount } = await leases.updateOne(
        heldBy(fence),
        [{ $set: { freeAt: after(ttlMs), expireAt: after(KEPT_MS) } }],
        MAJORITY_WRITE,
      );
      return matchedCount === 1;
    },
    release: async (fence, pauseMs) => {
      await leases.updateOne(
        heldBy(fence),
        [
          {
            $set: {
              owner: null,
              freeAt: { $max: ['$$NOW', { $add: ['$takenAt', pauseMs] }] },
            },
          },
        ],
        MAJORITY_WRITE,
      );
    },
  };
};

/**
 * In the transaction of a fenced write: rejects with a LeaseLost if the lease has ended. A gateway that takes
 * the lease before the transaction commits conflicts with it.
 */
export const requireLease = async (
  database: mongo.Db,
  fence: Fence,
  session: mongo.ClientSession,
): Promise<void> => {
  const { matchedCount } = await descriptor
    .in(database)
    .updateOne(heldBy(fence), [{ $set: { usedAt: '$$NOW' } }], { session });
  if (matchedCount === 0) throw new LeaseLost(`The lease ${fence.lease} is lost.`);
};
