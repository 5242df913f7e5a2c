import { displayNameOf } from '../../../src/plugin/api.js';
import type { IsoDate } from '../iso-date.js';
import { isStage, todayIn } from '../lifecycle.js';
import type { Link, LinkPresence } from '../link.js';
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
  type Tallies,
  talliesOf,
} from '../plan/guards.js';
import { type ItemKind, type PlanItem, startDigest } from '../plan/plan-item.js';
import {
  createPagePlanner,
  type Input,
  type PagePlan,
  type PagePlanner,
  type RecordInput,
} from '../plan/plan-page.js';
import { planAbsence, type Planned } from '../plan/plan-record.js';
import { unchangedAmong } from '../plan/unchanged-records.js';
import { type Attempt, endsEither } from './attempt.js';
import type { ConnectorStore, Staged, UnchangedPage } from './connector-store.js';
import { createIdSet, type IdSet } from './id-set.js';
import { PAGE } from './documents.js';
import { isAboutRecord, quarantineOf } from './quarantine.js';
import type { ConnectorMemory, OnlyHere, PlanSummary, QuarantinedRecord } from './run-record.js';

/** A run that is planned, and what follows from how it read the source. */
interface PlanParts extends Attempt {
  readonly memory: ConnectorMemory;
  /** Once for the whole plan. */
  readonly at: Date;
  readonly today: IsoDate;
  readonly isRead: boolean;
  /** Whether who is missing may have left: no record came twice, and each had an id. */
  readonly isComplete: boolean;
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
const NO_CHANGES = {
  deactivations: 0,
  absences: 0,
  byDate: 0,
  emailChanges: 0,
  newLinks: 0,
  joiners: 0,
};

/** Plans a run from what it staged; memory does not grow with the number of records. */
export const planRun = async (attempt: Attempt): Promise<RunPlan> => {
  const { compiled, store, gateway, run } = attempt;
  const at = attempt.now();
  const { duplicates = 0, anonymousErrors = 0 } = run.checkpoint ?? {};
  const parts: PlanParts = {
    ...attempt,
    signal: endsEither(attempt),
    memory: await store.memory(),
    at,
    today: todayIn(compiled.lifecycle, at),
    isRead: run.mode !== 'dates',
    isComplete: run.mode === 'full' && duplicates === 0 && anonymousErrors === 0,
  };
  const { isRead, isComplete, signal, today } = parts;
  const groups = createGroupNames(gateway);
  const unchanged = createIdSet();
  const pages = createPagePlanner({
    compiled,
    store,
    gateway,
    groups,
    runId: run.id,
    isForced: run.mode === 'ids' || run.mode === 'dates',
    isRead,
    isComplete,
    unchanged,
    today,
    now: at,
  });
  const fields = createFieldWatch(compiled.named);
  const writer = startPlan(parts);
  let stagedRecords = 0;

  /** What a complete read has not staged is not looked for again. */
  const withoutUnchanged = async (inputs: readonly Input[]): Promise<readonly Input[]> => {
    if (run.mode !== 'delta') return inputs;
    const records = inputs.filter((input): input is RecordInput => !('isDeleted' in input));
    const settled = await unchangedAmong(records, parts);
    writer.addUnchanged(settled.size);
    return inputs.filter(({ sourceId }) => !settled.has(sourceId));
  };

  const write = async (inputs: readonly Input[], plans: readonly PagePlan[]): Promise<void> => {
    if (isRead) await watchFields(fields, { inputs, plans, store });
    for (const plan of plans) await writer.add(plan);
  };

  for await (const { ids, day, empty } of unchangedPages(parts)) {
    signal.throwIfAborted();
    fields.readOthers(empty);
    // A page that was read again after a crash is there twice.
    const added = ids.filter((id) => unchanged.add(id));
    stagedRecords += added.length;
    if (day === today) writer.addUnchanged(added.length);
    else {
      const inputs = await inputsOfLinks(added, store);
      await write(inputs, await pages.plan(inputs));
    }
  }
  for await (const { inputs, errors, staged } of inputPages(parts)) {
    signal.throwIfAborted();
    stagedRecords += staged;
    for (const error of errors) await writer.addError(error);
    if (inputs.length > 0) await write(inputs, await pages.plan(await withoutUnchanged(inputs)));
  }
  const leavers = pages.leavers();
  writer.startLeavers();
  if (isComplete) await forgetGone(parts, writer.release);
  else if (leavers === null || leavers.length > 0)
    for await (const waiting of unstaged(parts)) await pages.addWaiting(waiting);
  for await (const { inputs } of leavers ? inputsAmong(leavers, parts) : allInputs(parts)) {
    signal.throwIfAborted();
    await write(inputs, await pages.planLeavers(inputs));
  }
  if (isComplete)
    for await (const links of store.linkPresence.pages()) {
      signal.throwIfAborted();
      for (const plan of await planAbsent(links, unchanged, pages, parts)) await writer.add(plan);
    }
  const isFirst = run.mode === 'full' && parts.memory.lastSuccessAt === null;
  const onlyHere = isFirst ? await findOnlyHere(parts, pages) : undefined;
  const plan = await writer.finish(groups.warnings(), fields);
  return {
    ...plan,
    summary: { ...plan.summary, ...(onlyHere && { onlyHere }) },
    staged: stagedRecords,
  };
};

const MAX_ONLY_HERE = 200;

/** Who is not in the source: a first plan that matches few of them may have the wrong mapping. */
const findOnlyHere = async (
  { store, gateway, signal }: PlanParts,
  { isNamed }: PagePlanner,
): Promise<OnlyHere> => {
  let count = 0;
  const users: OnlyHere['users'][number][] = [];
  for await (const page of gateway.activeUsers()) {
    signal.throwIfAborted();
    const owners = await store.owners(page.map(({ id }) => id));
    const alone = page.filter(({ id }) => !isNamed(id) && !owners.has(id));
    count += alone.length;
    for (const { id, profile } of alone.slice(0, MAX_ONLY_HERE - users.length))
      users.push({ id, name: displayNameOf(profile) });
  }
  return { count, users };
};

/** Looks up the stored records of those alone that the plan changes. */
const watchFields = async (
  fields: FieldWatch,
  {
    inputs,
    plans,
    store,
  }: Pick<PlanParts, 'store'> & {
    readonly inputs: readonly Input[];
    readonly plans: readonly PagePlan[];
  },
): Promise<void> => {
  const changed = plans.flatMap(({ sourceId, planned }) =>
    planned.kind === 'item' && planned.item.rev > 0 ? [sourceId] : [],
  );
  const links = await store.links.many(changed);
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

const inputPages = (parts: PlanParts): AsyncGenerator<InputPage> =>
  parts.isRead ? stagedInputs(parts) : dueInputs(parts);

/** What was read and not staged. */
const unchangedPages = async function* ({
  store,
  run,
}: PlanParts): AsyncGenerator<Pick<UnchangedPage, 'ids' | 'day' | 'empty'>> {
  // What came twice, or was read again after a crash, may be staged too; that counts.
  const mayBeStaged = run.attempt > 1 || (run.checkpoint?.duplicates ?? 0) > 0;
  for await (const pages of store.unchangedPages(run.id))
    for (const { ids, day, empty } of pages) {
      const staged = mayBeStaged ? await store.stagedIds(run.id).many(ids) : new Map();
      yield { ids: ids.filter((id) => !staged.has(id)), day, empty };
    }
};

/** Those of these records. What follows from stored dates is few, and looked up again. */
const inputsAmong = async function* (
  sourceIds: readonly string[],
  parts: PlanParts,
): AsyncGenerator<Pick<InputPage, 'inputs'>> {
  if (sourceIds.length === 0) return;
  if (!parts.isRead) yield* dueInputs(parts);
  else
    for (let from = 0; from < sourceIds.length; from += PAGE) {
      const some = sourceIds.slice(from, from + PAGE);
      const staged = await parts.store.staged(parts.run.id).many(some);
      const unstaged = some.filter((id) => !staged.has(id));
      yield {
        inputs: [
          ...[...staged.values()].flatMap(inputsOf),
          ...(await inputsOfLinks(unstaged, parts.store)),
        ],
      };
    }
};

/** Those whose dates may have come since they were read, too. */
const allInputs = async function* (parts: PlanParts): AsyncGenerator<Pick<InputPage, 'inputs'>> {
  yield* inputPages(parts);
  for await (const { ids, day } of unchangedPages(parts))
    if (day !== parts.today) yield { inputs: await inputsOfLinks(ids, parts.store) };
};

/** What was read. */
const stagedInputs = async function* ({ store, run }: PlanParts): AsyncGenerator<InputPage> {
  for await (const staged of store.staged(run.id).pages())
    yield {
      inputs: staged.flatMap(inputsOf),
      errors: staged.flatMap((one) => (one.kind === 'error' ? [one] : [])),
      staged: staged.length,
    };
};

/**
 * What is stored and changes today by its dates. While a newer record waits in quarantine, no date of
 * the older one counts; that the newer one says that the person has left does.
 */
const dueInputs = async function* ({
  store,
  compiled,
  today,
}: PlanParts): AsyncGenerator<InputPage> {
  for await (const states of store.linkStates.pages()) {
    const changing = states.filter(({ changesOn }) => changesOn !== null && changesOn <= today);
    const links = await store.links.many(changing.map(({ sourceId }) => sourceId));
    const due = [...links.values()];
    const waiting = await store.quarantine.many(due.map(({ sourceId }) => sourceId));
    const current = due.filter(({ sourceId, hash }) => {
      const newer = waiting.get(sourceId);
      return newer === undefined || newer.hash === hash;
    });
    yield { inputs: current.map(inputOfLink), errors: [], staged: 0 };
  }
  for await (const page of store.quarantine.pages()) {
    const links = await store.links.many(page.map(({ sourceId }) => sourceId));
    const left = page.filter(({ sourceId, hash, data, isIgnored }) => {
      const link = links.get(sourceId);
      const isNewer = link !== undefined && link.state !== 'left' && link.hash !== hash;
      return (
        isNewer && !isIgnored && data !== null && isStage('left', data, compiled.lifecycle, today)
      );
    });
    const inputs = left.map(({ sourceId, hash, data }) => ({ sourceId, hash, data: data ?? {} }));
    yield { inputs, errors: [], staged: 0 };
  }
};

/** Records in quarantine that the run has not read. */
const unstaged = async function* ({
  store,
  run,
}: PlanParts): AsyncGenerator<readonly QuarantinedRecord[]> {
  for await (const page of store.quarantine.pages()) {
    const ids = page.map(({ sourceId }) => sourceId);
    const staged = await store.stagedIds(run.id).many(ids);
    yield page.filter(({ sourceId }) => !staged.has(sourceId));
  }
};

/** A record that waits and that the source has no more is not tried again, once its link has ended. */
const forgetGone = async (
  parts: PlanParts,
  release: (sourceIds: readonly string[]) => Promise<void>,
): Promise<void> => {
  for await (const page of unstaged(parts)) {
    const ids = page.map(({ sourceId }) => sourceId);
    const links = await parts.store.links.many(ids);
    await release(ids.filter((id) => (links.get(id)?.state ?? 'left') === 'left'));
  }
};

const inputsOf = (staged: Staged): readonly Input[] => {
  const { sourceId } = staged;
  if (staged.kind === 'error') return [];
  if (staged.kind === 'tombstone') return [{ sourceId, isDeleted: true }];
  return [{ sourceId, data: staged.data, hash: staged.hash }];
};

/** What was read is what is stored. */
const inputsOfLinks = async (
  ids: readonly string[],
  { links }: Pick<ConnectorStore, 'links'>,
): Promise<readonly Input[]> => [...(await links.many(ids)).values()].map(inputOfLink);

const inputOfLink = ({ sourceId, data, hash }: Link): Input => ({ sourceId, data, hash });

/** People whose record did not come; unreadable records are staged, so they are not among them. */
const planAbsent = async (
  links: readonly LinkPresence[],
  unchanged: IdSet,
  { isNamed }: PagePlanner,
  { store, gateway, run, compiled }: PlanParts,
): Promise<readonly PagePlan[]> => {
  const snapshot = run.checkpoint?.snapshot;
  const unread = links.filter(
    ({ state, sourceId }) => state !== 'left' && !unchanged.has(sourceId),
  );
  const staged = await store.stagedIds(run.id).many(unread.map(({ sourceId }) => sourceId));
  const missing = unread.filter(
    (link) => !staged.has(link.sourceId) && !isCounted(link, snapshot) && !isNamed(link.userId),
  );
  const absent = [...(await store.links.many(missing.map(({ sourceId }) => sourceId))).values()];
  const ids = absent.flatMap(({ userId }) => userId ?? []);
  const users = await gateway.findUsers('id', ids);
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

const isCounted = ({ missingIn }: LinkPresence, snapshot: string | undefined): boolean =>
  snapshot !== undefined && missingIn.includes(snapshot);

/** Writes items and failures as they come, and counts them. */
const startPlan = (parts: PlanParts) => {
  const { store, run, at } = parts;
  const digest = startDigest();
  const kinds: Partial<Record<ItemKind, number>> = {};
  const warnings: string[] = [];
  let firstFailure: string | undefined;
  let items: PlanItem[] = [];
  let failures: QuarantinedRecord[] = [];
  let released: string[] = [];
  let leaversFrom = 0;
  const total = { items: 0, unchanged: 0, failed: 0, waiting: 0, considered: 0 };
  /** Records without a plan and without a failure of this run. */
  const quiet = { left: 0, waiting: 0 };
  const counts = { ...NO_CHANGES };
  const tallies: Record<string, number> = {};
  let hasManagers = false;

  const flush = async (): Promise<void> => {
    await store.putItems(run.id, total.items, items);
    total.items += items.length;
    // A plan that no operator has decided to apply leaves the quarantine alone.
    if (!run.isPlanOnly) {
      await store.quarantine.put(failures);
      await store.quarantine.delete(released);
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
    if (item.kind === 'touch' && item.rev === 0) quiet.left += 1;
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
          now: at,
        }),
      );
      if (warnings.length < MAX_WARNINGS) warnings.push(`${sourceId}: ${planned.failure.message}`);
    } else if (planned.kind === 'waiting') {
      if (quarantined && !quarantined.isIgnored) quiet.waiting += 1;
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
    addUnchanged: (records: number): void => {
      total.considered += records;
      total.unchanged += records;
    },
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
      const { read = 0, duplicates = 0 } = run.checkpoint ?? {};
      const all: PlanCounts = {
        ...counts,
        records: read,
        duplicates: run.mode === 'full' ? duplicates : 0,
        tallies,
        fields: fields.losses(),
      };
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
          warnings: [...inWords(quiet), ...groupWarnings.slice(0, MAX_WARNINGS), ...warnings],
          hasManagers,
        },
        kinds,
        firstFailure,
        ...total,
      };
    },
  };
};

/** Where the records are that a run reads and neither plans nor counts as failed. */
const inWords = ({ left, waiting }: { readonly left: number; readonly waiting: number }) => [
  ...(left === 0
    ? []
    : [`${left} ${left === 1 ? 'person' : 'people'} left before they had a user: left out.`]),
  ...(waiting === 0
    ? []
    : [`${waiting} ${waiting === 1 ? 'record waits' : 'records wait'} in quarantine.`]),
];

/** Counts links only if the answer matters: there may be many. */
const dangers = async (
  counts: PlanCounts,
  { store, compiled, run, memory, tenant, at }: PlanParts,
): Promise<readonly GuardFinding[]> => {
  const recent = recentOf(memory, run.id, at);
  const { safety } = compiled.options;
  const isEmpty = run.mode === 'full' && counts.records === 0;
  let [links, activeLinks] = [0, 0];
  if (isEmpty || needsPopulation(counts, recent, safety))
    for await (const page of store.linkStates.pages()) {
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
    seats: tenant,
    now: at,
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
