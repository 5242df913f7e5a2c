import type * as mongo from 'mongodb';
import type {
  RedeliverRequest,
  Recovery,
  RecoverRequest,
  RecoveryJob,
  RecoveryStore,
  DeliveryScope,
  DeliveryQuery,
} from '../../outbox/delivery-record.js';
import { HINTS, type OutboxDocument, BY_DUE, type RecoveryDocument } from '../tables/outbox.js';
import { requeuedFields, setEither } from './row-updates.js';
import { MAJORITY_WRITE, LOCAL_READ } from '../concerns.js';
import type { TenantId, DeliveryId } from '../../domain/kernel/ids.js';
import { isDuplicateKey, guardRead } from '../database-errors.js';
import { ownedBy, findDelivery, listDeliveries } from './list-deliveries.js';
import type { Collections } from '../tables/collections.js';

type Rows = mongo.Collection<OutboxDocument>;

/** The age of a span restarts: otherwise its key's next pause would give it up. */
const span = {
  $cond: [
    { $ifNull: ['$span', false] },
    { $mergeObjects: ['$span', { since: '$$NOW' }] },
    '$$REMOVE',
  ],
};

/** Requeues the rows and spans that still match the filter. */
const requeue = async (
  rows: Rows,
  filter: mongo.Filter<OutboxDocument>,
  key: string,
): Promise<void> => {
  await rows.updateMany(filter, [{ $set: { ...requeuedFields({ $literal: key }), span } }], {
    ...MAJORITY_WRITE,
    hint: HINTS.byId,
  });
};

/**
 * Whether a row is finished, or pending under an ended key; one with an attempt in progress is
 * neither.
 */
const isRequeueable = (ended: readonly string[]): object => ({
  $or: [
    { $ne: ['$st', 'p'] },
    { $and: [{ $eq: ['$own', null] }, { $in: ['$key', { $literal: [...ended] }] }] },
  ],
});

/** A row that waits is due now; one with an attempt in progress is requeued when that has ended. */
const hastenedFields = (key: string) =>
  setEither(
    { $eq: ['$own', null] },
    { due: { $min: ['$due', '$$NOW'] } },
    { again: { $literal: key } },
  );

/**
 * Retries a delivery in any state: one that is finished, or pending under an ended key, is
 * requeued; one that waits is due now; one with an attempt in progress is requeued when that has
 * ended, because it may have started before the request. So an attempt follows in any case. False
 * if there is no such row. A single update reads the state and changes it: between several updates,
 * one per state, the row could change to a state that was checked already.
 */
const redeliver = async (
  rows: Rows,
  filter: mongo.Filter<OutboxDocument>,
  { to, ended = [] }: Pick<RedeliverRequest, 'to' | 'ended'>,
): Promise<boolean> => {
  const requeued = requeuedFields({ $literal: to });
  const fields = setEither(isRequeueable(ended), requeued, hastenedFields(to));
  const { matchedCount } = await rows.updateOne(filter, [{ $set: fields }], {
    ...MAJORITY_WRITE,
    hint: HINTS.byId,
  });
  return matchedCount > 0;
};

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
const openRecovery = async (
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

const findRecovery = async (
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

/** Deliveries of one plugin: lists, redelivery and recoveries. */
export const mongoPluginDeliveries = (
  {
    outbox: rows,
    outboxAttempts: attempts,
    outboxRecoveries: recoveries,
  }: Pick<Collections, 'outbox' | 'outboxAttempts' | 'outboxRecoveries'>,
  plugin: string,
) => ({
  list: (query: DeliveryQuery) => guardRead(() => listDeliveries(rows, attempts, plugin, query)),
  find: (owner: DeliveryScope, id: DeliveryId) =>
    guardRead(() => findDelivery({ rows, attempts, plugin }, owner, id)),
  redeliver: ({ id, to, ended = [], ...owner }: RedeliverRequest) =>
    guardRead(() => redeliver(rows, { ...ownedBy(plugin, owner), _id: id }, { to, ended })),
  recover: (request: RecoverRequest) => guardRead(() => openRecovery(recoveries, plugin, request)),
  findRecovery: ({ tenantId, keys }: DeliveryScope, id: string) =>
    guardRead(() =>
      findRecovery(recoveries, { _id: id, tenant: tenantId, plugin, to: { $in: [...keys] } }),
    ),
});
