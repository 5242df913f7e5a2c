import { fromStoredItem, type PlanItem, toStoredItem } from '../plan/plan-item.js';
import { Documents, expiryIn, nineDigits, PAGE, type StoreParts } from './documents.js';
import type { QuarantinedRecord } from './run-record.js';

/** Plans are kept for a quarter, as runs are. */
export const HISTORY_DAYS = 90;

/** Those who leave are numbered from here: they are the last in a plan, and the first to be applied. */
export const FIRST_LEAVER = 500_000_000;

/** An item of a plan, and its number. */
export interface IndexedItem {
  readonly index: number;
  readonly item: PlanItem;
}

/** How an item of a plan ended, where it is not simply applied. */
export interface ItemOutcome {
  readonly index: number;
  readonly sourceId: string;
  readonly outcome: 'applied' | 'failed' | 'stale' | 'skipped';
  readonly code: string | null;
  readonly message: string | null;
}

/** How far the apply has come: everything before `done` has ended. */
export interface ApplyProgress {
  readonly pass: 1 | 2;
  readonly done: number;
  readonly applied: number;
  readonly failed: number;
  /** Users whose manager has no user yet. */
  readonly unmetManagers?: number;
  /** Whether items before `done` were skipped, because an operator cancelled the run. */
  readonly isCut?: true;
}

export const NO_PROGRESS: ApplyProgress = { pass: 1, done: 0, applied: 0, failed: 0 };

/** What a plan does with the quarantine of a record, once it is applied; null: it is released. */
export interface PlannedQuarantine {
  readonly sourceId: string;
  readonly record: QuarantinedRecord | null;
  /** The link's, when it was planned; absent: it was not looked up. */
  readonly rev?: number;
}

/** The plans of runs, and what became of them. */
export const createPlanStore = ({ collection, tenantId, now, guard }: StoreParts) => {
  const parts = {
    collection: collection('plans'),
    ...{ tenantId, guard },
    expiresAt: expiryIn(HISTORY_DAYS, now),
  };
  const itemsOf = (runId: string) =>
    new Documents<IndexedItem>({
      ...parts,
      prefix: `${runId}:i:`,
      nameOf: ({ index }) => nineDigits(index),
      read: ({ key, value }) => ({ index: Number(key.slice(-9)), item: fromStoredItem(value) }),
      write: ({ item }) => toStoredItem(item),
    });
  const outcomesOf = (runId: string) =>
    new Documents<ItemOutcome>({
      ...parts,
      prefix: `${runId}:o:`,
      nameOf: ({ index }) => nineDigits(index),
    });
  return {
    putItems: (runId: string, from: number, items: readonly PlanItem[]) =>
      itemsOf(runId).add(items.map((item, at) => ({ index: from + at, item }))),
    items: (runId: string, from: number, limit = PAGE) =>
      itemsOf(runId).list(limit, from > 0 ? nineDigits(from - 1) : undefined),
    itemPages: (runId: string) => itemsOf(runId).pages(),
    /** In the order of the indexes. */
    itemsAt: async (runId: string, indexes: readonly number[]) => [
      ...(await itemsOf(runId).many(indexes.map(nineDigits))).values(),
    ],
    putOutcomes: (runId: string, outcomes: readonly ItemOutcome[]) =>
      outcomesOf(runId).put(outcomes),
    outcomesAt: async (runId: string, indexes: readonly number[]) =>
      new Map(
        [...(await outcomesOf(runId).many(indexes.map(nineDigits))).values()].map((outcome) => [
          outcome.index,
          outcome,
        ]),
      ),
    outcomePages: (runId: string) => outcomesOf(runId).pages(),
    /** The quarantine changes only once the plan is applied. */
    plannedQuarantine: (runId: string) =>
      new Documents<PlannedQuarantine>({
        ...parts,
        prefix: `${runId}:q:`,
        nameOf: ({ sourceId }) => sourceId,
      }),
  };
};
