import {
  type ConfiguredConnector,
  type Fence,
  isSame,
  LeaseLost,
  type PluginCommands,
  type PluginLog,
  type PluginUsers,
  RefusalError,
  SourceError,
  type Tenant,
} from '../../../src/plugin/api.js';
import type { CompiledConnector } from '../compile-connector.js';
import { todayIn } from '../lifecycle.js';
import { applyPlan } from './apply-plan.js';
import type { ConnectorStore } from './connector-store.js';
import type { GatewayAccess } from './gateway-access.js';
import { planRun, type RunPlan } from './plan-run.js';
import { readSource, type ReadResult } from './read-source.js';
import { type ConnectorMemory, OPEN_STATES, type RunCounts, type RunRecord } from './run-record.js';

export interface ExecuteParts {
  readonly configured: ConfiguredConnector;
  readonly compiled: CompiledConnector;
  readonly store: ConnectorStore;
  readonly tenant: Tenant;
  readonly commands: PluginCommands;
  readonly users: Pick<PluginUsers, 'find' | 'findGroups'>;
  readonly log: PluginLog;
  readonly fence: Fence;
  readonly signal: AbortSignal;
  readonly now: () => Date;
  /** The machine's own time, to find out that a clock is wrong. */
  readonly machineNow: () => Date;
  readonly onProgress: (runId: string, counts: RunCounts) => void;
}

const DAY_MS = 86_400_000;
const HELD_MS = DAY_MS;
/** Clocks of database and gateway may differ by this much. */
const MAX_SKEW_MS = 3_600_000;
const MAX_ATTEMPTS = 20;
/** Fewer failures are no sign of a broken connector. */
const MIN_FAILED = 5;
const RETRY_MS = 5 * 60_000;
const MAX_RETRIES = 3;

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

/** Takes a run as far as it gets. Returns early, to be continued, if the lease or database is lost. */
export const executeRun = async (parts: ExecuteParts, runId: string): Promise<void> => {
  const { store, log, compiled } = parts;
  const found = await store.run(runId);
  if (!found || !OPEN_STATES.includes(found.state)) return;
  let run: RunRecord = found;
  const save = async (changed: Partial<RunRecord>): Promise<RunRecord> => {
    run = { ...run, ...changed };
    await store.putRun(run, { fence: parts.fence });
    return run;
  };
  try {
    await advance(parts, () => run, save);
  } catch (error) {
    if (isInterruption(error, parts.signal)) {
      log.warn({ err: error, connector: compiled.name, run: runId }, 'a run was interrupted');
      return;
    }
    await failRun(parts, run, save, error);
  }
};

type Save = (changed: Partial<RunRecord>) => Promise<RunRecord>;

/** The run continues, here or elsewhere. */
const isInterruption = (error: unknown, signal: AbortSignal): boolean =>
  signal.aborted ||
  error instanceof LeaseLost ||
  (error instanceof RefusalError && error.refusal.code === 'UNAVAILABLE');

const advance = async (
  parts: ExecuteParts,
  current: () => RunRecord,
  save: Save,
): Promise<void> => {
  const { store, compiled, now } = parts;
  const memory = await store.memory();
  const { state, attempt, approvedAt } = current();
  if (state === 'approved' && isOver(approvedAt, now())) {
    await save({ state: 'expired', finishedAt: now().toISOString(), message: EXPIRED });
    return;
  }
  requireSaneClock(parts, memory, (await store.control()).resumedAt);
  if (attempt >= MAX_ATTEMPTS)
    throw new RunFailure(`The run was interrupted ${attempt} times.`, {});
  if (state === 'queued')
    await save({
      state: current().mode === 'dates' ? 'planning' : 'reading',
      startedAt: now().toISOString(),
      from: usableCursor(memory, compiled),
    });
  await save({ attempt: attempt + 1 });
  if (attempt === 0) await noteStart(parts, current(), memory);
  if (current().state === 'reading') {
    const read = await readAll(parts, current, save);
    await save({
      state: 'planning',
      ...(current().mode === 'ids' ? {} : { cursor: read.cursor }),
      checkpoint: { ...read, segment: 0 },
      counts: { ...current().counts, read: read.read },
    });
  }
  if (current().state === 'planning') await planAndDecide(parts, current, save);
  if (current().state === 'approved') await save({ state: 'applying' });
  if (current().state === 'applying') await applyAndFinish(parts, current, save);
};

const EXPIRED = 'The approval was not used within 24 hours.';

/** Whether an approval of that time counts no more. */
const isOver = (approvedAt: string | null, now: Date): boolean =>
  approvedAt === null || Date.parse(approvedAt) + HELD_MS < now.getTime();

/** A cursor of another version of the connector means nothing to this one. */
const usableCursor = (
  { cursor, cursorVersion }: ConnectorMemory,
  { connector }: CompiledConnector,
) => (cursorVersion === (connector.cursorVersion ?? 1) ? cursor : null);

const requireSaneClock = (
  { now, machineNow }: Pick<ExecuteParts, 'now' | 'machineNow'>,
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

const noteStart = async (
  { store, compiled, fence, now }: ExecuteParts,
  { mode, id, isPlanOnly }: RunRecord,
  memory: ConnectorMemory,
): Promise<void> => {
  if (isPlanOnly || mode === 'ids') return;
  const at = now().toISOString();
  await store.putMemory(
    {
      ...memory,
      // `lastRunAt` stays: the clock guard compares with the last run that came to an end.
      lastRunId: id,
      retryAt: null,
      ...(mode === 'full' && { lastFullAt: at }),
      ...(mode === 'delta' && { lastDeltaAt: at }),
      ...(mode === 'dates' && { lastDatesOn: todayIn(compiled.lifecycle, now()) }),
    },
    fence,
  );
};

const readAll = async (
  parts: ExecuteParts,
  current: () => RunRecord,
  save: Save,
): Promise<ReadResult> => {
  const { configured, compiled, store, fence, signal, now } = parts;
  const run = current();
  const open = await configured.open();
  const result = await readSource({
    compiled,
    store,
    open,
    run,
    fence,
    signal,
    save: async (checkpoint) => {
      await save({
        checkpoint,
        counts: { ...run.counts, read: checkpoint.read, staged: checkpoint.read },
      });
    },
    onProgress: (read) => parts.onProgress(run.id, { ...run.counts, read, staged: read }),
  });
  if (run.mode === 'delta') await stageDue(store, run, { now: now(), fence });
  return result;
};

/** Records in quarantine that are due and that the source does not repeat in a delta. */
const stageDue = async (
  store: ConnectorStore,
  { id, attempt }: RunRecord,
  { now, fence }: { readonly now: Date; readonly fence: Fence },
): Promise<void> => {
  let after: string | undefined;
  for (;;) {
    const page = await store.quarantine(500, after);
    const due = page.filter(
      ({ nextAt, isIgnored, data }) =>
        data !== null && !isIgnored && nextAt !== null && Date.parse(nextAt) <= now.getTime(),
    );
    const staged = await store.stagedMany(
      id,
      due.map(({ sourceId }) => sourceId),
    );
    const missing = due.filter(({ sourceId }) => !staged.has(sourceId));
    if (missing.length > 0)
      await store.stage(
        id,
        missing.map(({ sourceId, data, hash }) => ({
          sourceId,
          segment: 0,
          attempt,
          kind: 'record' as const,
          data: data ?? {},
          hash,
        })),
        fence,
      );
    after = page.at(-1)?.sourceId;
    if (page.length < 500 || after === undefined) return;
  }
};

const planAndDecide = async (
  parts: ExecuteParts,
  current: () => RunRecord,
  save: Save,
): Promise<void> => {
  const { compiled, store, fence, signal, now, log } = parts;
  const run = current();
  const read = run.checkpoint;
  const duplicates = read?.duplicates ?? 0;
  const anonymous = read?.anonymousErrors ?? 0;
  const at = now();
  const plan = await planRun({
    compiled,
    store,
    access: accessOf(parts, run),
    run,
    memory: await store.memory(),
    // Anybody may be one of those who could not be read.
    mayInferLeavers: run.mode === 'full' && duplicates === 0 && anonymous === 0,
    snapshot: read?.snapshot,
    counts: { records: read?.read ?? 0, duplicates: run.mode === 'full' ? duplicates : 0 },
    now: at,
    fence,
    signal,
  });
  const counts: RunCounts = {
    ...run.counts,
    unchanged: plan.unchanged,
    planned: plan.kinds,
    failed: plan.failed + anonymous,
  };
  const nobodyAbsent =
    run.mode === 'full' && anonymous > 0
      ? [`Records without id that could not be read: ${anonymous}. No user is treated as absent.`]
      : [];
  await save({
    counts,
    plan: plan.summary,
    warnings: [...nobodyAbsent, ...plan.summary.warnings],
  });
  if (run.mode === 'full' && plan.staged < (read?.read ?? 0) - duplicates - anonymous)
    throw new RunFailure('Some of the records that were read are no longer stored. Run it again.', {
      retryInMs: RETRY_MS,
    });
  requireFewFailures(plan, anonymous, compiled);
  if (run.isPlanOnly) {
    await save({ state: 'planned', finishedAt: now().toISOString() });
    await store.clearStage(run.id, fence);
    return;
  }
  const { findings } = plan.summary;
  const earlier = await openHeldRuns(store, run);
  if (findings.length === 0) {
    await supersede(earlier, run, parts);
    await save({ state: 'applying' });
    return;
  }
  const same = earlier.find((held) => held.plan?.digest === plan.summary.digest);
  await supersede(
    earlier.filter((held) => held !== same),
    run,
    parts,
  );
  if (same) {
    await save({
      state: 'superseded',
      finishedAt: at.toISOString(),
      message: `The plan is the same as that of ${same.id}, which waits for approval.`,
    });
    await store.clearStage(run.id, fence);
    return;
  }
  await save({
    state: 'held',
    heldAt: at.toISOString(),
    expiresAt: new Date(at.getTime() + HELD_MS).toISOString(),
    message: findings.map(({ message }) => message).join(' '),
  });
  await store.clearStage(run.id, fence);
  log.error(
    { connector: compiled.name, run: run.id, findings, digest: plan.summary.digest },
    'a run of a connector is held and needs an approval',
  );
};

const accessOf = (
  { commands, users, tenant, compiled }: ExecuteParts,
  run: RunRecord,
): GatewayAccess => ({
  commands,
  users,
  tenantId: tenant.id,
  connector: compiled.name,
  requestId: run.id,
});

const requireFewFailures = (
  { failed, waiting, considered }: Pick<RunPlan, 'failed' | 'waiting' | 'considered'>,
  anonymous: number,
  { options }: CompiledConnector,
): void => {
  const bad = failed + waiting + anonymous;
  const all = considered + anonymous;
  const { maxFailedPercent } = options.onError;
  if (bad >= MIN_FAILED && bad * 100 > all * maxFailedPercent)
    throw new RunFailure(
      `${bad} of ${all} records cannot be used; allowed: ${maxFailedPercent} %. Nothing was changed.`,
      { isLasting: true },
    );
};

/** Held runs whose plan this one makes obsolete: a full read says everything again. */
const openHeldRuns = async (
  store: ConnectorStore,
  { id, mode }: RunRecord,
): Promise<readonly RunRecord[]> => {
  if (mode === 'ids') return [];
  const runs = await store.runs(100);
  return runs.filter(
    (run) => run.id !== id && run.state === 'held' && (mode === 'full' || run.mode === mode),
  );
};

const supersede = async (
  runs: readonly RunRecord[],
  by: RunRecord,
  { store, fence, now }: ExecuteParts,
): Promise<void> => {
  for (const run of runs)
    await store.putRun(
      {
        ...run,
        state: 'superseded',
        finishedAt: now().toISOString(),
        message: `The run ${by.id} has a newer plan.`,
      },
      { fence },
    );
};

const applyAndFinish = async (
  parts: ExecuteParts,
  current: () => RunRecord,
  save: Save,
): Promise<void> => {
  const { store, compiled, fence, signal, now, log } = parts;
  const run = current();
  const { plan } = run;
  if (!plan) throw new RunFailure('The run has no plan.');
  await addToLedger(parts, run);
  const planFailures = run.counts.failed;
  const done = await applyPlan({
    store,
    access: accessOf(parts, run),
    run,
    items: plan.items,
    hasManagers: plan.hasManagers,
    now,
    fence,
    signal,
    onProgress: (progress) =>
      parts.onProgress(run.id, {
        ...run.counts,
        applied: progress.applied,
        failed: planFailures + progress.failed,
      }),
  });
  const counts = { ...run.counts, applied: done.applied, failed: planFailures + done.failed };
  await rememberRun(parts, run, counts);
  await save({ state: 'done', finishedAt: now().toISOString(), counts });
  await store.clearStage(run.id, fence);
  log.info(
    { connector: compiled.name, run: run.id, mode: run.mode, counts },
    'a run of a connector is done',
  );
};

/** Before anything is applied: the guards must see it, whatever happens then. */
const addToLedger = async (
  { store, fence, now }: ExecuteParts,
  { id, plan }: RunRecord,
): Promise<void> => {
  const memory = await store.memory();
  if (!plan || plan.deactivations + plan.emailChanges === 0) return;
  if (memory.ledger.some(({ runId }) => runId === id)) return;
  const at = now();
  await store.putMemory(
    {
      ...memory,
      ledger: [
        ...memory.ledger.filter((entry) => Date.parse(entry.at) > at.getTime() - DAY_MS),
        {
          runId: id,
          at: at.toISOString(),
          deactivations: plan.deactivations,
          emailChanges: plan.emailChanges,
        },
      ],
    },
    fence,
  );
};

/** The cursor moves only now, and only from where the run started. */
const rememberRun = async (
  { store, compiled, fence, now }: ExecuteParts,
  run: RunRecord,
  counts: RunCounts,
): Promise<void> => {
  const memory = await store.memory();
  const version = compiled.connector.cursorVersion ?? 1;
  const at = now().toISOString();
  const mayMove = run.cursor !== undefined && isSame(usableCursor(memory, compiled), run.from);
  const seen = run.counts.unchanged + counts.applied + counts.failed;
  const isBroken =
    counts.failed >= MIN_FAILED &&
    counts.failed * 100 > seen * compiled.options.onError.maxFailedPercent;
  await store.putMemory(
    {
      ...memory,
      ...(mayMove && { cursor: run.cursor ?? null, cursorVersion: version }),
      ...(run.mode !== 'ids' && { lastRunAt: at, lastSuccessAt: at }),
      failures: 0,
      retryAt: null,
      quarantinedAt: isBroken ? at : null,
      quarantineReason: isBroken ? `${counts.failed} of ${seen} records failed.` : null,
    },
    fence,
  );
};

const failRun = async (
  parts: ExecuteParts,
  run: RunRecord,
  save: Save,
  error: unknown,
): Promise<void> => {
  const { store, compiled, fence, now, log } = parts;
  const { message, isLasting, retryInMs } = failureOf(error);
  log.error(
    {
      ...(isLasting === undefined && { err: error }),
      connector: compiled.name,
      run: run.id,
      reason: message,
    },
    'a run of a connector failed',
  );
  await save({ state: 'failed', finishedAt: now().toISOString(), message });
  await store.clearStage(run.id, fence);
  if (run.isPlanOnly || run.mode === 'ids') return;
  const memory = await store.memory();
  const failures = memory.failures + 1;
  const at = now();
  const mayRetry = retryInMs !== undefined && failures <= MAX_RETRIES;
  await store.putMemory(
    {
      ...memory,
      failures,
      retryAt: mayRetry
        ? new Date(at.getTime() + Math.max(retryInMs, RETRY_MS * 2 ** (failures - 1))).toISOString()
        : null,
      ...(isLasting === true && {
        quarantinedAt: at.toISOString(),
        quarantineReason: message,
      }),
    },
    fence,
  );
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
