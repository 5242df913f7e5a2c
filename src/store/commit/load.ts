import type { mongo } from 'mongoose';
import type { TenantId } from '../../domain/kernel/ids.js';
import type { Lookup } from '../../domain/tables.js';
import { type Loaded, PriorityLockHeld } from '../../pipeline/commit-store.js';
import { runCooperatively } from '../../pipeline/loop-scheduler.js';
import type { Collections } from '../tables/collections.js';
import type { CommitState } from '../tables/tenants.js';
import { runLookups, type LookupContext } from './run-lookups.js';
import { SEGMENTS } from '../tables/segments.js';
import { lookupQueriesFor } from './lookup-queries.js';
import { fromTenantState } from '../tables/tenants.js';
import type { TenantStates } from './tenant-states.js';

type Session = mongo.ClientSession;

export interface LoadContext extends LookupContext {
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
  needs: readonly Lookup[],
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
    await runCooperatively(lookupQueriesFor(tenantId, needs)),
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
