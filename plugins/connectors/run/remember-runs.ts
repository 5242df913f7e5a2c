import { isSame } from '../../../src/plugin/api.js';
import type { CompiledConnector } from '../compile-connector.js';
import { todayIn } from '../lifecycle.js';
import type { Attempt, AttemptParts } from './attempt.js';
import type { ConnectorStore } from './connector-store.js';
import { type FailureFacts, RETRY_MS } from './run-failure.js';
import type { ConnectorMemory, PlanSummary, RunCounts, RunRecord } from './run-record.js';

const DAY_MS = 86_400_000;
const MAX_RETRIES = 3;
const DEFERRED_RETRY_MS = 3_600_000;
/** Fewer failures are no sign of a broken connector. */
export const MIN_FAILED = 5;

/** A cursor of another version of the connector means nothing to this one. */
export const usableCursor = (
  { cursor, cursorVersion }: ConnectorMemory,
  { connector }: CompiledConnector,
) => (cursorVersion === (connector.cursorVersion ?? 1) ? cursor : null);

/** What the schedule and the next runs have to know of a run that begins. */
export const noteStart = async ({ store, compiled, run, now }: Attempt): Promise<void> => {
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

/** Before anything is applied: the guards must see it, whatever happens then. */
export const addToLedger = async (
  { store, run: { id }, now }: Attempt,
  { deactivations, emailChanges, tallies = {} }: PlanSummary,
): Promise<void> => {
  if (deactivations + emailChanges + Object.keys(tallies).length === 0) return;
  const at = now();
  const entry = { runId: id, at: at.toISOString(), deactivations, emailChanges, tallies };
  await store.remember(({ ledger }) => {
    if (ledger.some(({ runId }) => runId === id)) return {};
    const recent = ledger.filter((one) => Date.parse(one.at) > at.getTime() - DAY_MS);
    return { ledger: [...recent, entry] };
  });
};

/** The cursor moves only now, and only from where the run started. */
export const rememberRun = async (
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
export const rememberFailure = async (
  { store, now }: AttemptParts,
  { id, mode, isPlanOnly }: RunRecord,
  { message, isLasting, retryInMs }: FailureFacts,
): Promise<void> => {
  if (isPlanOnly || mode === 'ids') return;
  const at = now();
  await store.remember((memory) => {
    const failures = memory.failures + (memory.failedRunId === id ? 0 : 1);
    // Without a noted start it is still due, so it never waits for the next one of the schedule.
    const isDue = memory.lastRunId !== id;
    const mayRetry = retryInMs !== undefined && (failures <= MAX_RETRIES || isDue);
    const backOffMs = Math.min(RETRY_MS * 2 ** (failures - 1), DAY_MS);
    const waitMs = Math.max(retryInMs ?? 0, backOffMs);
    return {
      failures,
      failedRunId: id,
      retryAt: mayRetry ? new Date(at.getTime() + waitMs).toISOString() : null,
      ...(isLasting === true && { quarantinedAt: at.toISOString(), quarantineReason: message }),
    };
  });
};
