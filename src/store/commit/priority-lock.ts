import type { TenantId } from '../../domain/ids.js';
import type { Collections } from '../tables/collections.js';

/** Long enough for a large batch; whoever dies with it loses it when that is noticed. */
const LOCK_MS = 10_000;

/**
 * Bids for the tenant's next commit. The version is bumped, so that whoever has gathered already
 * gathers again and finds the turn taken (pipeline-rules.md 4).
 */
export const takePriorityLock = async (
  { tenantState }: Collections,
  tenantId: TenantId,
  own: string,
): Promise<void> => {
  const until = { $add: ['$$NOW', LOCK_MS] };
  await tenantState.updateOne({ _id: tenantId, ...isFree }, [
    { $set: { v: { $add: ['$v', 1] }, turn: { own, until } } },
  ]);
};

/** Nobody's, or of somebody whose time is over. */
const isFree = {
  $or: [{ turn: { $exists: false } }, { $expr: { $lte: ['$turn.until', '$$NOW'] } }],
};

/** Gives a turn up; others see it at their next look. */
export const releasePriorityLock = async (
  { tenantState }: Collections,
  tenantId: TenantId,
  own: string,
): Promise<void> => {
  await tenantState.updateOne({ _id: tenantId, 'turn.own': own }, { $unset: { turn: '' } });
};

/** Ends the turns of an instance that is gone. There is no index for it, for it is rare. */
export const releasePriorityLocksOf = async (
  { tenantState }: Collections,
  own: string,
): Promise<void> => {
  await tenantState.updateMany({ 'turn.own': own }, { $unset: { turn: '' } });
};
