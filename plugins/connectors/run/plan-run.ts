import { displayNameOf, type User } from '../../../src/plugin/api.js';
import { createFieldWatch, type FieldWatch } from '../guard/field-losses.js';
import { guardPlan } from '../guard/guard-plan.js';
import { identify } from '../identify/identify.js';
import { todayIn } from '../lifecycle.js';
import type { Link, LinkPresence } from '../link.js';
import { createGroupNames } from '../plan/group-names.js';
import { planAbsence, planDeferred, withClaim } from '../plan/plan-ending.js';
import type { ItemKind } from '../plan/plan-item.js';
import { type PagePlan, planLeavers, planPage, type PlanPageParts } from '../plan/plan-page.js';
import type { Planned } from '../plan/plan-record.js';
import { unchangedAmong } from '../plan/unchanged-records.js';
import type { Input, RecordInput } from '../record-input.js';
import { type Attempt, endsEither } from './attempt.js';
import { createIdSet, type IdSet } from './id-set.js';
import {
  identityPages,
  inputPages,
  inputsAmong,
  inputsOfLinks,
  type PlanParts,
  unchangedPages,
  waitingInputs,
  waitingPages,
} from './plan-inputs.js';
import { type PlanTotals, PlanWriter } from './plan-writer.js';
import type { OnlyHere, PlanSummary } from './run-record.js';

export interface RunPlan extends PlanTotals {
  readonly summary: PlanSummary;
  readonly kinds: Readonly<Partial<Record<ItemKind, number>>>;
  /** Why the first record could not be planned. */
  readonly firstFailure: string | undefined;
  readonly staged: number;
}

const MAX_WARNINGS = 20;
/** Ids in memory. More of them leave at once only if the source is broken. */
const MAX_LEAVERS = 10_000;

/** What a plan is made with. */
interface Planning {
  readonly parts: PlanParts;
  readonly page: PlanPageParts;
  readonly writer: PlanWriter;
  readonly fields: FieldWatch;
  /** Record ids that were read and are not staged. */
  readonly unchanged: IdSet;
  /** Record ids whose dates have come. */
  readonly due: IdSet;
  readonly leavers: string[];
}

/**
 * Plans a run from what it staged: first who the records are, then what is done for each, and last
 * whether that is dangerous. Memory does not grow with the number of records.
 */
export const planRun = async (attempt: Attempt): Promise<RunPlan> => {
  const parts = await partsOf(attempt);
  const planning = await startPlanning(parts);
  const { page, writer, fields } = planning;
  const staged = await planRecords(planning);
  writer.startLeavers();
  await planEnds(planning);
  const isFirst = attempt.run.mode === 'full' && parts.memory.lastSuccessAt === null;
  const onlyHere = isFirst ? await findOnlyHere(parts, page) : undefined;
  const { summary, counts } = await writer.finish();
  const { read = 0, duplicates = 0 } = attempt.run.checkpoint ?? {};
  const all = {
    ...counts,
    records: read,
    duplicates: attempt.run.mode === 'full' ? duplicates : 0,
    fields: fields.losses(),
  };
  return {
    ...writer.total,
    kinds: writer.kinds,
    firstFailure: writer.firstFailure,
    staged,
    summary: {
      ...summary,
      warnings: [...page.groups.warnings().slice(0, MAX_WARNINGS), ...summary.warnings],
      findings: await guardPlan(all, parts),
      ...(onlyHere && { onlyHere }),
    },
  };
};

const partsOf = async (attempt: Attempt): Promise<PlanParts> => {
  const { compiled, store, run } = attempt;
  const at = attempt.now();
  const { duplicates = 0, anonymousErrors = 0 } = run.checkpoint ?? {};
  return {
    ...attempt,
    signal: endsEither(attempt),
    memory: await store.memory(),
    at,
    today: todayIn(compiled.lifecycle, at),
    isRead: run.mode !== 'dates',
    isComplete: run.mode === 'full' && duplicates === 0 && anonymousErrors === 0,
  };
};

const startPlanning = async (parts: PlanParts): Promise<Planning> => {
  const { compiled, store, gateway, run, today, at, isRead, isComplete, signal } = parts;
  const unchanged = createIdSet();
  for await (const { ids } of unchangedPages(parts)) {
    signal.throwIfAborted();
    for (const id of ids) unchanged.add(id);
  }
  const shared = {
    ...{ compiled, store, gateway, today, isRead, runId: run.id, now: at },
    isForced: run.mode === 'ids' || run.mode === 'dates',
  };
  const identities = await identify(identityPages(parts), { ...shared, isComplete, unchanged });
  const { held } = await store.currentRuns();
  const marksRead = run.mode !== 'full' && held.some(({ id }) => id !== run.id);
  return {
    parts,
    page: { ...shared, identities, marksRead, groups: createGroupNames(gateway) },
    writer: new PlanWriter(parts),
    fields: createFieldWatch(compiled.named),
    unchanged,
    due: createIdSet(),
    leavers: [],
  };
};

/** Plans everybody who is employed, or will be; of those who leave, it notes the ids. */
const planRecords = async (planning: Planning): Promise<number> => {
  const { parts, page, writer, fields } = planning;
  let staged = 0;
  // A page that was read again after a crash is there twice.
  const counted = createIdSet();
  for await (const { ids, day, empty } of unchangedPages(parts)) {
    parts.signal.throwIfAborted();
    fields.readOthers(empty);
    const added = ids.filter((id) => counted.add(id));
    staged += added.length;
    if (day === parts.today) writer.addUnchanged(added.length);
    else await planInputs(await inputsOfLinks(added, parts.store), planning);
  }
  for await (const { inputs, errors, staged: read } of inputPages(parts)) {
    parts.signal.throwIfAborted();
    staged += read;
    for (const error of errors) await writer.addError(error);
    if (!parts.isRead) for (const { sourceId } of inputs) planning.due.add(sourceId);
    await planInputs(await withoutUnchanged(inputs, planning), planning);
  }
  for await (const inputs of waitingInputs(page.identities.ready, parts))
    await planInputs(inputs, planning);
  return staged;
};

/** What a complete read has not staged is not looked for again. */
const withoutUnchanged = async (
  inputs: readonly Input[],
  { parts, page, writer }: Planning,
): Promise<readonly Input[]> => {
  if (parts.run.mode !== 'delta' || page.marksRead) return inputs;
  const records = inputs.filter((input): input is RecordInput => !('isDeleted' in input));
  const settled = await unchangedAmong(records, parts);
  writer.addUnchanged(settled.size);
  return inputs.filter(({ sourceId }) => !settled.has(sourceId));
};

const planInputs = async (inputs: readonly Input[], planning: Planning): Promise<void> => {
  if (inputs.length === 0) return;
  const { plans, leavers } = await planPage(inputs, planning.page);
  planning.leavers.push(...leavers.slice(0, MAX_LEAVERS + 1 - planning.leavers.length));
  await write(inputs, plans, planning);
};

const write = async (
  inputs: readonly Input[],
  plans: readonly PagePlan[],
  { parts, fields, writer }: Planning,
): Promise<void> => {
  if (parts.isRead) await watchFields(fields, { inputs, plans, store: parts.store });
  await writer.add(plans);
};

/** Looks up the stored records of those alone that the plan changes, or takes a user from. */
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
  const before = new Map<string, string>();
  for (const { sourceId, planned } of plans) {
    if (planned.kind !== 'item') continue;
    const { rev, replaces, replacesIn } = planned.item;
    if (replaces !== undefined && replacesIn === undefined) before.set(sourceId, replaces);
    else if (rev > 0) before.set(sourceId, sourceId);
  }
  const links = await store.links.many([...new Set(before.values())]);
  for (const input of inputs) {
    if ('isDeleted' in input) continue;
    fields.read(input.data);
    const link = links.get(before.get(input.sourceId) ?? '');
    if (link) fields.compare(link.data, input.data);
  }
};

/** Plans everybody whose record says that they have left, is deleted, or is not there any more. */
const planEnds = async (planning: Planning): Promise<void> => {
  const { parts, page, writer, leavers } = planning;
  if (parts.isComplete) await forgetGone(planning);
  const known = leavers.length > MAX_LEAVERS ? null : leavers;
  for await (const inputs of inputsAmong(known, parts)) {
    parts.signal.throwIfAborted();
    await write(inputs, await planLeavers(inputs, page), planning);
  }
  if (!parts.isComplete) {
    await planDeferredEnds(planning);
    return;
  }
  for await (const links of parts.store.linkPresence.pages()) {
    parts.signal.throwIfAborted();
    await writer.add(await planAbsent(links, planning));
  }
};

/** A record that waits and that the source has no more is not tried again, once its link has ended. */
const forgetGone = async ({ parts, writer }: Planning): Promise<void> => {
  for await (const page of waitingPages(parts)) {
    const ids = page.map(({ sourceId }) => sourceId);
    const links = await parts.store.links.many(ids);
    await writer.release(ids.filter((id) => (links.get(id)?.state ?? 'left') === 'left'));
  }
};

/** Of records that this run has not read: the deactivations that earlier runs have put off. */
const planDeferredEnds = async ({
  parts,
  page,
  writer,
  unchanged,
  due,
}: Planning): Promise<void> => {
  const { store, run } = parts;
  for await (const links of store.deferredLinks()) {
    const staged = await store.stagedIds(run.id).many(links.map(({ sourceId }) => sourceId));
    const open = links.filter(
      ({ sourceId, state }) =>
        state !== 'left' &&
        !staged.has(sourceId) &&
        !unchanged.has(sourceId) &&
        // Its dates were planned already.
        !due.has(sourceId),
    );
    await writer.add(await planEndings(open, page, planDeferred));
  }
};

/** People whose record did not come; unreadable records are staged, so they are not among them. */
const planAbsent = async (
  links: readonly LinkPresence[],
  { parts, page, unchanged }: Planning,
): Promise<readonly PagePlan[]> => {
  const { store, run, compiled } = parts;
  const snapshot = run.checkpoint?.snapshot;
  const isCounted = ({ missingIn }: LinkPresence): boolean =>
    snapshot !== undefined && missingIn.includes(snapshot);
  const unread = links.filter(
    ({ state, sourceId }) => state !== 'left' && !unchanged.has(sourceId),
  );
  const staged = await store.stagedIds(run.id).many(unread.map(({ sourceId }) => sourceId));
  const missing = unread.filter((link) => !staged.has(link.sourceId) && !isCounted(link));
  const absent = await store.links.many(missing.map(({ sourceId }) => sourceId));
  return planEndings([...absent.values()], page, (link, user) =>
    planAbsence(link, user, compiled.rules, snapshot),
  );
};

/** The ends of records that say nothing themselves. */
const planEndings = async (
  links: readonly Link[],
  page: PlanPageParts,
  plan: (link: Link, user: User | undefined) => Planned,
): Promise<readonly PagePlan[]> => {
  const ids = links.flatMap(({ userId }) => userId ?? []);
  const users = await page.gateway.findUsers('id', ids);
  return links.map((link) => {
    const user = link.userId ? users.get(link.userId)?.[0] : undefined;
    const claim = page.identities.claimOn(link.userId);
    const ending = { link, claim, says: 'nothing' } as const;
    return { sourceId: link.sourceId, planned: withClaim(plan(link, user), ending, page) };
  });
};

const MAX_ONLY_HERE = 200;

/** Who is not in the source: a first plan that matches few of them may have the wrong mapping. */
const findOnlyHere = async (
  { store, gateway, signal }: PlanParts,
  { identities }: PlanPageParts,
): Promise<OnlyHere> => {
  let count = 0;
  const users: OnlyHere['users'][number][] = [];
  for await (const page of gateway.activeUsers()) {
    signal.throwIfAborted();
    const owners = await store.owners(page.map(({ id }) => id));
    const alone = page.filter(({ id }) => !identities.claimOn(id) && !owners.has(id));
    count += alone.length;
    for (const { id, profile } of alone.slice(0, MAX_ONLY_HERE - users.length))
      users.push({ id, name: displayNameOf(profile) });
  }
  return { count, users };
};
