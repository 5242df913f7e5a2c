import { effectsOf, isReactivation } from '../guard/effects.js';
import type { PlanCounts } from '../guard/find-dangers.js';
import { type ItemKind, type PlanItem, startDigest } from '../plan/plan-item.js';
import type { PagePlan } from '../plan/plan-page.js';
import type { Planned } from '../plan/plan-record.js';
import { PAGE } from './documents.js';
import type { PlanParts } from './plan-inputs.js';
import type { PlannedQuarantine } from './plan-store.js';
import { isAboutRecord, isUndecided, quarantineOf } from './quarantine.js';
import type { PlanSummary } from './run-record.js';
import type { Staged } from './stage-store.js';

const MAX_WARNINGS = 20;

/** What a plan has come to. */
export interface PlanTotals {
  readonly items: number;
  readonly unchanged: number;
  /** Records that could not be planned, and all that were looked at. */
  readonly failed: number;
  readonly considered: number;
  /** Records whose form was wrong before and is no better now. */
  readonly waiting: number;
  /** Of those that failed or wait, the ones whose form or mapping is wrong. */
  readonly unusable: number;
}

/** Writes items and failures as they come, and counts them. */
export class PlanWriter {
  readonly kinds: Partial<Record<ItemKind, number>> = {};
  /** Why the first record could not be planned. */
  firstFailure: string | undefined;
  readonly total = { items: 0, unchanged: 0, failed: 0, waiting: 0, considered: 0, unusable: 0 };
  readonly #parts: Pick<PlanParts, 'store' | 'run' | 'at'>;
  readonly #digest = startDigest();
  readonly #warnings: string[] = [];
  readonly #counts = { deactivations: 0, byDate: 0, emailChanges: 0, newLinks: 0, joiners: 0 };
  readonly #tallies: Record<string, number> = {};
  /** Records without a plan and without a failure of this run. */
  readonly #quiet = { left: 0, waiting: 0 };
  #items: PlanItem[] = [];
  #quarantine: PlannedQuarantine[] = [];
  #leaversFrom = 0;
  #hasManagers = false;

  constructor(parts: Pick<PlanParts, 'store' | 'run' | 'at'>) {
    this.#parts = parts;
  }

  async add(plans: readonly PagePlan[]): Promise<void> {
    for (const plan of plans) {
      this.#add(plan, plan.planned);
      if (this.#items.length + this.#quarantine.length >= PAGE) await this.#flush();
    }
  }

  addError({ sourceId, message }: Extract<Staged, { kind: 'error' }>): Promise<void> {
    const planned: Planned = { kind: 'failed', failure: { code: 'UNREADABLE', message } };
    return this.add([{ sourceId, planned }]);
  }

  addUnchanged(records: number): void {
    this.total.considered += records;
    this.total.unchanged += records;
  }

  /** The items that follow free seats and addresses. */
  startLeavers(): void {
    this.#leaversFrom = this.total.items + this.#items.length;
  }

  /** Takes records out of quarantine. */
  async release(sourceIds: readonly string[]): Promise<void> {
    this.#quarantine.push(...sourceIds.map((sourceId) => ({ sourceId, record: null })));
    if (this.#quarantine.length >= PAGE) await this.#flush();
  }

  /** Writes what is left. */
  async finish(): Promise<{
    readonly summary: Omit<PlanSummary, 'findings'>;
    readonly counts: Omit<PlanCounts, 'records' | 'duplicates' | 'fields'>;
  }> {
    await this.#flush();
    const { deactivations, emailChanges } = this.#counts;
    return {
      summary: {
        digest: this.#digest.value(),
        items: this.total.items,
        leaversFrom: this.#leaversFrom,
        ...{ deactivations, emailChanges, tallies: this.#tallies },
        warnings: [...inWords(this.#quiet), ...this.#warnings],
        hasManagers: this.#hasManagers,
      },
      counts: { ...this.#counts, tallies: this.#tallies },
    };
  }

  async #flush(): Promise<void> {
    const { store, run } = this.#parts;
    await store.putItems(run.id, this.total.items, this.#items);
    this.total.items += this.#items.length;
    await store.plannedQuarantine(run.id).put(this.#quarantine);
    [this.#items, this.#quarantine] = [[], []];
  }

  #warn(sourceId: string, message: string): void {
    if (this.#warnings.length < MAX_WARNINGS) this.#warnings.push(`${sourceId}: ${message}`);
  }

  #add({ sourceId, record, quarantined, rev }: PagePlan, planned: Planned): void {
    const { run, at } = this.#parts;
    const of = { sourceId, ...(rev !== undefined && { rev }) };
    this.total.considered += 1;
    if (planned.kind === 'failed') {
      this.total.failed += 1;
      if (!isUndecided(planned.failure)) this.total.unusable += 1;
      this.firstFailure ??= planned.failure.message;
      const failed = quarantineOf({
        ...{ sourceId, label: sourceId, ...planned.failure },
        hash: record?.hash ?? '',
        data: record?.data ?? null,
        before: quarantined,
        runId: run.id,
        now: at,
      });
      this.#quarantine.push({ ...of, record: failed });
      this.#warn(sourceId, planned.failure.message);
    } else if (planned.kind === 'waiting') {
      if (quarantined && !quarantined.isIgnored) this.#quiet.waiting += 1;
      if (quarantined && !quarantined.isIgnored && isAboutRecord(quarantined)) {
        this.total.waiting += 1;
        if (!isUndecided(quarantined)) this.total.unusable += 1;
      }
    } else if (planned.kind === 'unchanged') {
      this.total.unchanged += 1;
      if (planned.warning !== undefined) this.#warn(sourceId, planned.warning);
      if (quarantined) this.#quarantine.push({ ...of, record: null });
    } else {
      const item = quarantined ? { ...planned.item, isRetry: true as const } : planned.item;
      this.#count(item);
      this.#items.push(item);
    }
  }

  #count(item: PlanItem): void {
    const counts = this.#counts;
    this.kinds[item.kind] = (this.kinds[item.kind] ?? 0) + 1;
    if (item.isDeactivation) counts.deactivations += 1;
    if (item.isByDate) counts.byDate += 1;
    if (item.isEmailChange) counts.emailChanges += 1;
    // Those who have been waiting were counted when they came.
    if ((item.kind === 'create' || isReactivation(item)) && !item.isRetry) counts.joiners += 1;
    for (const key of effectsOf(item)) this.#tallies[key] = (this.#tallies[key] ?? 0) + 1;
    if (item.rev === 0 && item.kind === 'link') counts.newLinks += 1;
    if (item.kind === 'touch' && item.rev === 0) this.#quiet.left += 1;
    if (item.manager !== undefined) this.#hasManagers = true;
    for (const warning of item.warnings ?? []) this.#warn(item.sourceId, warning);
    this.#digest.add(item);
  }
}

/** Where the records are that a run reads and neither plans nor counts as failed. */
const inWords = ({ left, waiting }: { readonly left: number; readonly waiting: number }) => [
  ...(left === 0
    ? []
    : [`${left} ${left === 1 ? 'person' : 'people'} left before they had a user: left out.`]),
  ...(waiting === 0
    ? []
    : [`${waiting} ${waiting === 1 ? 'record waits' : 'records wait'} in quarantine.`]),
];
