import { effectsOf, isReactivation } from '../guard/effects.js';
import { createFieldWatch } from '../guard/field-losses.js';
import {
  classOf,
  type ItemKind,
  type PlanClass,
  PlanDigest,
  type PlanItem,
} from '../plan/plan-item.js';
import type { PagePlan } from '../plan/plan-page.js';
import type { RecordFailure } from '../plan/plan-record.js';
import { PAGE } from './documents.js';
import type { PlanParts } from './plan-inputs.js';
import { FIRST_LEAVER, type PlannedQuarantine } from './plan-store.js';
import { isAboutRecord, isUndecided, quarantineOf } from './quarantine.js';
import type { Staged } from './stage-store.js';

const MAX_WARNINGS = 20;

/** Writes items and failures as they come, and counts them. */
export class PlanWriter {
  readonly #fields;
  readonly #digest = new PlanDigest();
  readonly #warnings: string[] = [];
  readonly #kinds: Partial<Record<ItemKind, number>> = {};
  readonly #totals = {
    unchanged: 0,
    /** Records that could not be planned, and all that were looked at. */
    failed: 0,
    considered: 0,
    /** Records whose form was wrong before and is no better now. */
    waiting: 0,
    /** Of those that failed or wait, the ones whose form or mapping is wrong. */
    unusable: 0,
  };
  readonly #counts = { deactivations: 0, byDate: 0, emailChanges: 0, newLinks: 0, joiners: 0 };
  readonly #tallies: Record<string, number> = {};
  readonly #classes: Partial<Record<PlanClass, number>> = {};
  readonly #absences: Record<string, number> = {};
  #deferredUntil: string | undefined;
  #seatsTaken = 0;
  /** Records without a plan and without a failure of this run. */
  readonly #quiet = { left: 0, waiting: 0 };
  readonly #items: PlanItem[] = [];
  readonly #leavers: PlanItem[] = [];
  readonly #quarantine: PlannedQuarantine[] = [];
  readonly #written = { items: 0, leavers: 0 };
  /** Why the first record could not be planned. */
  #firstFailure: string | undefined;
  #hasManagers = false;

  constructor(private readonly parts: PlanParts) {
    this.#fields = createFieldWatch(parts.compiled.named);
  }

  async add(plans: readonly PagePlan[]): Promise<void> {
    for (const plan of plans) {
      this.#watchFields(plan);
      this.#add(plan);
      if (this.#items.length + this.#leavers.length + this.#quarantine.length >= PAGE)
        await this.#flush();
    }
  }

  addError({ sourceId, message }: Extract<Staged, { kind: 'error' }>): Promise<void> {
    const failure = { code: 'UNREADABLE', message };
    return this.add([{ sourceId, planned: { kind: 'failed', failure } }]);
  }

  /** `empty`: the fields without a value in any of them. */
  addUnchanged(records: number, empty?: readonly string[]): void {
    this.#totals.considered += records;
    this.#totals.unchanged += records;
    if (empty) this.#fields.readOthers(empty);
  }

  /** Takes records out of quarantine. */
  async release(sourceIds: readonly string[]): Promise<void> {
    this.#quarantine.push(...sourceIds.map((sourceId) => ({ sourceId, record: null })));
    if (this.#quarantine.length >= PAGE) await this.#flush();
  }

  /** Writes what is left. */
  async finish() {
    await this.#flush();
    const { deactivations, emailChanges } = this.#counts;
    const { items, leavers } = this.#written;
    const { compiled, tenant } = this.parts;
    const before = tenant.seatsProvisioned;
    return {
      summary: {
        digest: this.#digest.value(),
        items: items + leavers,
        ...{ leavers, deactivations, emailChanges, tallies: this.#tallies },
        warnings: [...inWords(this.#quiet), ...this.#warnings],
        hasManagers: this.#hasManagers,
        outlook: {
          ...{ classes: this.#classes, absences: this.#absences },
          missingRuns: compiled.rules.missingRuns,
          ...(this.#deferredUntil !== undefined && { deferredUntil: this.#deferredUntil }),
          seats: { before, after: before + this.#seatsTaken, capacity: tenant.seatCapacity },
        },
      },
      counts: { ...this.#counts, tallies: this.#tallies, fields: this.#fields.losses() },
      totals: { ...this.#totals, kinds: this.#kinds, firstFailure: this.#firstFailure },
    };
  }

  async #flush(): Promise<void> {
    const { store, run } = this.parts;
    const [items, leavers] = [this.#items.splice(0), this.#leavers.splice(0)];
    await store.putItems(run.id, this.#written.items, items);
    await store.putItems(run.id, FIRST_LEAVER + this.#written.leavers, leavers);
    this.#written.items += items.length;
    this.#written.leavers += leavers.length;
    await store.plannedQuarantine(run.id).put(this.#quarantine.splice(0));
  }

  #warn(sourceId: string, message: string): void {
    if (this.#warnings.length < MAX_WARNINGS) this.#warnings.push(`${sourceId}: ${message}`);
  }

  #watchFields({ record, before }: PagePlan): void {
    if (!record || !this.parts.isRead) return;
    this.#fields.read(record.data);
    if (before) this.#fields.compare(before, record.data);
  }

  #add(plan: PagePlan): void {
    const { sourceId, planned, quarantined, rev } = plan;
    this.#totals.considered += 1;
    if (planned.kind === 'failed') this.#addFailure(plan, planned.failure);
    else if (planned.kind === 'waiting') {
      if (!quarantined || quarantined.isIgnored) return;
      this.#quiet.waiting += 1;
      if (!isAboutRecord(quarantined)) return;
      this.#totals.waiting += 1;
      if (!isUndecided(quarantined)) this.#totals.unusable += 1;
    } else if (planned.kind === 'unchanged') {
      this.#totals.unchanged += 1;
      if (planned.warning !== undefined) this.#warn(sourceId, planned.warning);
      if (quarantined) this.#quarantine.push({ ...placeOf(sourceId, rev), record: null });
    } else {
      const item = quarantined ? { ...planned.item, isRetry: true as const } : planned.item;
      this.#count(item);
      (item.after.state === 'left' ? this.#leavers : this.#items).push(item);
    }
  }

  #addFailure({ sourceId, record, quarantined, rev }: PagePlan, failure: RecordFailure): void {
    const { run, at } = this.parts;
    this.#totals.failed += 1;
    if (!isUndecided(failure)) this.#totals.unusable += 1;
    this.#firstFailure ??= failure.message;
    const failed = quarantineOf({
      ...{ sourceId, label: sourceId, ...failure },
      hash: record?.hash ?? '',
      data: record?.data ?? null,
      before: quarantined,
      runId: run.id,
      now: at,
    });
    this.#quarantine.push({ ...placeOf(sourceId, rev), record: failed });
    this.#warn(sourceId, failure.message);
  }

  #count(item: PlanItem): void {
    const counts = this.#counts;
    this.#kinds[item.kind] = (this.#kinds[item.kind] ?? 0) + 1;
    const { missing, deferred } = item.after;
    const of = classOf(item);
    // What only remembers something is not shown.
    if (of !== 'touch' || item.warnings) this.#classes[of] = (this.#classes[of] ?? 0) + 1;
    if (of === 'missing') this.#absences[missing] = (this.#absences[missing] ?? 0) + 1;
    if (of === 'deferred') this.#deferredUntil = deferred?.until;
    if (item.isDeactivation) counts.deactivations += 1;
    if (item.isByDate) counts.byDate += 1;
    if (item.isEmailChange) counts.emailChanges += 1;
    const takesSeat = item.kind === 'create' || isReactivation(item);
    this.#seatsTaken += Number(takesSeat) - Number(item.isDeactivation);
    // Those who have been waiting were counted when they came.
    if (takesSeat && !item.isRetry) counts.joiners += 1;
    for (const key of effectsOf(item)) this.#tallies[key] = (this.#tallies[key] ?? 0) + 1;
    if (item.rev === 0 && item.kind === 'link') counts.newLinks += 1;
    if (item.kind === 'touch' && item.rev === 0) this.#quiet.left += 1;
    if (item.manager !== undefined) this.#hasManagers = true;
    for (const warning of item.warnings ?? []) this.#warn(item.sourceId, warning);
    this.#digest.add(item);
  }
}

const placeOf = (sourceId: string, rev: number | undefined) => ({
  sourceId,
  ...(rev !== undefined && { rev }),
});

/** Where the records are that a run reads and neither plans nor counts as failed. */
const inWords = ({ left, waiting }: { readonly left: number; readonly waiting: number }) => [
  ...(left === 0
    ? []
    : [`${left} ${left === 1 ? 'person' : 'people'} left before they had a user: left out.`]),
  ...(waiting === 0
    ? []
    : [`${waiting} ${waiting === 1 ? 'record waits' : 'records wait'} in quarantine.`]),
];
