import {
  isSame,
  LeaseLost,
  RefusalError,
  SourceError,
  VersionConflict,
} from '../../../src/plugin/api.js';
import type { CompiledConnector } from '../compile-connector.js';
import { todayIn } from '../lifecycle.js';
import type { Link } from '../link.js';
import { readyManagers } from '../plan/find-managers.js';
import { applyPlan, isApplied } from './apply-plan.js';
import type { Attempt, AttemptParts } from './attempt.js';
import type { ApplyProgress } from './plan-store.js';
import type { ConnectorStore } from './connector-store.js';
import { planRun, type RunPlan } from './plan-run.js';
import { isNewer } from './quarantine.js';
import { countsOf, readSource } from './read-source.js';
import {
  type ConnectorMemory,
  isOpen,
  type OpenState,
  type PlanSummary,
  type ReadCheckpoint,
  type RunCounts,
  type RunRecord,
  type RunState,
  type TakeUp,
} from './run-record.js';
import type { StoredRun } from './stored-runs.js';

const DAY_MS = 86_400_000;
const HELD_MS = DAY_MS;
/** Clocks of database and gateway may differ by this much. */
const MAX_SKEW_MS = 3_600_000;
const MAX_ATTEMPTS = 20;
/** In a row, at one place of the run. */
const MAX_DEATHS = 2;
/** Fewer failures are no sign of a broken connector. */
const MIN_FAILED = 5;
const RETRY_MS = 5 * 60_000;
const MAX_RETRIES = 3;
const DEFERRED_RETRY_MS = 3_600_000;

/** A run cannot go on; the message is for operators. */
class RunFailure extends Error {
  override readonly name = 'RunFailure';
  constructor(
    message: string,
    readonly how: {
      /** Why nothing but an operator helps: the connector goes into quarantine. */
      readonly isLasting?: boolean;
      /** Whether it may help to try again soon, and when. */
      readonly retryInMs?: number;
    } = {},
  ) {
    super(message);
  }
}

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
  const { store, now, run, save, instance } = attempt;
  const expired = expiryOf(run, now());
  if (expired !== undefined) return endEarly(attempt, 'expired', expired);
  if (run.cancel && !(await hasApplied(attempt)))
    return endEarly(attempt, 'cancelled', REASONS[run.cancel.because](run.cancel.by));
  requireSaneClock(attempt, await store.memory(), (await store.control()).resumedAt);
  if (run.attempt >= MAX_ATTEMPTS)
    throw new RunFailure(`The run was interrupted ${run.attempt} times.`, {});
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

/** An older export, such as one that was copied back, says who was employed then. */
const requireNewest = async (
  { store, compiled, now }: Attempt,
  { takenAt }: ReadCheckpoint,
): Promise<void> => {
  if (takenAt === undefined) return;
  const isAhead = (at: string): boolean => Date.parse(at) > now().getTime() + MAX_SKEW_MS;
  // It would count as the newest one for so long.
  if (isAhead(takenAt))
    throw new RunFailure(
      `The export is of ${takenAt}, which is ahead of the clock. Nothing was changed. Correct its ` +
        'time, such as the modification time of the file, or export again.',
    );
  const { lastTakenAt } = await store.memory();
  const isOlder =
    lastTakenAt !== undefined &&
    !isAhead(lastTakenAt) &&
    Date.parse(takenAt) < Date.parse(lastTakenAt);
  if (isOlder && !compiled.options.safety.allowOlderExports)
    throw new RunFailure(
      `The export is of ${takenAt}, and the last one that was applied is of ${lastTakenAt}. Nothing ` +
        'was changed. Export again, or allow it with `safety.allowOlderExports`.',
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

/** A cursor of another version of the connector means nothing to this one. */
const usableCursor = (
  { cursor, cursorVersion }: ConnectorMemory,
  { connector }: CompiledConnector,
) => (cursorVersion === (connector.cursorVersion ?? 1) ? cursor : null);

const requireSaneClock = (
  { now, machineNow }: Attempt,
  { lastRunAt }: ConnectorMemory,
  resumedAt: string | null,
): void => {
  const at = now().getTime();
  const skewMs = Math.abs(at - machineNow().getTime());
  if (skewMs > MAX_SKEW_MS)
    throw new RunFailure(
      `The clocks of database and gateway differ by ${Math.round(skewMs / 60_000)} min. ` +
        'Dates decide who is deactivated, so nothing was done. Correct the clocks.',
      { retryInMs: RETRY_MS },
    );
  // An operator who resumes the connector says that the clock is right now.
  const isConfirmed = resumedAt !== null && Math.abs(at - Date.parse(resumedAt)) < DAY_MS;
  if (lastRunAt !== null && Date.parse(lastRunAt) - at > MAX_SKEW_MS && !isConfirmed)
    throw new RunFailure(
      `The last run was at ${lastRunAt}, which is ahead of the clock. Nothing was done. ` +
        'Correct the clock, or resume the connector if it is right now.',
      { retryInMs: RETRY_MS },
    );
};

const noteStart = async ({ store, compiled, run, now }: Attempt): Promise<void> => {
  const { mode, id, isPlanOnly } = run;
  if (isPlanOnly || mode === 'ids') return;
  const at = now().toISOString();
  await store.remember(({ deferredUntil = null }) => ({
    // `lastRunAt` stays: the clock guard compares with the last run that came to an end.
    lastRunId: id,
    retryAt: null,
    // Due deactivations are part of it; should it not come to its end, another run has them.
    deferredUntil: nextTry(deferredUntil, now()),
    ...(mode === 'full' && { lastFullAt: at }),
    ...(mode === 'delta' && { lastDeltaAt: at }),
    ...(mode === 'dates' && { lastDatesOn: todayIn(compiled.lifecycle, now()) }),
  }));
};

async function startReading({ store, compiled, now, run }: Attempt): Promise<Move> {
  return {
    run: {
      state: run.mode === 'dates' ? 'planning' : 'reading',
      startedAt: now().toISOString(),
      from: usableCursor(await store.memory(), compiled),
    },
  };
}

async function readAll(attempt: Attempt): Promise<Move> {
  const { run } = attempt;
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

/** Records that are due and that the source does not repeat in a delta. */
const stageDue = async (attempt: Attempt): Promise<void> => {
  const { store, run, compiled, now } = attempt;
  const at = now().getTime();
  const stage = async (due: readonly Pick<Link, 'sourceId' | 'hash' | 'data'>[]): Promise<void> => {
    const staged = await store.stagedIds(run.id).many(due.map(({ sourceId }) => sourceId));
    const missing = due.filter(({ sourceId }) => !staged.has(sourceId));
    const place = { segment: 0, attempt: run.attempt, kind: 'record' as const };
    if (missing.length > 0)
      await store.stage(
        run.id,
        missing.map(({ sourceId, hash, data }) => ({ sourceId, hash, data, ...place })),
      );
  };
  for await (const page of store.quarantine.pages()) {
    const links = await store.linkStates.many(page.map(({ sourceId }) => sourceId));
    const due = page.flatMap(({ sourceId, hash, data, nextAt, isIgnored }) => {
      const isThere = !isEnding(links.get(sourceId));
      const isDue = isThere && !isIgnored && nextAt !== null && Date.parse(nextAt) <= at;
      return isDue && data !== null ? [{ sourceId, hash, data }] : [];
    });
    await stage(due);
  }
  // Of uploads, no full run comes to the people whose manager is uploaded after them.
  if (compiled.connector.receivesUploads)
    for await (const page of store.linkStates.pages()) {
      const ready = await readyManagers(page, run.id, attempt);
      const due = page.filter(
        (link) => ready.has(link.unmetManager ?? '') && link.state !== 'left' && !isEnding(link),
      );
      const ids = due.map(({ sourceId }) => sourceId);
      // What waits in quarantine is newer.
      const waiting = await store.quarantine.many(ids);
      await stage([...(await store.links.many(ids.filter((id) => !waiting.has(id)))).values()]);
    }
};

/** Whether the source has the record no more, as far as is known: what is stored of it is older. */
const isEnding = (link: Pick<Link, 'missing' | 'deferred'> | undefined): boolean =>
  link !== undefined && (link.missing > 0 || link.deferred !== undefined);

async function planAndDecide(attempt: Attempt): Promise<Move> {
  const { compiled, run, save } = attempt;
  const {
    read = 0,
    duplicates = 0,
    anonymousErrors: anonymous = 0,
    firstError,
  } = run.checkpoint ?? {};
  const plan = await planRun(attempt);
  const counts: RunCounts = {
    ...run.counts,
    unchanged: plan.unchanged,
    planned: plan.kinds,
    failed: plan.failed + anonymous,
  };
  const noneAbsent =
    run.mode === 'full' && anonymous > 0
      ? [`Records without id that could not be read: ${anonymous}. No user is treated as absent.`]
      : [];
  await save({
    counts,
    plan: plan.summary,
    warnings: [...noneAbsent, ...(run.checkpoint?.warnings ?? []), ...plan.summary.warnings],
  });
  if (run.mode === 'full' && plan.staged < read - duplicates - anonymous)
    throw new RunFailure('Some of the records that were read are no longer stored. Run it again.', {
      retryInMs: RETRY_MS,
    });
  const excess = excessiveFailures(
    { ...plan, anonymous, firstError, isFull: run.mode === 'full' },
    compiled,
  );
  if (excess) {
    if (!run.isPlanOnly) await settleQuarantine(attempt);
    throw excess;
  }
  return decide(attempt, plan.summary);
}

/** What the plan does with records in quarantine, unless another run has planned them since. */
const settleQuarantine = async ({ store, run }: Attempt): Promise<void> => {
  for await (const page of store.plannedQuarantine(run.id).pages()) {
    const ids = page.map(({ sourceId }) => sourceId);
    const links = await store.linkStates.many(ids);
    const waiting = await store.quarantine.many(ids);
    const current = page.filter(
      ({ sourceId, rev = links.get(sourceId)?.rev ?? 0 }) =>
        rev === (links.get(sourceId)?.rev ?? 0) && !isNewer(waiting.get(sourceId), run.id),
    );
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
  if (run.isPlanOnly) return { run: { state: 'planned', finishedAt: at.toISOString() } };
  const earlier = await obsoleteRuns(store, run);
  const superseded = (runs: readonly StoredRun[]): readonly StoredRun[] =>
    runs.map((one) => ({
      ...one,
      state: 'superseded',
      finishedAt: at.toISOString(),
      message: `The run ${run.id} has a newer plan.`,
    }));
  if (findings.length === 0) return { run: { state: 'applying' }, superseded: superseded(earlier) };
  const same = earlier.find((one) => one.state === 'held' && one.plan?.digest === digest);
  if (same)
    return {
      run: {
        state: 'superseded',
        finishedAt: at.toISOString(),
        message: `The plan is the same as that of ${same.id}, which waits for approval.`,
      },
      superseded: superseded(earlier.filter((one) => one !== same)),
    };
  return {
    run: {
      state: 'held',
      heldAt: at.toISOString(),
      expiresAt: new Date(at.getTime() + HELD_MS).toISOString(),
      message: findings.map(({ message }) => message).join(' '),
    },
    superseded: superseded(earlier),
  };
};

interface Failures extends Pick<
  RunPlan,
  'failed' | 'waiting' | 'unusable' | 'considered' | 'firstFailure'
> {
  readonly anonymous: number;
  readonly firstError: string | undefined;
  /** Of a few changes, all may be wrong; of everybody, the mapping is. */
  readonly isFull: boolean;
}

const excessiveFailures = (
  { failed, waiting, unusable, considered, anonymous, firstFailure, firstError, isFull }: Failures,
  { options }: CompiledConnector,
): RunFailure | undefined => {
  const bad = failed + waiting + anonymous;
  const all = considered + anonymous;
  const reason = firstFailure ?? firstError;
  const { maxFailedPercent } = options.onError;
  const isEverybody = isFull && bad > 0 && unusable + anonymous === all;
  if (!isEverybody && (bad < MIN_FAILED || bad * 100 <= all * maxFailedPercent)) return undefined;
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
  if (!plan) throw new RunFailure('The run has no plan.');
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
  const warnings =
    unmetManagers === 0
      ? run.warnings
      : [
          `${unmetManagers} ${unmetManagers === 1 ? 'user has' : 'users have'} no manager yet: the manager has no user.`,
          ...run.warnings,
        ];
  return { run: { state: 'done', finishedAt: now().toISOString(), counts, warnings } };
}

/** Before anything is applied: the guards must see it, whatever happens then. */
const addToLedger = async (
  { store, run: { id }, now }: Attempt,
  { deactivations, emailChanges, tallies = {} }: PlanSummary,
): Promise<void> => {
  if (deactivations + emailChanges + Object.keys(tallies).length === 0) return;
  const { ledger } = await store.memory();
  if (ledger.some(({ runId }) => runId === id)) return;
  const at = now();
  await store.remember(() => ({
    ledger: [
      ...ledger.filter((entry) => Date.parse(entry.at) > at.getTime() - DAY_MS),
      { runId: id, at: at.toISOString(), deactivations, emailChanges, tallies },
    ],
  }));
};

/** The cursor moves only now, and only from where the run started. */
const rememberRun = async (
  { store, compiled, run, now }: Attempt,
  counts: RunCounts,
): Promise<void> => {
  const at = now().toISOString();
  const seen = run.counts.unchanged + counts.applied + counts.failed;
  const isBroken =
    counts.failed >= MIN_FAILED &&
    counts.failed * 100 > seen * compiled.options.onError.maxFailedPercent;
  const deferredUntil = nextTry(await firstDeferred(store), now());
  const { takenAt } = run.checkpoint ?? {};
  await store.remember((memory) => ({
    deferredUntil,
    ...(run.mode === 'full' && takenAt !== undefined && { lastTakenAt: takenAt }),
    ...(run.cursor !== undefined &&
      isSame(usableCursor(memory, compiled), run.from) && {
        cursor: run.cursor,
        cursorVersion: compiled.connector.cursorVersion ?? 1,
      }),
    ...(run.mode !== 'ids' && { lastRunAt: at, lastSuccessAt: at }),
    failures: 0,
    retryAt: null,
    quarantinedAt: isBroken ? at : null,
    quarantineReason: isBroken ? `${counts.failed} of ${seen} records failed.` : null,
  }));
};

/** What is due and was not carried out is tried again in an hour. */
const nextTry = (deferredUntil: string | null, now: Date): string | null =>
  deferredUntil !== null && Date.parse(deferredUntil) <= now.getTime()
    ? new Date(now.getTime() + DEFERRED_RETRY_MS).toISOString()
    : deferredUntil;

/** When the first deactivation that was put off has to be carried out. */
const firstDeferred = async (store: ConnectorStore): Promise<string | null> => {
  let first: string | null = null;
  for await (const page of store.deferredLinks())
    for (const { deferred } of page)
      if (first === null || deferred.until < first) first = deferred.until;
  return first;
};

/** The failure is counted first: after a crash the run fails again, and counts once. */
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

const rememberFailure = async (
  { store, now }: AttemptParts,
  { id, mode, isPlanOnly }: RunRecord,
  { message, isLasting, retryInMs }: FailureFacts,
): Promise<void> => {
  if (isPlanOnly || mode === 'ids') return;
  const at = now();
  await store.remember((memory) => {
    const failures = memory.failures + (memory.failedRunId === id ? 0 : 1);
    const mayRetry = retryInMs !== undefined && failures <= MAX_RETRIES;
    const waitMs = Math.max(retryInMs ?? 0, RETRY_MS * 2 ** (failures - 1));
    return {
      failures,
      failedRunId: id,
      retryAt: mayRetry ? new Date(at.getTime() + waitMs).toISOString() : null,
      ...(isLasting === true && { quarantinedAt: at.toISOString(), quarantineReason: message }),
    };
  });
};

interface FailureFacts {
  readonly message: string;
  readonly isLasting?: boolean;
  readonly retryInMs?: number;
}

const failureOf = (error: unknown): FailureFacts => {
  if (error instanceof RunFailure) return { message: error.message, ...error.how };
  if (error instanceof SourceError) {
    const { kind, message, options } = error;
    // Sources block addresses after failed sign-ins; only an operator helps.
    if (kind === 'auth' || kind === 'config' || kind === 'permission')
      return { message, isLasting: true };
    if (kind === 'schema') return { message, isLasting: false };
    return { message, isLasting: false, retryInMs: options.retryAfterMs ?? RETRY_MS };
  }
  return {
    message: 'An internal error ended the run; the log has its cause.',
    retryInMs: RETRY_MS,
  };
};
