import type * as mongo from 'mongodb';
import type { TenantId } from '../../domain/kernel/ids.js';
import type { RecoverRequest, Recovery } from '../../ports/deliveries.js';
import { partitionOf, type RecoveryJob, type StreamStore } from '../../ports/event-stream.js';
import { LOCAL_READ, MAJORITY_WRITE } from '../concerns.js';
import { isDuplicateKey } from '../database-errors.js';
import type { Collections } from '../tables/collections.js';
import { type DeliveryDocument, HINTS, type RecoveryDocument } from '../tables/deliveries.js';

const RETENTION_MS = 7 * 86_400_000;
/** Deliveries that one step queues, unless as many wait. */
const STEP = 500;

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

/** Recoveries, step by step. */
export const mongoRecoverySteps = (
  {
    deliveries,
    deliveryRecoveries: recoveries,
  }: Pick<Collections, 'deliveries' | 'deliveryRecoveries'>,
  now: () => Date,
): Pick<StreamStore, 'recoveries' | 'stepRecovery' | 'endRecovery'> => ({
  recoveries: async () => {
    const running = await recoveries.find({ state: 'running' }, LOCAL_READ).toArray();
    return running.map(({ _id: id, plugin, tenant, to: key }): RecoveryJob => ({
      ...{ id, plugin, key },
      tenantId: tenant as TenantId,
    }));
  },
  stepRecovery: async ({ id, plugin, tenantId, key }) => {
    const recovery = await recoveries.findOne({ _id: id, state: 'running' }, LOCAL_READ);
    if (!recovery) return false;
    const waiting = await deliveries.countDocuments(
      { plugin, key, tenant: tenantId, st: 'p', due: { $lte: now() } },
      { ...LOCAL_READ, hint: HINTS.byKey, limit: STEP },
    );
    if (waiting === STEP) return true;
    const wanted = failedIn(recovery);
    const failed = await deliveries
      .find(wanted, { ...LOCAL_READ, hint: HINTS.byKey, projection: { _id: 1 } })
      .sort({ seq: 1 })
      .limit(STEP)
      .toArray();
    if (failed.length === 0) return false;
    // Only those that are still failed: one may have been queued again in between.
    const { modifiedCount } = await deliveries.updateMany(
      { ...wanted, _id: { $in: failed.map(({ _id }) => _id) } },
      [{ $set: requeuedFields(tenantId, key) }],
      { ...MAJORITY_WRITE, hint: HINTS.byId },
    );
    await recoveries.updateOne({ _id: id }, { $inc: { recovered: modifiedCount } }, MAJORITY_WRITE);
    return failed.length === STEP;
  },
  endRecovery: async ({ id }, state) => {
    const finishedAt = now();
    const expireAt = new Date(finishedAt.getTime() + RETENTION_MS);
    await recoveries.updateOne(
      { _id: id, state: 'running' },
      { $set: { state, finishedAt, expireAt } },
      MAJORITY_WRITE,
    );
  },
});
