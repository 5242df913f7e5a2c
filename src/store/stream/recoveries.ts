import type * as mongo from 'mongodb';
import type { TenantId } from '../../domain/kernel/ids.js';
import type { RecoverRequest, Recovery } from '../../ports/deliveries.js';
import { partitionOf, type RecoveryJob, type StreamStore } from '../../ports/event-stream.js';
import { LOCAL_READ, MAJORITY_WRITE, NO_TIMEOUT } from '../concerns.js';
import type { Collections } from '../tables/collections.js';
import { HINTS, type RecoveryDocument } from '../tables/deliveries.js';

const RETENTION_MS = 7 * 86_400_000;

/** Waiting again with the whole schedule, under this key. */
export const requeuedFields = (tenantId: TenantId, key: string): object => ({
  st: 'p',
  key: { $literal: key },
  due: '$$NOW',
  part: partitionOf(tenantId),
  n: 0,
  rev: { $add: [{ $ifNull: ['$rev', 0] }, 1] },
  expireAt: '$$REMOVE',
});

const toRecovery = ({ _id: id, ...document }: RecoveryDocument): Recovery => {
  const { since, state, recovered, createdAt, finishedAt } = document;
  return { id, since, state, recovered, createdAt, finishedAt };
};

type Recoveries = mongo.Collection<RecoveryDocument>;

/**
 * Starts a recovery; again with the same id, returns the first. Its times are the server's, as are
 * those that it compares them with.
 */
export const openRecovery = async (
  recoveries: Recoveries,
  plugin: string,
  { id: _id, tenantId: tenant, keys, to, since }: RecoverRequest,
): Promise<Recovery> => {
  const request = { tenant, plugin, keys, to, since };
  const started = { createdAt: '$$NOW', state: 'running', recovered: 0, finishedAt: null };
  const stored = await recoveries.findOneAndUpdate(
    { _id },
    [{ $replaceWith: { $mergeObjects: [{ $literal: request }, started, '$$ROOT'] } }],
    { ...MAJORITY_WRITE, upsert: true, returnDocument: 'after' },
  );
  if (stored?.tenant !== tenant || stored.plugin !== plugin)
    throw new Error('The recovery was not stored.');
  return toRecovery(stored);
};

export const findRecovery = async (
  recoveries: Recoveries,
  filter: mongo.Filter<RecoveryDocument>,
): Promise<Recovery | undefined> => {
  const found = await recoveries.findOne(filter, LOCAL_READ);
  return found ? toRecovery(found) : undefined;
};

/** Carries out recoveries. Each call can be repeated, also by two gateways at once. */
export const mongoRecoveries = (
  {
    deliveries,
    deliveryRecoveries: recoveries,
  }: Pick<Collections, 'deliveries' | 'deliveryRecoveries'>,
  now: () => Date,
): Pick<StreamStore, 'recoveries' | 'recover' | 'stopRecovery'> => {
  const end = async (
    { id: _id }: RecoveryJob,
    state: 'done' | 'stopped',
    recovered = 0,
  ): Promise<void> => {
    const finishedAt = now();
    const expireAt = new Date(finishedAt.getTime() + RETENTION_MS);
    const $set = { state, finishedAt, expireAt, recovered };
    await recoveries.updateOne({ _id, state: 'running' }, { $set }, MAJORITY_WRITE);
  };
  return {
    recoveries: async () => {
      const running = await recoveries.find({ state: 'running' }, LOCAL_READ).toArray();
      return running.map(({ _id: id, plugin, tenant, to: key }): RecoveryJob => ({
        ...{ id, plugin, key },
        tenantId: tenant as TenantId,
      }));
    },
    recover: async (job) => {
      const recovery = await recoveries.findOne({ _id: job.id, state: 'running' }, LOCAL_READ);
      if (!recovery) return;
      const { plugin, tenant, keys, since, createdAt } = recovery;
      const failed = { plugin, key: { $in: [...keys] }, tenant, st: 'f' } as const;
      const { modifiedCount } = await deliveries.updateMany(
        { ...failed, 'last.at': { $gte: since, $lt: createdAt } },
        [{ $set: requeuedFields(job.tenantId, job.key) }],
        { ...MAJORITY_WRITE, ...NO_TIMEOUT, hint: HINTS.byKey },
      );
      await end(job, 'done', modifiedCount);
    },
    stopRecovery: (job) => end(job, 'stopped'),
  };
};
