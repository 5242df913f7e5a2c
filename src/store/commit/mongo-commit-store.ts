import type { TenantId, CommandId } from '../../domain/kernel/ids.js';
import type { Collections } from '../tables/collections.js';
import type { CommandLogEntry, CommitStore } from '../../pipeline/commit-store.js';
import { toCommitError, toReadError } from '../database-errors.js';
import { fromCommandLogDocument } from '../tables/command-log.js';
import { commit, type CommitParts } from './commit.js';
import { jobTable } from '../tables/jobs.js';
import { load, loadAssumed, createTenantStates, stateAfter } from './load.js';
import { createUnappliedLog } from './log-unapplied.js';
import { DriverTimeoutError, guardDriver, type SessionPool } from './session-pool.js';

/**
 * Long enough for a large batch; if its owner crashes, it is released when the instance is evicted.
 */
const LOCK_MS = 10_000;

/**
 * Takes the lock for the tenant's next commit. The version is incremented, so that an instance that
 * has gathered already gathers again and finds the lock (pipeline-rules.md 4).
 */
const takePriorityLock = async (
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
const releasePriorityLock = async (
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

/** A job without progress for this long was abandoned, in milliseconds. */
const ABANDONED_MS = 5_000;
/** Abandoned jobs that one gateway resumes at once. */
const MAX_JOBS = 100;

interface CommitStoreParts extends CommitParts {
  readonly sessions: SessionPool;
  readonly instanceId: string;
  /** The database server's time. */
  readonly clock: () => Date;
}

/** The pipeline's store in MongoDB; `settle` resolves when all log entries are written. */
export const mongoCommitStore = (
  parts: CommitStoreParts,
): CommitStore & { readonly settle: () => Promise<void> } => {
  const { collections, sessions, instanceId, seal, clock } = parts;
  const unapplied = createUnappliedLog(parts);
  const states = createTenantStates();
  const context = { collections, instanceId, seal, states, clock };
  return {
    load: (tenantId, needs, options) =>
      runRead(
        async () =>
          (options?.mayAssume ? loadAssumed(context, tenantId) : undefined) ??
          (await sessions.use((session) => load({ ...context, session }, tenantId, needs))),
      ),
    commit: async (plan) => {
      const before = states.find(plan.tenantId)?.state;
      const asOf = await sessions
        .use(async (session) => {
          await commit(parts, session, plan);
          return session.operationTime;
        })
        .catch((error: unknown) => {
          states.invalidate(plan.tenantId);
          // Unknown whether it was committed; the database must be checked.
          throw toCommitError(error, error instanceof DriverTimeoutError);
        });
      try {
        const state = stateAfter(before, plan);
        if (state) states.keep({ state, asOf });
      } catch {
        // The commit has succeeded: the next batch reads the state.
        states.invalidate(plan.tenantId);
      }
    },
    requestPriorityLock: (tenantId) => {
      states.invalidate(tenantId);
      return runRead(() => guardDriver(() => takePriorityLock(collections, tenantId, instanceId)));
    },
    releasePriorityLock: (tenantId) =>
      runRead(() => guardDriver(() => releasePriorityLock(collections, tenantId, instanceId))),
    isAt: (tenantId, { v }) =>
      runRead(() =>
        sessions.use(async (session) => {
          const asOf = states.find(tenantId)?.asOf;
          if (asOf) session.advanceOperationTime(asOf);
          const state = await collections.tenantState.findOne(
            { _id: tenantId },
            { session, projection: { v: 1 } },
          );
          const isCurrent = (state?.v ?? 0) === v;
          // If this instance has committed since, what it knows is newer than what is checked.
          if (!isCurrent && states.find(tenantId)?.state.v === v) states.invalidate(tenantId);
          return isCurrent;
        }),
      ),
    findCommitted: (tenantId, ids) =>
      runRead(async () => {
        const found = await guardDriver(() =>
          collections.commandLog.find({ _id: { $in: [...ids] }, tenant: tenantId }).toArray(),
        );
        return new Map<CommandId, CommandLogEntry>(
          found.map(fromCommandLogDocument).map((entry) => [entry.id, entry]),
        );
      }),
    findAbandonedJobs: () =>
      runRead(async () => {
        const found = await collections.jobs
          .find({
            finishedAt: null,
            updatedAt: { $lt: new Date(clock().getTime() - ABANDONED_MS) },
          })
          .sort({ updatedAt: 1 })
          .limit(MAX_JOBS)
          .toArray();
        return found.map(jobTable.fromDocument);
      }),
    log: unapplied.write,
    settle: unapplied.settle,
  };
};

const runRead = async <Result>(work: () => Promise<Result>): Promise<Result> => {
  try {
    return await work();
  } catch (error) {
    throw toReadError(error);
  }
};
