import type { Fence } from '../../../src/plugin/api.js';
import type { CompiledConnector } from '../compile-connector.js';
import { todayIn } from '../lifecycle.js';
import type { Link } from '../link.js';
import { createGroupNames } from '../plan/group-names.js';
import type { GuardFacts, GuardFinding, PlanCounts } from '../plan/guards.js';
import { findDangers } from '../plan/guards.js';
import { startDigest } from '../plan/plan-digest.js';
import type { ItemKind, PlanItem } from '../plan/plan-item.js';
import { createPagePlanner, findUsers, type Input, type PagePlan } from '../plan/plan-page.js';
import { planAbsence, type Planned } from '../plan/plan-record.js';
import { PAGE, type ConnectorStore, type Staged } from './connector-store.js';
import type { GatewayAccess } from './gateway-access.js';
import { isAboutRecord, quarantineOf } from './quarantine.js';
import type { ConnectorMemory, PlanSummary, QuarantinedRecord, RunRecord } from './run-record.js';

export interface PlanRunParts {
  readonly compiled: CompiledConnector;
  readonly store: ConnectorStore;
  readonly access: GatewayAccess;
  readonly run: RunRecord;
  readonly memory: ConnectorMemory;
  /** Whether the read allows that missing people have left. */
  readonly mayInferLeavers: boolean;
  /** Which export was read; an absence from it counts once. */
  readonly snapshot: string | undefined;
  readonly counts: { readonly records: number; readonly duplicates: number };
  readonly now: Date;
  readonly fence: Fence;
  readonly signal: AbortSignal;
  readonly onProgress?: (planned: number) => void;
}

export interface RunPlan {
  readonly summary: PlanSummary;
  readonly unchanged: number;
  readonly kinds: Readonly<Partial<Record<ItemKind, number>>>;
  /** Records that could not be planned, and all that were looked at. */
  readonly failed: number;
  readonly considered: number;
  readonly staged: number;
  /** Records whose form was wrong before and is no better now. */
  readonly waiting: number;
}

const DAY_MS = 86_400_000;
const MAX_WARNINGS = 20;

/** Plans a run from what it staged; memory does not grow with the number of records. */
export const planRun = async (parts: PlanRunParts): Promise<RunPlan> => {
  const { compiled, store, access, run, now, signal } = parts;
  const groups = createGroupNames(access);
  const today = todayIn(compiled.lifecycle, now);
  const pages = createPagePlanner({ compiled, store, access, groups, today, now });
  const writer = startPlan(parts);

  let stagedRecords = 0;

  const planInputs = async (inputs: readonly Input[]): Promise<void> => {
    signal.throwIfAborted();
    if (inputs.length === 0) return;
    const isForced = run.mode === 'ids' || run.mode === 'dates';
    for (const plan of await pages.plan(inputs, { isForced })) await writer.add(plan);
  };

  if (run.mode === 'dates') {
    for await (const links of store.linkPages())
      await planInputs(
        links.filter(({ changesOn }) => changesOn !== null && changesOn <= today).map(inputOfLink),
      );
  } else {
    for await (const staged of store.stagedPages(run.id)) {
      stagedRecords += staged.length;
      for (const one of staged) if (one.kind === 'error') await writer.addError(one);
      await planInputs(staged.flatMap((one) => (one.kind === 'error' ? [] : [inputOf(one)])));
    }
    if (parts.mayInferLeavers)
      for await (const links of store.linkPages()) {
        signal.throwIfAborted();
        for (const plan of await planAbsent(links, parts)) await writer.add(plan);
      }
  }
  return { ...(await writer.finish(groups.warnings())), staged: stagedRecords };
};

const inputOf = (staged: Exclude<Staged, { kind: 'error' }>): Input =>
  staged.kind === 'tombstone'
    ? { sourceId: staged.sourceId, isDeleted: true }
    : { sourceId: staged.sourceId, data: staged.data, hash: staged.hash };

const inputOfLink = ({ sourceId, data, hash }: Link): Input => ({ sourceId, data, hash });

/** People whose record did not come; unreadable records are staged, so they are not among them. */
const planAbsent = async (
  links: readonly Link[],
  { store, access, run, compiled, snapshot }: PlanRunParts,
): Promise<readonly PagePlan[]> => {
  const present = links.filter(({ state }) => state !== 'left');
  const staged = await store.stagedMany(
    run.id,
    present.map(({ sourceId }) => sourceId),
  );
  const absent = present.filter((link) => !staged.has(link.sourceId) && !isCounted(link, snapshot));
  const ids = absent.flatMap(({ userId }) => userId ?? []);
  const users = await findUsers(access, access.tenantId, 'id', ids);
  return absent.map((link) => ({
    sourceId: link.sourceId,
    planned: planAbsence(
      link,
      link.userId ? users.get(link.userId)?.[0] : undefined,
      compiled.rules,
      snapshot,
    ),
  }));
};

const isCounted = ({ missingIn }: Link, snapshot: string | undefined): boolean =>
  snapshot !== undefined && missingIn.includes(snapshot);

/** Writes items and failures as they come, and counts them. */
const startPlan = (parts: PlanRunParts) => {
  const { store, run, now, fence } = parts;
  const digest = startDigest();
  const kinds: Partial<Record<ItemKind, number>> = {};
  const warnings: string[] = [];
  let items: PlanItem[] = [];
  let failures: QuarantinedRecord[] = [];
  let released: string[] = [];
  const total = { items: 0, unchanged: 0, failed: 0, waiting: 0, considered: 0 };
  const counts = { deactivations: 0, absences: 0, byDate: 0, emailChanges: 0, newLinks: 0 };
  let hasManagers = false;

  const flush = async (): Promise<void> => {
    if (items.length > 0) {
      await store.putItems(run.id, total.items, items, fence);
      total.items += items.length;
      parts.onProgress?.(total.items);
    }
    // A plan that no operator has decided to apply leaves the quarantine alone.
    if (!run.isPlanOnly) {
      if (failures.length > 0) await store.putQuarantined(failures, { fence });
      if (released.length > 0) await store.release(released, fence);
    }
    [items, failures, released] = [[], [], []];
  };

  const count = (item: PlanItem): void => {
    kinds[item.kind] = (kinds[item.kind] ?? 0) + 1;
    if (item.isDeactivation) counts.deactivations += 1;
    if (item.kind === 'missing' && item.userId !== null) counts.absences += 1;
    if (item.isByDate) counts.byDate += 1;
    if (item.isEmailChange) counts.emailChanges += 1;
    if (item.rev === 0 && (item.kind === 'link' || item.kind === 'deactivate'))
      counts.newLinks += 1;
    if (item.kind === 'relink') counts.newLinks += 1;
    if (item.manager !== undefined) hasManagers = true;
    for (const warning of item.warnings ?? [])
      if (warnings.length < MAX_WARNINGS) warnings.push(`${item.sourceId}: ${warning}`);
    digest.add(item);
  };

  const addPlanned = async (
    { sourceId, record, quarantined }: PagePlan,
    planned: Planned,
  ): Promise<void> => {
    total.considered += 1;
    if (planned.kind === 'failed') {
      total.failed += 1;
      failures.push(
        quarantineOf({
          sourceId,
          label: sourceId,
          ...planned.failure,
          hash: record?.hash ?? '',
          data: record?.data ?? null,
          before: quarantined,
          runId: run.id,
          now,
        }),
      );
      if (warnings.length < MAX_WARNINGS) warnings.push(`${sourceId}: ${planned.failure.message}`);
    } else if (planned.kind === 'waiting') {
      if (quarantined && !quarantined.isIgnored && isAboutRecord(quarantined)) total.waiting += 1;
    } else if (planned.kind === 'unchanged') {
      total.unchanged += 1;
      if (quarantined) released.push(sourceId);
    } else {
      const item = quarantined ? { ...planned.item, isRetry: true as const } : planned.item;
      count(item);
      items.push(item);
    }
    if (items.length + failures.length + released.length >= PAGE) await flush();
  };

  return {
    add: (plan: PagePlan) => addPlanned(plan, plan.planned),
    addError: ({ sourceId, message }: Extract<Staged, { kind: 'error' }>) =>
      addPlanned(
        { sourceId, planned: { kind: 'unchanged' } },
        { kind: 'failed', failure: { code: 'UNREADABLE', message } },
      ),
    finish: async (groupWarnings: readonly string[]): Promise<Omit<RunPlan, 'staged'>> => {
      await flush();
      const findings = await dangers({ ...parts.counts, ...counts }, parts);
      return {
        summary: {
          digest: digest.value(),
          items: total.items,
          deactivations: counts.deactivations,
          emailChanges: counts.emailChanges,
          findings,
          warnings: [...groupWarnings.slice(0, MAX_WARNINGS), ...warnings],
          hasManagers,
        },
        unchanged: total.unchanged,
        kinds,
        failed: total.failed,
        waiting: total.waiting,
        considered: total.considered,
      };
    },
  };
};

/** Counts links only if the answer matters: there may be many. */
const dangers = async (
  counts: PlanCounts,
  { store, compiled, run, memory, now }: PlanRunParts,
): Promise<readonly GuardFinding[]> => {
  const isHarmless =
    counts.deactivations + counts.absences + counts.emailChanges + counts.duplicates === 0 &&
    (run.mode !== 'full' || counts.records > 0);
  if (isHarmless) return [];
  let [links, activeLinks] = [0, 0];
  for await (const page of store.linkPages()) {
    links += page.length;
    activeLinks += page.filter(({ state, userId }) => state === 'active' && userId !== null).length;
  }
  const facts: GuardFacts = {
    mode: run.mode,
    links,
    activeLinks,
    recent: recentOf(memory, run.id, now),
    now,
    lastRunAt: memory.lastRunAt === null ? null : new Date(memory.lastRunAt),
  };
  return findDangers(counts, facts, compiled.options.safety);
};

/** What other runs did in the last 24 hours. */
const recentOf = ({ ledger }: ConnectorMemory, runId: string, now: Date) => {
  const recent = ledger.filter(
    (entry) => entry.runId !== runId && Date.parse(entry.at) > now.getTime() - DAY_MS,
  );
  return {
    deactivations: recent.reduce((sum, { deactivations }) => sum + deactivations, 0),
    emailChanges: recent.reduce((sum, { emailChanges }) => sum + emailChanges, 0),
  };
};
