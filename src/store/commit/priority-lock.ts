import type { TenantId } from '../../domain/kernel/ids.js';
import type { Collections } from '../tables/collections.js';

/**
 * Long enough for a large batch; if its owner crashes, it is released when the instance is evicted.
 */
const LOCK_MS = 10_000;

/**
 * Takes the lock for the tenant's next commit. The version is incremented, so that an instance that
 * has gathered already gathers again and finds the lock (pipeline-rules.md 4).
 */
export const takePriorityLock = async (
  { tenantState }: Collections,
  tenantId: TenantId,
  instanceId: string,
): Promise<void> => {
  const until = { $add: ['$$NOW', LOCK_MS] };
  await tenantState.updateOne({ _id: tenantId, ...isFree }, [
    { $set: { v: { $add: ['$v', 1] }, turn: { own: instanceId, until } } },
  ]);
};

/** Not taken, or expired. */
const isFree = {
  $or: [{ turn: { $exists: false } }, { $expr: { $lte: ['$turn.until', '$$NOW'] } }],
};

/** Releases the lock; other instances notice when they load the tenant. */
export const releasePriorityLock = async (
  { tenantState }: Collections,
  tenantId: TenantId,
  instanceId: string,
): Promise<void> => {
  await tenantState.updateOne({ _id: tenantId, 'turn.own': instanceId }, { $unset: { turn: '' } });
};

/** Releases the locks of an evicted instance; rare, so there is no index for it. */
export const releasePriorityLocksOf = async (
  { tenantState }: Collections,
  instanceId: string,
): Promise<void> => {
  await tenantState.updateMany({ 'turn.own': instanceId }, { $unset: { turn: '' } });
};
