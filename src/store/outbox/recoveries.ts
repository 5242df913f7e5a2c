import type { mongo } from 'mongoose';
import type {
  Recovery,
  RecoverRequest,
  RecoveryJob,
  RecoveryStore,
} from '../../outbox/delivery-record.js';
import type { TenantId } from '../../domain/kernel/ids.js';
import { isDuplicateKey } from '../database-errors.js';
import { LOCAL_READ, MAJORITY_WRITE } from '../concerns.js';
import { ownedBy } from './list-deliveries.js';
import { HINTS, type OutboxDocument } from '../tables/outbox.js';
import { requeue } from './redeliver.js';
import type { Collections } from '../tables/collections.js';
import { BY_DUE, type RecoveryDocument } from '../tables/outbox-recoveries.js';

const LEASE_MS = 30_000;
const RETENTION_MS = 7 * 86_400_000;

/** A row, or a span of `left` events. */
type Failed = Pick<OutboxDocument, '_id' | 'left'>;

const fromDocument = (document: RecoveryDocument): Recovery => ({
  id: document._id,
  since: document.since,
  state: document.state,
  recovered: document.recovered,
  createdAt: document.createdAt,
  finishedAt: document.finishedAt,
});

const toJob = (document: RecoveryDocument): RecoveryJob => ({
  id: document._id,
  tenantId: document.tenant as TenantId,
  plugin: document.plugin,
  to: document.to,
});

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
    tenant: tenantId,
    plugin,
    keys: [...keys],
    to,
    since,
    createdAt: '$$NOW',
    state: 'running',
    recovered: 0,
    due: '$$NOW',
    own: null,
    finishedAt: null,
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
  return fromDocument(stored);
};

export const findRecovery = async (
  recoveries: Recoveries,
  filter: mongo.Filter<RecoveryDocument>,
): Promise<Recovery | undefined> => {
  const found = await recoveries.findOne(filter, LOCAL_READ);
  return found ? fromDocument(found) : undefined;
};

/** The rows and spans that a recovery requeues. */
const failedIn = (recovery: RecoveryDocument): mongo.Filter<OutboxDocument> => {
  const { plugin, tenant, keys, since, createdAt } = recovery;
  const { left: _rowsAndSpans, ...owned } = ownedBy(plugin, { tenantId: tenant as TenantId, keys });
  return { ...owned, st: 'f', 'last.at': { $gte: since, $lt: createdAt } };
};

/** Runs recoveries, one step at a time. */
export const mongoRecoveryStore = ({
  outbox: rows,
  outboxRecoveries: recoveries,
}: Pick<Collections, 'outbox' | 'outboxRecoveries'>): RecoveryStore => {
  const ownedJob = (own: string, { id }: RecoveryJob) => ({
    _id: id,
    own,
    state: 'running' as const,
  });

  const findFailed = async (
    wanted: mongo.Filter<OutboxDocument>,
    limit: number,
  ): Promise<readonly Failed[]> =>
    rows
      .find({ ...wanted, expireAt: { $exists: true } }, LOCAL_READ)
      .hint(HINTS.byState)
      .sort({ seq: 1 })
      .limit(limit)
      .project<Failed>({ left: 1 })
      .toArray();

  return {
    take: async (own) => {
      const taken = await recoveries.findOneAndUpdate(
        { state: 'running', $expr: { $lte: ['$due', '$$NOW'] } },
        [{ $set: { own, due: { $add: ['$$NOW', LEASE_MS] } } }],
        { ...MAJORITY_WRITE, sort: { due: 1 }, hint: BY_DUE, returnDocument: 'after' },
      );
      return taken ? toJob(taken) : undefined;
    },
    step: async (own, job, limit) => {
      const recovery = await recoveries.findOne({ _id: job.id }, LOCAL_READ);
      if (!recovery) return false;
      const wanted = failedIn(recovery);
      const failed = await findFailed(wanted, limit);
      if (failed.length === 0) return false;
      // First, so that a step that is interrupted leaves only rows that another instance can
      // recover.
      const { matchedCount } = await recoveries.updateOne(
        ownedJob(own, job),
        [{ $set: { due: { $add: ['$$NOW', LEASE_MS] } } }],
        MAJORITY_WRITE,
      );
      if (matchedCount === 0) return false;
      const ids = failed.map(({ _id }) => _id);
      // Only rows that are still failed: one may have been requeued and delivered in between.
      await requeue(rows, { ...wanted, _id: { $in: ids } }, job.to);
      const recovered = failed.reduce((events, { left = 1 }) => events + left, 0);
      await recoveries.updateOne(ownedJob(own, job), { $inc: { recovered } }, MAJORITY_WRITE);
      return true;
    },
    end: async (own, job, state) => {
      await recoveries.updateOne(
        ownedJob(own, job),
        [
          {
            $set: {
              state,
              own: null,
              finishedAt: '$$NOW',
              expireAt: { $add: ['$$NOW', RETENTION_MS] },
            },
          },
        ],
        MAJORITY_WRITE,
      );
    },
  };
};
