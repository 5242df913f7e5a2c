import { displayNameOf, type User } from '../../../src/plugin/connectors-api.js';
import { guardPlan } from '../guard/guard-plan.js';
import { identify } from '../identify/identify.js';
import { todayIn } from '../lifecycle.js';
import type { Link } from '../link.js';
import { GroupNames } from '../plan/group-names.js';
import { planAbsence, planDeferred, withClaim } from '../plan/plan-ending.js';
import { type PagePlan, planPage, type PlanPageParts } from '../plan/plan-page.js';
import type { Planned } from '../plan/plan-record.js';
import { unchangedAmong } from '../plan/unchanged-records.js';
import type { Input, RecordInput } from '../record-input.js';
import { type Attempt, endsEither } from './attempt.js';
import { PAGE } from './documents.js';
import { createIdSet, type IdSet } from '../id-set.js';
import type { LinkPresence } from './link-store.js';
import {
  identityPages,
  inputsOf,
  inputsOfLinks,
  type PlanParts,
  unchangedPages,
  waitingInputs,
  waitingPages,
} from './plan-inputs.js';
import { PlanWriter } from './plan-writer.js';
import type { OnlyHere, PlanSummary } from './run-record.js';

export type RunPlan = Awaited<ReturnType<typeof planRun>>;

const MAX_WARNINGS = 20;

/** What a plan is made with. */
interface Planning {
  readonly parts: PlanParts;
  readonly page: PlanPageParts;
  readonly writer: PlanWriter;
  /** Record ids that were read and are not staged. */
  readonly unchanged: IdSet;
}

/**
 * Plans a run from what it staged: first who the records are, then what is done for each, and last
 * whether that is dangerous. Memory does not grow with the number of records.
 */
export const planRun = async (attempt: Attempt) => {
  const { run } = attempt;
  const parts = await partsOf(attempt);
  const planning = await startPlanning(parts);
  const { page, writer } = planning;
  const staged = await planRecords(planning);
  if (parts.isComplete) await planGone(planning);
  else await planDeferredEnds(planning);
  const isFirst = run.mode === 'full' && parts.memory.lastSuccessAt === null;
  const onlyHere = isFirst ? await findOnlyHere(parts, page) : undefined;
  const { summary, counts, totals } = await writer.finish();
  const { read = 0, duplicates = 0 } = run.checkpoint ?? {};
  const all = { ...counts, records: read, duplicates: run.mode === 'full' ? duplicates : 0 };
  return {
    ...totals,
    staged,
    summary: {
      ...summary,
      warnings: [...page.groups.warnings.slice(0, MAX_WARNINGS), ...summary.warnings],
      findings: await guardPlan(all, parts),
      ...(onlyHere && { onlyHere }),
    } satisfies PlanSummary,
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
  const page = { ...shared, identities, marksRead, groups: new GroupNames(gateway) };
  return { parts, page, writer: new PlanWriter(parts), unchanged };
};

/** Plans the records that were read, and those that can be used since. Returns how many were read. */
const planRecords = async ({ parts, page, writer }: Planning): Promise<number> => {
  const { store, run, signal, today } = parts;
  let staged = 0;
  // A page that was read again after a crash is there twice.
  const counted = createIdSet();
  for await (const { ids, day, empty } of unchangedPages(parts)) {
    signal.throwIfAborted();
    const added = ids.filter((id) => counted.add(id));
    staged += added.length;
    if (day === today) writer.addUnchanged(added.length, empty);
    else await writer.add(await planPage(await inputsOfLinks(added, store), page));
  }
  for await (const read of store.staged(run.id).pages()) {
    signal.throwIfAborted();
    staged += read.length;
    for (const one of read) if (one.kind === 'error') await writer.addError(one);
    const inputs = await withoutUnchanged(read.flatMap(inputsOf), parts, { page, writer });
    await writer.add(await planPage(inputs, page));
  }
  for await (const inputs of waitingInputs(page.identities.ready, parts))
    await writer.add(await planPage(inputs, page));
  const { vacating } = page.identities;
  for (let from = 0; from < vacating.length; from += PAGE) {
    const inputs = await inputsOfLinks(vacating.slice(from, from + PAGE), store);
    await writer.add(await planPage(inputs, { ...page, isForced: true }));
  }
  return staged;
};

/** What a complete read has not staged is not looked for again. */
const withoutUnchanged = async (
  inputs: readonly Input[],
  parts: PlanParts,
  { page, writer }: Pick<Planning, 'page' | 'writer'>,
): Promise<readonly Input[]> => {
  if (parts.run.mode !== 'delta' || page.marksRead) return inputs;
  const records = inputs.filter((input): input is RecordInput => !('isDeleted' in input));
  const settled = await unchangedAmong(records, parts);
  writer.addUnchanged(settled.size);
  return inputs.filter(({ sourceId }) => !settled.has(sourceId));
};

/** People whose record a complete read does not have: unreadable ones are staged, so they are there. */
const planGone = async (planning: Planning): Promise<void> => {
  const { parts, page, writer } = planning;
  const { store, run, compiled, signal } = parts;
  await forgetGone(planning);
  const snapshot = run.checkpoint?.snapshot;
  const isCounted = ({ missingIn }: LinkPresence): boolean =>
    snapshot !== undefined && missingIn.includes(snapshot);
  for await (const links of store.linkPresence.pages()) {
    signal.throwIfAborted();
    const unread = await unreadAmong(links, planning);
    const missing = unread.filter((link) => !isCounted(link));
    const absent = await store.links.many(missing.map(({ sourceId }) => sourceId));
    const plans = await planEndings([...absent.values()], page, (link, user) =>
      planAbsence(link, user, compiled.rules, snapshot),
    );
    await writer.add(plans);
  }
};

/** A record that waits and that the source has no more is not tried again, once its link has ended. */
const forgetGone = async ({ parts, writer }: Planning): Promise<void> => {
  for await (const page of waitingPages(parts)) {
    const ids = page.map(({ sourceId }) => sourceId);
    const links = await parts.store.linkStates.many(ids);
    await writer.release(ids.filter((id) => (links.get(id)?.state ?? 'left') === 'left'));
  }
};

/** Of records that this run has not read: the deactivations that earlier runs have put off. */
const planDeferredEnds = async (planning: Planning): Promise<void> => {
  const { parts, page, writer } = planning;
  for await (const links of parts.store.deferredLinks())
    await writer.add(await planEndings(await unreadAmong(links, planning), page, planDeferred));
};

/** The links that have not ended, of records that the run has not read. */
const unreadAmong = async <OfRecord extends Pick<Link, 'sourceId' | 'state'>>(
  links: readonly OfRecord[],
  { parts: { store, run }, unchanged }: Planning,
): Promise<readonly OfRecord[]> => {
  const open = links.filter(({ sourceId, state }) => state !== 'left' && !unchanged.has(sourceId));
  const staged = await store.stagedIds(run.id).many(open.map(({ sourceId }) => sourceId));
  return open.filter(({ sourceId }) => !staged.has(sourceId));
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
    return {
      sourceId: link.sourceId,
      planned: withClaim(plan(link, user), { link, says: 'nothing' }, page),
    };
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
