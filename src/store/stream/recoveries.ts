import type * as mongo from 'mongodb';
import type { TenantId } from '../../domain/kernel/ids.js';
import type { RecoverRequest, Recovery } from '../../ports/deliveries.js';
import { partitionOf, type RecoveryJob, type StreamStore } from '../../ports/event-stream.js';
import { LOCAL_READ, MAJORITY_WRITE, NO_TIMEOUT } from '../concerns.js';
import { isDuplicateKey } from '../database-errors.js';
import type { Collections } from '../tables/collections.js';
import { type DeliveryDocument, HINTS, type RecoveryDocument } from '../tables/deliveries.js';

const RETENTION_MS = 7 * 86_400_000;

/** Waiting again with the whole schedule, under this key. */
export const requeuedFields = (tenantId: string, key: string): object => ({
  st: 'p',
  key: { $literal: key },
  due: '$$NOW',
  part: partitionOf(tenantId as TenantId),
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
  { id: _id, tenantId, keys, to, since }: RecoverRequest,
): Promise<Recovery> => {
  const fields = {
    ...{ tenant: tenantId, plugin, keys: [...keys], to, since },
    ...{ createdAt: '$$NOW', state: 'running', recovered: 0, finishedAt: null },
  };
  await recoveries
    .updateOne({ _id, createdAt: { $exists: false } }, [{ $set: fields }], {
      ...MAJORITY_WRITE,
      upsert: true,
    })
    .catch((error: unknown) => {
      if (!isDuplicateKey(error)) throw error;
    });
  const stored = await recoveries.findOne({ _id, tenant: tenantId, plugin }, LOCAL_READ);
  if (!stored) throw new Error('The recovery was not stored.');
  return toRecovery(stored);
};

export const findRecovery = async (
  recoveries: Recoveries,
  filter: mongo.Filter<RecoveryDocument>,
): Promise<Recovery | undefined> => {
  const found = await recoveries.findOne(filter, LOCAL_READ);
  return found ? toRecovery(found) : undefined;
};

/** The deliveries that a recovery queues again. */
const failedIn = (recovery: RecoveryDocument): mongo.Filter<DeliveryDocument> => {
  const { plugin, tenant, keys, since, createdAt } = recovery;
  return {
    plugin,
    key: { $in: [...keys] },
    tenant,
    st: 'f',
    'last.at': { $gte: since, $lt: createdAt },
  };
};

/** Carries out recoveries. Each call can be repeated, also by two gateways at once. */
export const mongoRecoveries = (
  {
    deliveries,
    deliveryRecoveries: recoveries,
  }: Pick<Collections, 'deliveries' | 'deliveryRecoveries'>,
  now: () => Date,
): Pick<StreamStore, 'recoveries' | 'recover' | 'stopRecovery'> => {
  const finish = async (
    { id }: RecoveryJob,
    state: 'done' | 'stopped',
    recovered: number,
  ): Promise<void> => {
    const finishedAt = now();
    const expireAt = new Date(finishedAt.getTime() + RETENTION_MS);
    await recoveries.updateOne(
      { _id: id, state: 'running' },
      { $set: { state, finishedAt, expireAt }, $inc: { recovered } },
      MAJORITY_WRITE,
    );
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
      const { modifiedCount } = await deliveries.updateMany(
        failedIn(recovery),
        [{ $set: requeuedFields(job.tenantId, job.key) }],
        { ...MAJORITY_WRITE, ...NO_TIMEOUT, hint: HINTS.byKey },
      );
      await finish(job, 'done', modifiedCount);
    },
    stopRecovery: (job) => finish(job, 'stopped', 0),
  };
};
