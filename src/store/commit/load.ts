import { LRUCache } from 'lru-cache';
import type * as mongo from 'mongodb';
import type { TenantId } from '../../domain/kernel/ids.js';
import { type CommitPlan, type Loaded, PriorityLockHeld } from '../../pipeline/commit-store.js';
import { type CommitState, toTenantFields, fromTenantState } from '../tables/tenants.js';
import { changesOf } from './transaction.js';
import { createdUsers } from './write-tables.js';
import type { Lookup } from '../../domain/tables.js';
import { runCooperatively } from '../../pipeline/loop-scheduler.js';
import type { Collections } from '../tables/collections.js';
import { runLookups, type LookupContext, lookupQueriesFor } from './run-lookups.js';
import { SEGMENTS } from '../tables/segments.js';

/**
 * The states of tenants after this instance's last commits, so that a batch need not read what this
 * instance wrote. Each commit checks them by the version: if another instance was first, the batch
 * is gathered again and the state is not cached for a while.
 */
interface TenantStates {
  readonly find: (tenantId: TenantId) => DatedState | undefined;
  readonly keep: (dated: DatedState) => void;
  /** Another instance writes to this tenant. */
  readonly invalidate: (tenantId: TenantId) => void;
}

/** A state and the cluster time of its commit. */
interface DatedState {
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

type Session = mongo.ClientSession;

interface LoadContext extends LookupContext {
  /** This instance. */
  readonly instanceId: string;
  readonly states: TenantStates;
  /** The database server's time. */
  readonly clock: () => Date;
}

/**
 * Loads the tenant first (its version and the server's time), from this instance's last commit or
 * else from the database, and then the lookups, in one causally consistent session: what is read is
 * at least as new as the version, and a commit that checks the version notices anything newer
 * (pipeline-rules.md 3).
 */
export const load = async (
  context: LoadContext,
  tenantId: TenantId,
  lookups: readonly Lookup[],
): Promise<Loaded> => {
  const { collections, session, instanceId, states, clock } = context;
  const known = states.find(tenantId);
  if (known?.asOf) session.advanceOperationTime(known.asOf);
  const state = known
    ? { ...known.state, now: clock() }
    : await readState(collections, session, tenantId);
  if (state && isLockedByOther(state, instanceId)) throw new PriorityLockHeld();
  if (state && !known && !state.deleted)
    states.keep({ state: withoutTime(state), asOf: session.operationTime });
  const entities = await runLookups(
    context,
    await runCooperatively(lookupQueriesFor(tenantId, lookups)),
  );
  return {
    tenant: state && !state.deleted ? fromTenantState(state) : undefined,
    version: versionOf(state),
    now: state ? afterLastCommit(state) : await serverTime(collections),
    entities,
  };
};

/**
 * Without any query: the tenant as of this instance's last commit, and nothing under the keys. The
 * commit fails if the tenant has changed (CommitConflict) or if a key exists (DuplicateKey). After
 * either, no state is in memory for a while (TenantStates).
 */
export const loadAssumed = (
  { instanceId, states, clock }: Pick<LoadContext, 'instanceId' | 'states' | 'clock'>,
  tenantId: TenantId,
): Loaded | undefined => {
  const known = states.find(tenantId);
  if (!known || known.state.deleted) return undefined;
  const state = { ...known.state, now: clock() };
  if (isLockedByOther(state, instanceId)) throw new PriorityLockHeld();
  return {
    tenant: fromTenantState(state),
    version: versionOf(state),
    now: afterLastCommit(state),
    entities: {},
    isAssumed: true,
  };
};

const versionOf = (state: CommitState | null): Loaded['version'] => ({
  v: state?.v ?? 0,
  seq: state?.seq ?? 0,
  nextOrdinal: state?.nextOrdinal ?? 0,
});

const afterLastCommit = ({ now, at }: TimedState): Date => laterOf(now, new Date(at.getTime() + 1));

const withoutTime = ({ now: _now, ...state }: TimedState): CommitState => state;

const isLockedByOther = ({ turn, now }: TimedState, instanceId: string): boolean =>
  turn !== undefined && turn.own !== instanceId && turn.until > now;

const laterOf = (one: Date, other: Date): Date => (one > other ? one : other);

const serverTime = async ({ database }: Collections): Promise<Date> =>
  (await database.command({ hello: 1 })).localTime as Date;

type TimedState = CommitState & { readonly now: Date };

const readState = (
  { tenantState }: Collections,
  session: Session,
  tenantId: TenantId,
): Promise<TimedState | null> =>
  tenantState
    .aggregate<TimedState>(
      [{ $match: { _id: tenantId } }, { $addFields: { now: '$$NOW' } }, { $unset: SEGMENTS }],
      { session },
    )
    .next();
