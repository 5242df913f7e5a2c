import { LeaseLost, RefusalError, VersionConflict } from '../../../src/plugin/api.js';
import { applyPlan, isApplied } from './apply-plan.js';
import type { Attempt, AttemptParts } from './attempt.js';
import type { ConnectorStore } from './connector-store.js';
import { planRun, type RunPlan } from './plan-run.js';
import type { ApplyProgress } from './plan-store.js';
import { isNewer } from './quarantine.js';
import { countsOf, readSource } from './read-source.js';
import {
  addToLedger,
  MIN_FAILED,
  noteStart,
  rememberFailure,
  rememberRun,
  usableCursor,
} from './remember-runs.js';
import { requireNewest, requireSaneClock } from './require-times.js';
import { failureOf, RETRY_MS, RunFailure } from './run-failure.js';
import {
  isOpen,
  type OpenState,
  type PlanSummary,
  type RunCounts,
  type RunRecord,
  type RunState,
  type TakeUp,
} from './run-record.js';
import { stageDue } from './stage-due.js';
import type { StoredRun } from './stored-runs.js';

const HELD_MS = 86_400_000;
const MAX_ATTEMPTS = 20;
/** In a row, at one place of the run. */
const MAX_DEATHS = 2;

/** How a run leaves a state: for which one, and what goes with it. */
interface Move {
  readonly run: Partial<RunRecord> & { readonly state: RunState };
  /** Runs whose plans it makes obsolete: they change together with it. */
  readonly superseded?: readonly StoredRun[];
}

/** The states of a run: what is done in each of them, and which one follows. */
const STEPS: Readonly<Record<OpenState, (attempt: Attempt) => Promise<Move>>> = {
  queued: startReading,
  reading: readAll,
  planning: planAndDecide,
  approved: () => Promise.resolve({ run: { state: 'applying' } }),
  applying: applyAndFinish,
};

/** Takes a run as far as it gets. Returns early, to be continued, if the lease or database is lost. */
export const executeRun = async (parts: AttemptParts, runId: string): Promise<void> => {
  const { store, log, compiled } = parts;
  const found = await store.run(runId);
  if (!found || !isOpen(found)) return;
  let run: StoredRun = found;
  const save: Attempt['save'] = async (changed) => {
    run = await store.putRun({ ...run, ...changed });
  };
  const move = async ({ run: changed, superseded = [] }: Move): Promise<void> => {
    const [moved] = await store.moveRuns([{ ...run, ...changed }, ...superseded]);
    run = moved ?? run;
  };
  let isTakenUp = true;
  const proceed = async (): Promise<void> => {
    const end = await takeUp({ ...parts, run, isTakenUp, save });
    isTakenUp = false;
    if (end) await move(end);
    while (isOpen(run)) await move(await STEPS[run.state]({ ...parts, run, isTakenUp, save }));
  };
  while (isOpen(run)) {
    try {
      await proceed();
    } catch (error) {
      if (isInterruption(error, parts.signal)) {
        log.warn({ err: error, connector: compiled.name, run: runId }, 'a run was interrupted');
        // If it cannot be handed back, it was taken up by another instance, or will be by this one.
        await save({ takenUp: null }).catch(() => undefined);
        return;
      }
      const stored = await store.run(runId);
      const isCancelled = stored?.cancel !== undefined && run.cancel === undefined;
      // An operator has changed it, or one that it supersedes: it continues with what is stored.
      if (stored && (isCancelled || error instanceof VersionConflict)) run = stored;
      else await move(await failedRun(parts, run, error));
    }
  }
  await store.clearStage(run.id);
  logEnd(parts, run);
};

/** The run continues, here or elsewhere. */
const isInterruption = (error: unknown, signal: AbortSignal): boolean =>
  signal.aborted ||
  error instanceof LeaseLost ||
  (error instanceof RefusalError && error.refusal.code === 'UNAVAILABLE');

/** At the start of each attempt: whether the run may continue, and if not, how it ends. */
const takeUp = async (attempt: Attempt): Promise<Move | undefined> => {
  const { now, run, save, instance } = attempt;
  const expired = expiryOf(run, now());
  if (expired !== undefined) return endEarly(attempt, 'expired', expired);
  if (run.cancel && !(await hasApplied(attempt)))
    return endEarly(attempt, 'cancelled', REASONS[run.cancel.because](run.cancel.by));
  await requireSaneClock(attempt);
  if (run.attempt >= MAX_ATTEMPTS)
    throw new RunFailure(`The run was interrupted ${run.attempt} times.`);
  const takenUp = takeUpBy(instance, run);
  if (isDeadly(run, takenUp)) await holdDeadly(attempt, takenUp);
  if (run.attempt === 0) await noteStart(attempt);
  await save({ attempt: run.attempt + 1, takenUp });
  return undefined;
};

/**
 * An instance continues the run. What was taken up by another one and not handed back has ended with
 * it: with its process, or for so long that its lease was over.
 */
const takeUpBy = (instance: string, run: RunRecord): TakeUp => {
  const { takenUp } = run;
  if (!takenUp) return { instance, diedAt: null, deaths: 0 };
  if (takenUp.instance === instance) return takenUp;
  const diedAt = placeOf(run);
  return { instance, diedAt, deaths: takenUp.diedAt === diedAt ? takenUp.deaths + 1 : 1 };
};

/** What the source sent ends gateways there: trying again would end the next one. */
const isDeadly = (run: RunRecord, { deaths }: TakeUp): boolean =>
  deaths >= MAX_DEATHS && (run.state === 'reading' || run.state === 'planning');

const placeOf = ({ state, checkpoint }: RunRecord): string =>
  `${state} after ${checkpoint?.read ?? 0} records`;

/** The connector waits for an operator: its next run would read the same. */
const holdDeadly = async ({ store, now }: Attempt, { diedAt, deaths }: TakeUp): Promise<never> => {
  const pausedAt = now().toISOString();
  await store.changeControl(() => ({ isPaused: true, pausedBy: 'rollgate', pausedAt }));
  throw new RunFailure(
    `The gateway ended ${deaths} times while this run was ${diedAt ?? 'in progress'}, so it is not ` +
      'continued and the connector is paused. Look for the cause in the log of the gateway, then ' +
      'resume the connector.',
  );
};

const REASONS = {
  cancelled: (by: string) => `Cancelled by ${by}.`,
  paused: (by: string) => `Stopped, because ${by} paused the connector.`,
};

/** Whether a run that is cancelled has nothing left to do. */
const hasApplied = async ({ store, run }: Attempt): Promise<boolean> =>
  run.state === 'applying' &&
  run.plan !== null &&
  isApplied(run.plan, await store.progress(run.id));

/** The end of a run that did not come to its own: with what it has done. */
const endEarly = async (
  { store, now, run, isTakenUp }: Attempt,
  state: 'expired' | 'cancelled',
  why: string,
): Promise<Move> => {
  const { applied, failed } = await store.progress(run.id);
  const { touch: _touch, ...planned } = run.counts.planned;
  const total = Object.values(planned).reduce((sum, count) => sum + count, 0);
  const isExact = !isTakenUp || run.state !== 'applying';
  const did =
    isExact && applied + failed === 0
      ? 'Nothing was changed.'
      : `Of ${total} planned changes, ${isExact ? '' : 'at least '}${applied} were applied and ` +
        `${failed} failed${isExact ? '' : '; the provisioning log has all'}.`;
  return {
    run: {
      state,
      finishedAt: now().toISOString(),
      message: `${why} ${did}`,
      counts: { ...run.counts, applied, failed: run.counts.failed + failed },
    },
  };
};

const logEnd = (
  { log, compiled }: AttemptParts,
  { id, state, mode, counts, plan }: RunRecord,
): void => {
  const of = { connector: compiled.name, run: id };
  if (state === 'done') log.info({ ...of, mode, counts }, 'a run of a connector is done');
  if (state === 'held')
    log.error(
      { ...of, findings: plan?.findings, digest: plan?.digest },
      'a run of a connector is held and needs an approval',
    );
};

/**
 * Why a run does not continue that was left for long, such as by a connector that was switched off: its
 * plan is old, and what it has read is deleted after a while.
 */
const expiryOf = ({ state, approvedAt, updatedAt }: StoredRun, now: Date): string | undefined => {
  const since = state === 'approved' ? Date.parse(approvedAt ?? '') : updatedAt.getTime();
  if (since + HELD_MS >= now.getTime()) return undefined;
  return state === 'approved'
    ? 'The approval was not used within 24 hours.'
    : 'The run did not continue within 24 hours.';
};

async function startReading({ store, compiled, now }: Attempt): Promise<Move> {
  const from = usableCursor(await store.memory(), compiled);
  return { run: { state: 'reading', startedAt: now().toISOString(), from } };
}

async function readAll(attempt: Attempt): Promise<Move> {
  const { run } = attempt;
  if (run.mode === 'dates') {
    await stageDue(attempt);
    return { run: { state: 'planning' } };
  }
  const checkpoint = await readSource(attempt);
  if (run.mode === 'delta') await stageDue(attempt);
  if (run.mode === 'full') await requireNewest(attempt, checkpoint);
  return {
    run: {
      state: 'planning',
      ...(run.mode === 'ids' ? {} : { cursor: checkpoint.cursor }),
      checkpoint,
      counts: countsOf(run, checkpoint.read),
    },
  };
}

async function planAndDecide(attempt: Attempt): Promise<Move> {
  const { run, save } = attempt;
  const { read = 0, duplicates = 0, anonymousErrors = 0, warnings = [] } = run.checkpoint ?? {};
  const isFull = run.mode === 'full';
  const plan = await planRun(attempt);
  const noneAbsent = `Records without id that could not be read: ${anonymousErrors}. No user is treated as absent.`;
  await save({
    counts: {
      ...run.counts,
      unchanged: plan.unchanged,
      planned: plan.kinds,
      failed: plan.failed + anonymousErrors,
    },
    plan: plan.summary,
    warnings: [
      ...(isFull && anonymousErrors > 0 ? [noneAbsent] : []),
      ...warnings,
      ...plan.summary.warnings,
    ],
  });
  if (isFull && plan.staged < read - duplicates - anonymousErrors)
    throw new RunFailure('Some of the records that were read are no longer stored. Run it again.', {
      retryInMs: RETRY_MS,
    });
  const excess = excessiveFailures(plan, attempt);
  if (!excess) return decide(attempt, plan.summary);
  if (!run.isPlanOnly) await settleQuarantine(attempt);
  throw excess;
}

/** What the plan does with records in quarantine, unless another run has planned them since. */
const settleQuarantine = async ({ store, run }: Attempt): Promise<void> => {
  for await (const page of store.plannedQuarantine(run.id).pages()) {
    const ids = page.map(({ sourceId }) => sourceId);
    const links = await store.linkStates.many(ids);
    const waiting = await store.quarantine.many(ids);
    const current = page.filter(({ sourceId, rev }) => {
      const now = links.get(sourceId)?.rev ?? 0;
      return (rev ?? now) === now && !isNewer(waiting.get(sourceId), run.id);
    });
    await store.quarantine.put(current.flatMap(({ record }) => record ?? []));
    await store.quarantine.delete(
      current.flatMap(({ record, sourceId }) => (record ? [] : [sourceId])),
    );
  }
};

/** What becomes of a run that has a plan. */
const decide = async (
  { store, now, run }: Attempt,
  { findings, digest }: PlanSummary,
): Promise<Move> => {
  const at = now();
  const finishedAt = at.toISOString();
  if (run.isPlanOnly) return { run: { state: 'planned', finishedAt } };
  const isHeld = findings.length > 0;
  const earlier = await obsoleteRuns(store, run);
  const isSame = ({ state, plan }: StoredRun) => state === 'held' && plan?.digest === digest;
  const same = isHeld ? earlier.find(isSame) : undefined;
  const message = `The run ${run.id} has a newer plan.`;
  const superseded = earlier
    .filter((one) => one !== same)
    .map((one) => ({ ...one, state: 'superseded' as const, finishedAt, message }));
  if (!isHeld) return { run: { state: 'applying' }, superseded };
  if (same) {
    const why = `The plan is the same as that of ${same.id}, which waits for approval.`;
    return { run: { state: 'superseded', finishedAt, message: why }, superseded };
  }
  return {
    run: {
      state: 'held',
      heldAt: finishedAt,
      expiresAt: new Date(at.getTime() + HELD_MS).toISOString(),
      message: findings.map((finding) => finding.message).join(' '),
    },
    superseded,
  };
};

/** Of a few changes, all may be wrong; of everybody, the mapping is. */
const excessiveFailures = (
  { failed, waiting, unusable, considered, firstFailure }: RunPlan,
  { run, compiled }: Attempt,
): RunFailure | undefined => {
  const { anonymousErrors = 0, firstError } = run.checkpoint ?? {};
  const { maxFailedPercent } = compiled.options.onError;
  const bad = failed + waiting + anonymousErrors;
  const all = considered + anonymousErrors;
  const isEverybody = run.mode === 'full' && bad > 0 && unusable + anonymousErrors === all;
  if (!isEverybody && (bad < MIN_FAILED || bad * 100 <= all * maxFailedPercent)) return undefined;
  const reason = firstFailure ?? firstError;
  return new RunFailure(
    `${bad} of ${all} records cannot be used; allowed: ${maxFailedPercent} %. Nothing was changed.` +
      (reason === undefined ? '' : ` The first: ${reason}`),
    { isLasting: true },
  );
};

/** Runs that have not begun and whose plan this one replaces: a full read says everything again. */
const obsoleteRuns = async (
  store: ConnectorStore,
  { id, mode }: RunRecord,
): Promise<readonly StoredRun[]> => {
  if (mode === 'ids') return [];
  const { held, open } = await store.currentRuns();
  return [...held, ...open.filter(({ state }) => state === 'approved')].filter(
    (one) => one.id !== id && (mode === 'full' || one.mode === mode),
  );
};

async function applyAndFinish(attempt: Attempt): Promise<Move> {
  const { now, run } = attempt;
  const { plan } = run;
  if (plan?.leavers === undefined)
    throw new RunFailure('An older version made the plan. Start a new run.');
  await settleQuarantine(attempt);
  await addToLedger(attempt, plan);
  const countsAfter = ({ applied, failed }: ApplyProgress): RunCounts => ({
    ...run.counts,
    applied,
    failed: run.counts.failed + failed,
  });
  const done = await applyPlan({
    ...attempt,
    plan,
    onProgress: (progress) => attempt.onProgress(countsAfter(progress)),
  });
  if (!isApplied(plan, done)) throw new Error('The run was cancelled.');
  const counts = countsAfter(done);
  await rememberRun(attempt, counts);
  const { unmetManagers = 0 } = done;
  const have = unmetManagers === 1 ? 'user has' : 'users have';
  const unmet = `${unmetManagers} ${have} no manager yet: the manager has no user.`;
  const warnings = unmetManagers === 0 ? run.warnings : [unmet, ...run.warnings];
  return { run: { state: 'done', finishedAt: now().toISOString(), counts, warnings } };
}

const failedRun = async (parts: AttemptParts, run: RunRecord, error: unknown): Promise<Move> => {
  const { compiled, now, log } = parts;
  const failure = failureOf(error);
  const { message, isLasting } = failure;
  log.error(
    {
      ...(isLasting === undefined && { err: error }),
      connector: compiled.name,
      run: run.id,
      reason: message,
    },
    'a run of a connector failed',
  );
  await rememberFailure(parts, run, failure);
  return { run: { state: 'failed', finishedAt: now().toISOString(), message } };
};
