import { applyPage, type ApplyPage, PAGE } from './apply-page.js';
import type { ApplyParts, ApplyRequest } from './apply-item.js';
import { BackgroundWrite } from './background-write.js';
import { ManagerIds } from './manager-ids.js';
import { type ApplyProgress, FIRST_LEAVER } from './plan-store.js';
import { retryConflicts } from './retry-conflicts.js';
import type { PlanSummary } from './run-record.js';
import { setManagers } from './set-managers.js';

/**
 * Applies a plan, page by page, and remembers what was done. After a crash it continues where it was;
 * a command that had been carried out is not carried out again.
 */
export const applyPlan = async (given: ApplyRequest): Promise<ApplyProgress> => {
  const { store, run, plan } = given;
  let progress = await store.progress(run.id);
  const managers = new ManagerIds(given, progress.done > 0);
  const parts: ApplyParts = { ...given, created: new Map(), managers };
  if (progress.pass === 1) {
    progress = await pass(parts, progress, applyPage);
    if (progress.isCut || progress.done < plan.items) return progress;
    progress = await retryConflicts(parts, progress);
    if (!plan.hasManagers) return progress;
    const isDone = await managers.areAllSet();
    progress = { ...progress, pass: 2, done: isDone ? plan.items : 0 };
    if (isDone) await store.putLinks(run.id, [], progress);
  }
  return pass(parts, progress, setManagers);
};

/** Whether nothing of the plan is left. */
export const isApplied = (
  { items, hasManagers }: Pick<PlanSummary, 'items' | 'hasManagers'>,
  { pass: reached, done, isCut }: ApplyProgress,
): boolean => isCut !== true && (reached === 2 || !hasManagers) && done >= items;

/** Whether the apply has come past the item. */
export const isPast = (
  index: number,
  { leavers = 0 }: PlanSummary,
  { pass: reached, done }: ApplyProgress,
): boolean => {
  const position = index < FIRST_LEAVER ? leavers + index : index - FIRST_LEAVER;
  return reached === 2 || position < done;
};

/** Commands of the next page run while the results of the last one are written. */
const pass = async (
  parts: ApplyParts,
  from: ApplyProgress,
  apply: ApplyPage,
): Promise<ApplyProgress> => {
  const { store, run, plan, signal, stop } = parts;
  const writing = new BackgroundWrite();
  let progress = from;
  const readAt = (position: number) => {
    const { index, limit } = pageAt(position, plan);
    const items = limit > 0 ? store.items(run.id, index, limit) : Promise.resolve([]);
    // An error is thrown when the page is wanted.
    items.catch(() => undefined);
    return { limit, items };
  };
  let reading = readAt(from.done);
  const applyNext = async (): Promise<void> => {
    signal.throwIfAborted();
    const { limit, items } = reading;
    const page = await items;
    const done = progress.done + limit;
    // Read while this one is applied: a plan does not change.
    reading = readAt(done);
    const result = await apply(parts, page);
    const reached: ApplyProgress = {
      pass: from.pass,
      done,
      applied: progress.applied + result.applied,
      failed: progress.failed + result.failed,
      unmetManagers: (progress.unmetManagers ?? 0) + (result.unmetManagers ?? 0),
      ...(result.isCut === true && { isCut: true as const }),
    };
    await writing.begin(async () => {
      await result.before();
      await store.putLinks(run.id, result.links, reached);
    });
    progress = reached;
    parts.onProgress(progress);
  };
  try {
    while (progress.done < plan.items && !stop.aborted) await applyNext();
    await writing.end();
    return progress;
  } finally {
    // After an error, too: the caller clears what was stored, so no write may follow.
    await writing.end().catch(() => undefined);
  }
};

/** Those who leave come first: others may get their seats. No page has both. */
const pageAt = (
  position: number,
  { items, leavers = 0 }: PlanSummary,
): { readonly index: number; readonly limit: number } =>
  position < leavers
    ? { index: FIRST_LEAVER + position, limit: Math.min(PAGE, leavers - position) }
    : { index: position - leavers, limit: Math.min(PAGE, items - position) };
