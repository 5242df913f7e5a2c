import { LRUCache } from 'lru-cache';
import type { mongo } from 'mongoose';
import type { TenantId } from '../../domain/kernel/ids.js';
import type { CommitPlan } from '../../pipeline/commit-store.js';
import type { CommitState } from '../tables/tenants.js';
import { toTenantFields } from '../tables/tenants.js';
import { changesOf } from './transaction.js';
import { createdUsers } from './write-users.js';

/**
 * The states of tenants after this instance's last commits, so that a batch need not read what this
 * instance wrote. Each commit checks them by the version: if another instance was first, the batch
 * is gathered again and the state is not cached for a while.
 */
export interface TenantStates {
  readonly find: (tenantId: TenantId) => DatedState | undefined;
  readonly keep: (dated: DatedState) => void;
  /** Another instance writes to this tenant. */
  readonly invalidate: (tenantId: TenantId) => void;
}

/** A state and the cluster time of its commit. */
export interface DatedState {
  readonly state: CommitState;
  /** Reads with this state must be at least as new, even after a change of primary. */
  readonly asOf: mongo.Timestamp | undefined;
}

const MAX_TENANTS = 10_000;
/** Time without caching after a conflict, in milliseconds. */
const INVALID_MS = 2_000;

export const createTenantStates = (now: () => number = () => performance.now()): TenantStates => {
  const states = new LRUCache<string, DatedState>({ max: MAX_TENANTS });
  const invalidatedUntil = new LRUCache<string, number>({ max: MAX_TENANTS });

  return {
    find: (tenantId) => states.get(tenantId),
    keep: (dated) => {
      const { _id } = dated.state;
      if (now() < (invalidatedUntil.get(_id) ?? 0)) states.delete(_id);
      else states.set(_id, dated);
    },
    invalidate: (tenantId) => {
      states.delete(tenantId);
      invalidatedUntil.set(tenantId, now() + INVALID_MS);
    },
  };
};

/** The state after a commit; undefined for a tenant that is new, deleted or not cached. */
export const stateAfter = (
  before: CommitState | undefined,
  plan: CommitPlan,
): CommitState | undefined => {
  const [change] = changesOf(plan, 'tenant');
  if (!before || before.v !== plan.version.v || change?.after === null) return undefined;
  const { turn: _turn, ...rest } = before;
  return {
    ...rest,
    ...(change?.after ? toTenantFields(change.after) : {}),
    v: before.v + 1,
    seq: plan.seqAfter,
    at: plan.now,
    nextOrdinal: before.nextOrdinal + createdUsers(plan).length,
  };
};
