import type { mongo } from 'mongoose';
import type { TenantId } from '../domain/ids.js';
import type { CommitPlan } from '../pipeline/commit-store.js';
import type { KnownState } from './documents.js';
import { toTenantFields } from './tenant-document.js';
import { changesOf, createdUsers } from './write-changes.js';

/**
 * The states of tenants as this instance's last commits left them, so that a batch need not begin
 * by reading what it wrote itself. A guess that each commit checks by the version: where another
 * instance was faster, the batch is gathered again, and the guess is not trusted for a while.
 */
export interface TenantStates {
  readonly find: (tenantId: TenantId) => DatedState | undefined;
  readonly keep: (dated: DatedState) => void;
  /** Somebody else writes to this tenant. */
  readonly distrust: (tenantId: TenantId) => void;
}

/** A state, and the time of the database's log at which it held. */
export interface DatedState {
  readonly state: KnownState;
  /** What is read beside the state must be at least as new: after a change of primary, too. */
  readonly asOf: mongo.Timestamp | undefined;
}

const MOST = 10_000;
/** Between a conflict and the next guess, in milliseconds. */
const DISTRUST_MS = 2_000;

export const createTenantStates = (now: () => number = () => performance.now()): TenantStates => {
  const states = new Map<string, DatedState>();
  const distrusted = new Map<string, number>();

  const isTrusted = (tenantId: string): boolean => {
    const until = distrusted.get(tenantId);
    if (until === undefined) return true;
    if (now() < until) return false;
    distrusted.delete(tenantId);
    return true;
  };

  return {
    find: (tenantId) => states.get(tenantId),
    keep: (dated) => {
      const { _id } = dated.state;
      states.delete(_id);
      if (!isTrusted(_id)) return;
      states.set(_id, dated);
      const [oldest] = states.keys();
      if (states.size > MOST && oldest !== undefined) states.delete(oldest);
    },
    distrust: (tenantId) => {
      states.delete(tenantId);
      distrusted.set(tenantId, now() + DISTRUST_MS);
      const [oldest] = distrusted.keys();
      if (distrusted.size > MOST && oldest !== undefined) distrusted.delete(oldest);
    },
  };
};

/** The state that a commit leaves; undefined where the tenant is new, gone, or not known. */
export const stateAfter = (
  before: KnownState | undefined,
  plan: CommitPlan,
): KnownState | undefined => {
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
