import type { Fence } from '../../../src/plugin/api.js';
import type { CompiledConnector } from '../compile-connector.js';
import { hasLeft, todayIn } from '../lifecycle.js';
import type { Link } from '../link.js';
import { createGroupNames } from '../plan/group-names.js';
import { createFieldWatch, type FieldWatch } from '../plan/field-losses.js';
import {
  addTallies,
  findDangers,
  type GuardFacts,
  type GuardFinding,
  isReactivation,
  needsPopulation,
  type PlanCounts,
  type RecentCounts,
  type Seats,
  type Tallies,
  talliesOf,
} from '../plan/guards.js';
import { startDigest } from '../plan/plan-digest.js';
import type { ItemKind, PlanItem } from '../plan/plan-item.js';
import { findUsers } from '../plan/find-users.js';
import {
  createPagePlanner,
  type Input,
  type PagePlan,
  type PagePlanner,
} from '../plan/plan-page.js';
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
  readonly seats: Seats;
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
  /** Why the first of them could not. */
  readonly firstFailure?: string | undefined;
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
  const isComplete = parts.mayInferLeavers;
  const isRead = run.mode !== 'dates';
  const isForced = run.mode === 'ids' || run.mode === 'dates';
  const pages = createPagePlanner({
    compiled,
    store,
    access,
    groups,
    runId: run.id,
    isForced,
    isRead,
    isComplete,
    today,
    now,
  });
  const fields = createFieldWatch(compiled.named);
  const writer = startPlan(parts);

  let stagedRecords = 0;

  const inputPages = isRead ? () => stagedInputs(parts) : () => dueInputs(parts, today);
  for await (const { inputs, errors, staged } of inputPages()) {
    signal.throwIfAborted();
    stagedRecords += staged;
    for (const error of errors) await writer.addError(error);
    if (inputs.length === 0) continue;
    const plans = await pages.plan(inputs);
    if (isRead) await watchFields(fields, { inputs, plans, store });
    for (const plan of plans) await writer.add(plan);
  }
  writer.startLeavers();
  if (isComplete) await forgetGone(parts, writer.release);
  else if (pages.hasLeavers())
    for await (const waiting of unstaged(parts)) await pages.addWaiting(waiting);
  if (pages.hasLeavers())
    for await (const { inputs } of inputPages()) {
      signal.throwIfAborted();
      const plans = await pages.planLeavers(inputs);
      if (isRead) await watchFields(fields, { inputs, plans, store });
      for (const plan of plans) await writer.add(plan);
    }
  if (isComplete)
    for await (const links of store.linkPages()) {
      signal.throwIfAborted();
      for (const plan of await planAbsent(links, pages, parts)) await writer.add(plan);
    }
  return { ...(await writer.finish(groups.warnings(), fields)), staged: stagedRecords };
};

/** Looks up the stored records of those alone that the plan changes. */
const watchFields = async (
  fields: FieldWatch,
  {
    inputs,
    plans,
    store,
  }: Pick<PlanRunParts, 'store'> & {
    readonly inputs: readonly Input[];
    readonly plans: readonly PagePlan[];
  },
): Promise<void> => {
  const changed = plans.flatMap(({ sourceId, planned }) =>
    planned.kind === 'item' && planned.item.rev > 0 ? [sourceId] : [],
  );
  const links = changed.length === 0 ? new Map<string, Link>() : await store.links(changed);
  for (const input of inputs) {
    if ('isDeleted' in input) continue;
    const before = links.get(input.sourceId);
    fields.read(input.data);
    if (before) fields.compare(before.data, input.data);
  }
};

interface InputPage {
  readonly inputs: readonly Input[];
  readonly errors: readonly Extract<Staged, { kind: 'error' }>[];
  readonly staged: number;
}

/** What was read. */
const stagedInputs = async function* ({ store, run }: PlanRunParts): AsyncGenerator<InputPage> {
  for await (const staged of store.stagedPages(run.id))
    yield {
      inputs: staged.flatMap((one) => (one.kind === 'error' ? [] : [inputOf(one)])),
      errors: staged.flatMap((one) => (one.kind === 'error' ? [one] : [])),
      staged: staged.length,
    };
};

/**
 * What is stored and changes today by its dates. While a newer record waits in quarantine, no date of
 * the older one counts; that the newer one says that the person has left does.
 */
const dueInputs = async function* (
  { store, compiled }: PlanRunParts,
  today: string,
): AsyncGenerator<InputPage> {
  for await (const links of store.linkPages()) {
    const due = links.filter(({ changesOn }) => changesOn !== null && changesOn <= today);
    const waiting = await store.quarantined(due.map(({ sourceId }) => sourceId));
    const current = due.filter(({ sourceId, hash }) => {
      const newer = waiting.get(sourceId);
      return newer === undefined || newer.hash === hash;
    });
    yield { inputs: current.map(inputOfLink), errors: [], staged: 0 };
  }
  for await (const page of quarantinePages(store)) {
    const links = await store.links(page.map(({ sourceId }) => sourceId));
    const left = page.filter(({ sourceId, hash, data, isIgnored }) => {
      const link = links.get(sourceId);
      const isNewer = link !== undefined && link.state !== 'left' && link.hash !== hash;
      return isNewer && !isIgnored && data !== null && hasLeft(data, compiled.lifecycle, today);
    });
    const inputs = left.map(({ sourceId, hash, data }) => ({ sourceId, hash, data: data ?? {} }));
    yield { inputs, errors: [], staged: 0 };
  }
};

const quarantinePages = async function* (
  store: ConnectorStore,
): AsyncGenerator<readonly QuarantinedRecord[]> {
  let after: string | undefined;
  do {
    const page = await store.quarantine(PAGE, after);
    if (page.length > 0) yield page;
    after = page.length < PAGE ? undefined : page.at(-1)?.sourceId;
  } while (after !== undefined);
};

/** Records in quarantine that the run has not read. */
const unstaged = async function* ({
  store,
  run,
}: PlanRunParts): AsyncGenerator<readonly QuarantinedRecord[]> {
  for await (const page of quarantinePages(store)) {
    const ids = page.map(({ sourceId }) => sourceId);
    const staged = await store.stagedMany(run.id, ids);
    yield page.filter(({ sourceId }) => !staged.has(sourceId));
  }
};

/** A record that waits and that the source has no more is not tried again, once its link has ended. */
const forgetGone = async (
  parts: PlanRunParts,
  release: (sourceIds: readonly string[]) => Promise<void>,
): Promise<void> => {
  for await (const page of unstaged(parts)) {
    const ids = page.map(({ sourceId }) => sourceId);
    const links = await parts.store.links(ids);
    await release(ids.filter((id) => (links.get(id)?.state ?? 'left') === 'left'));
  }
};

const inputOf = (staged: Exclude<Staged, { kind: 'error' }>): Input =>
  staged.kind === 'tombstone'
    ? { sourceId: staged.sourceId, isDeleted: true }
    : { sourceId: staged.sourceId, data: staged.data, hash: staged.hash };

const inputOfLink = ({ sourceId, data, hash }: Link): Input => ({ sourceId, data, hash });

/** People whose record did not come; unreadable records are staged, so they are not among them. */
const planAbsent = async (
  links: readonly Link[],
  { isNamed }: PagePlanner,
  { store, access, run, compiled, snapshot }: PlanRunParts,
): Promise<readonly PagePlan[]> => {
  const present = links.filter(({ state }) => state !== 'left');
  const staged = await store.stagedMany(
    run.id,
    present.map(({ sourceId }) => sourceId),
  );
  const absent = present.filter(
    (link) => !staged.has(link.sourceId) && !isCounted(link, snapshot) && !isNamed(link.userId),
  );
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
  let firstFailure: string | undefined;
  let items: PlanItem[] = [];
  let failures: QuarantinedRecord[] = [];
  let released: string[] = [];
  let leaversFrom = 0;
  const total = { items: 0, unchanged: 0, failed: 0, waiting: 0, considered: 0 };
  const counts = {
    ...{ deactivations: 0, absences: 0, byDate: 0, emailChanges: 0, newLinks: 0 },
    joiners: 0,
  };
  const tallies: Record<string, number> = {};
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
    // Those who have been waiting were counted when they came.
    if ((item.kind === 'create' || isReactivation(item)) && !item.isRetry) counts.joiners += 1;
    for (const key of talliesOf(item)) tallies[key] = (tallies[key] ?? 0) + 1;
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
      firstFailure ??= planned.failure.message;
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
    /** The items that follow free seats and addresses. */
    startLeavers: (): void => {
      leaversFrom = total.items + items.length;
    },
    release: async (sourceIds: readonly string[]): Promise<void> => {
      released.push(...sourceIds);
      if (released.length >= PAGE) await flush();
    },
    addError: ({ sourceId, message }: Extract<Staged, { kind: 'error' }>) =>
      addPlanned(
        { sourceId, planned: { kind: 'unchanged' } },
        { kind: 'failed', failure: { code: 'UNREADABLE', message } },
      ),
    finish: async (
      groupWarnings: readonly string[],
      fields: FieldWatch,
    ): Promise<Omit<RunPlan, 'staged'>> => {
      await flush();
      const all = { ...parts.counts, ...counts, tallies, fields: fields.losses() };
      const findings = await dangers(all, parts);
      return {
        summary: {
          digest: digest.value(),
          items: total.items,
          leaversFrom,
          deactivations: counts.deactivations,
          emailChanges: counts.emailChanges,
          tallies,
          findings,
          warnings: [...groupWarnings.slice(0, MAX_WARNINGS), ...warnings],
          hasManagers,
        },
        unchanged: total.unchanged,
        kinds,
        failed: total.failed,
        firstFailure,
        waiting: total.waiting,
        considered: total.considered,
      };
    },
  };
};

/** Counts links only if the answer matters: there may be many. */
const dangers = async (
  counts: PlanCounts,
  { store, compiled, run, memory, seats, now }: PlanRunParts,
): Promise<readonly GuardFinding[]> => {
  const recent = recentOf(memory, run.id, now);
  const { safety } = compiled.options;
  const isEmpty = run.mode === 'full' && counts.records === 0;
  let [links, activeLinks] = [0, 0];
  if (isEmpty || needsPopulation(counts, recent, safety))
    for await (const page of store.linkPages()) {
      links += page.length;
      activeLinks += page.filter(
        ({ state, userId }) => state === 'active' && userId !== null,
      ).length;
    }
  const facts: GuardFacts = {
    mode: run.mode,
    links,
    activeLinks,
    recent,
    seats,
    now,
    lastRunAt: memory.lastRunAt === null ? null : new Date(memory.lastRunAt),
  };
  return findDangers(counts, facts, safety);
};

/** What other runs did in the last 24 hours. */
const recentOf = ({ ledger }: ConnectorMemory, runId: string, now: Date): RecentCounts => {
  const recent = ledger.filter(
    (entry) => entry.runId !== runId && Date.parse(entry.at) > now.getTime() - DAY_MS,
  );
  return {
    deactivations: recent.reduce((sum, { deactivations }) => sum + deactivations, 0),
    emailChanges: recent.reduce((sum, { emailChanges }) => sum + emailChanges, 0),
    tallies: recent.reduce<Tallies>((sum, { tallies = {} }) => addTallies(sum, tallies), {}),
  };
};
