import {
  nameKey,
  type CommandRequest,
  type GroupId,
  type JsonObject,
  type Outcome,
  type Refusal,
  type User,
  type UserId,
} from '../../../src/plugin/api.js';
import type { Link, LinkedGroup } from '../link.js';
import {
  type Attributes,
  MANAGER,
  profileOf,
  profilePath,
  profileValue,
} from '../mapping/attributes.js';
import { findManagers } from '../plan/find-managers.js';
import { createGroupCommand } from '../plan/group-names.js';
import { deferralOf } from '../plan/plan-ending.js';
import type { GroupChange, ItemKind, PlanItem } from '../plan/plan-item.js';
import type { FormerRecord } from '../identify/identities.js';
import { ownersOf } from '../identify/identify.js';
import { type AddressMoves, type Move, orderMoves, wayBack } from './address-moves.js';
import type { Attempt } from './attempt.js';
import type { ApplyProgress, IndexedItem, ItemOutcome } from './plan-store.js';
import type { Gateway } from './gateway.js';
import { createManagerIds, type ManagerIds } from './manager-ids.js';
import { isNewer, quarantineOf } from './quarantine.js';
import type { PlanSummary, QuarantinedRecord } from './run-record.js';

/** What an attempt applies, and the groups that it creates: many people may need one at once. */
type ApplyParts = ApplyRequest & {
  readonly created: Map<string, Promise<CreatedGroup>>;
  readonly managers: ManagerIds;
};

type ApplyRequest = Pick<
  Attempt,
  'store' | 'gateway' | 'run' | 'compiled' | 'now' | 'signal' | 'stop'
> & {
  readonly plan: PlanSummary;
  readonly onProgress: (progress: ApplyProgress) => void;
};

type CreatedGroup = GroupId | { readonly message: string };

/** Each has two documents, and one write takes up to 1,000. */
const PAGE = 400;

interface Failed {
  readonly kind: 'failed';
  readonly code: string;
  readonly message: string;
}

type Applied =
  | {
      readonly kind: 'applied';
      readonly link: Link;
      /** Whether a command changed the user or a membership. */
      readonly changed: boolean;
      readonly warnings: readonly string[];
    }
  | Failed
  /** The record has moved since it was planned; the next run plans it again. */
  | { readonly kind: 'stale'; readonly message: string }
  /** The run was cancelled before the item began. */
  | { readonly kind: 'skipped'; readonly message: string };

/**
 * Applies a plan, page by page, and remembers what was done. After a crash it continues where it was;
 * a command that had been carried out is not carried out again.
 */
export const applyPlan = async (given: ApplyRequest): Promise<ApplyProgress> => {
  const { store, run, plan } = given;
  let progress = await store.progress(run.id);
  const managers = createManagerIds(given, progress.done > 0);
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
  { items, leaversFrom = items }: PlanSummary,
  { pass: reached, done }: ApplyProgress,
): boolean => {
  const position = index < leaversFrom ? items - leaversFrom + index : index - leaversFrom;
  return reached === 2 || position < done;
};

interface PageResult {
  readonly links: readonly Link[];
  readonly applied: number;
  readonly failed: number;
  readonly unmetManagers?: number;
  readonly isCut?: boolean;
  /** Writes what belongs to it besides its links. */
  readonly before: () => Promise<void>;
}

type ApplyPage = (parts: ApplyParts, page: readonly IndexedItem[]) => Promise<PageResult>;

/** Commands of the next page run while the results of the last one are written. */
const pass = async (
  parts: ApplyParts,
  from: ApplyProgress,
  apply: ApplyPage,
): Promise<ApplyProgress> => {
  const { store, run, plan, signal, stop } = parts;
  let progress = from;
  let writing: Promise<void> = Promise.resolve();
  let next = from.done;
  const readAt = (position: number) => {
    const { index, limit } = pageAt(position, plan);
    const items = limit > 0 ? store.items(run.id, index, limit) : Promise.resolve([]);
    // An error is thrown when the page is wanted.
    items.catch(() => undefined);
    return { limit, items };
  };
  let reading = readAt(next);
  const applyNext = async (): Promise<void> => {
    signal.throwIfAborted();
    const { limit, items } = reading;
    const page = await items;
    // Read while this one is applied: a plan does not change.
    reading = readAt(next + limit);
    const result = await apply(parts, page);
    await writing;
    next += limit;
    progress = {
      pass: from.pass,
      done: next,
      applied: progress.applied + result.applied,
      failed: progress.failed + result.failed,
      unmetManagers: (progress.unmetManagers ?? 0) + (result.unmetManagers ?? 0),
      ...(result.isCut === true && { isCut: true as const }),
    };
    const reached = progress;
    writing = (async () => {
      await result.before();
      await store.putLinks(run.id, result.links, reached);
    })();
    // An error is thrown by the next await.
    writing.catch(() => undefined);
    parts.onProgress(progress);
  };
  try {
    while (next < plan.items && !stop.aborted) await applyNext();
    await writing;
    return progress;
  } finally {
    // After an error the caller clears what the run has stored: no write may follow.
    await writing.catch(() => undefined);
  }
};

/** Those who leave come first: others may get their seats. No page has both. */
const pageAt = (
  position: number,
  { items, leaversFrom = items }: PlanSummary,
): { readonly index: number; readonly limit: number } => {
  const leavers = items - leaversFrom;
  const [index, end] =
    position < leavers ? [leaversFrom + position, items] : [position - leavers, leaversFrom];
  return { index, limit: Math.min(PAGE, end - index) };
};

interface ItemResult extends IndexedItem {
  readonly result: Applied;
}

const applyPage: ApplyPage = async (parts, page) => {
  const stored = await storedFor(page, parts);
  const results = await inParallel(page, async ({ index, item }): Promise<ItemResult> => ({
    index,
    item,
    result: parts.stop.aborted ? SKIPPED : await applyItem(item, stored, parts),
  }));
  return pageResult(results, stored, parts);
};

/** What is stored for the items of a page. */
interface Stored {
  /** Of their records. */
  readonly links: ReadonlyMap<string, Link>;
  readonly waiting: ReadonlyMap<string, QuarantinedRecord>;
  /** Of the records that they replace, by connector and id. */
  readonly replaced: ReadonlyMap<string, Link>;
  /** The records that have the users which others are to get. */
  readonly owners: ReadonlyMap<UserId, FormerRecord>;
  /** Users who are managers of new people: they are set at once, before they exist themselves. */
  readonly managers: ReadonlyMap<string, UserId>;
}

const storedFor = async (
  page: readonly IndexedItem[],
  { store, gateway, managers }: ApplyParts,
): Promise<Stored> => {
  const wanted = page.flatMap(
    ({ item: { kind, userId } }) => (GETS_USER.has(kind) && userId) || [],
  );
  const ids = [...new Set(page.map(({ item }) => item.sourceId))];
  const [links, waiting] = [await store.links.many(ids), await store.quarantine.many(ids)];
  const replaced = await store.linksOfOwners(
    page.flatMap(({ item }) => formerOf(item, gateway) ?? []),
  );
  const refs = page.flatMap(({ item: { kind, manager } }) => (kind === 'create' && manager) || []);
  const owners = await ownersOf(wanted, { store });
  return { links, waiting, replaced, owners, managers: await managers.find(refs) };
};

/** Kinds that give an existing user to a record. */
const GETS_USER: ReadonlySet<ItemKind> = new Set(['link', 'relink']);

/** Whether another record than the one that is replaced has got the user since it was planned. */
const isTaken = (item: PlanItem, { owners }: Stored, { gateway }: ApplyParts): boolean => {
  const owner =
    GETS_USER.has(item.kind) && item.userId !== null ? owners.get(item.userId) : undefined;
  const allowed = [
    { connector: gateway.connector, sourceId: item.sourceId },
    formerOf(item, gateway),
  ];
  return (
    owner !== undefined &&
    !allowed.some((one) => one?.connector === owner.connector && one.sourceId === owner.sourceId)
  );
};

const formerOf = (
  { replaces, replacesIn }: PlanItem,
  { connector }: Pick<Gateway, 'connector'>,
): FormerRecord | undefined =>
  replaces === undefined ? undefined : { connector: replacesIn ?? connector, sourceId: replaces };

const linkOfFormer = (
  item: PlanItem,
  { replaced }: Stored,
  { gateway }: ApplyParts,
): Link | undefined => {
  const former = formerOf(item, gateway);
  return former && replaced.get(`${former.connector}:${former.sourceId}`);
};

const pageResult = async (
  results: readonly ItemResult[],
  stored: Stored,
  parts: ApplyParts,
): Promise<PageResult> => {
  const { store, run, now, gateway } = parts;
  const written: Link[] = [];
  const ended: FormerRecord[] = [];
  const outcomes: ItemOutcome[] = [];
  const failures: { readonly item: PlanItem; readonly failed: Failed }[] = [];
  const released: string[] = [];
  let applied = 0;
  for (const { index, item, result } of results) {
    const { sourceId } = item;
    if (result.kind === 'applied') {
      written.push(result.link);
      ended.push(...[formerOf(item, gateway) ?? []].flat());
      if (item.isRetry) released.push(sourceId);
      if (result.changed) applied += 1;
      if (result.warnings.length > 0)
        outcomes.push(appliedOutcome(index, item, result.warnings.join(' ')));
      continue;
    }
    const code = result.kind === 'failed' ? result.code : null;
    outcomes.push({ index, sourceId, outcome: result.kind, code, message: result.message });
    if (result.kind === 'skipped') continue;
    written.push(...(await deferFormer(item, stored, parts)));
    if (result.kind === 'stale') continue;
    failures.push({ item, failed: result });
    const link = stored.links.get(sourceId);
    // It was read all the same, so it is not missing again and again.
    if (link && link.missing > item.after.missing)
      written.push({ ...link, missing: 0, missingIn: [] });
  }
  const before = async (): Promise<void> => {
    await store.putOutcomes(run.id, outcomes);
    const earlier = await store.quarantine.many(failures.map(({ item }) => item.sourceId));
    await store.quarantine.put(
      failures.map(({ item: { sourceId, label, after }, failed: { code, message } }) =>
        quarantineOf({
          ...{ sourceId, label, code, message, hash: after.hash, data: after.data },
          before: earlier.get(sourceId),
          runId: run.id,
          now: now(),
        }),
      ),
    );
    await store.quarantine.delete(released);
    for (const { connector, sourceId } of ended) await store.linksOf(connector).delete([sourceId]);
  };
  const isCut = results.some(({ result }) => result.kind === 'skipped');
  return { links: written, applied, failed: failures.length, isCut, before };
};

/**
 * The record that the user was to be taken from has ended, and its end is not read again: it is put off,
 * and not forgotten.
 */
const deferFormer = async (
  item: PlanItem,
  stored: Stored,
  parts: ApplyParts,
): Promise<readonly Link[]> => {
  const former = item.replacesIn === undefined ? linkOfFormer(item, stored, parts) : undefined;
  const isOpen = former && former.state !== 'left' && former.rev === item.replacesRev;
  if (!isOpen || former.deferred) return [];
  const { store, compiled, run, now } = parts;
  const { deferFor } = compiled.options.safety;
  const read = await store.staged(run.id).get(former.sourceId);
  const claim = { sourceId: item.sourceId, why: 'was to take over the user' };
  return [
    {
      ...former,
      // An older plan says nothing of it any more.
      rev: former.rev + 1,
      ...(read?.kind === 'record' && { hash: read.hash, data: read.data }),
      deferred: deferralOf(claim, { why: item.why, runId: run.id, now: now(), deferFor }),
    },
  ];
};

const appliedOutcome = (
  index: number,
  { sourceId }: PlanItem,
  message: string | null,
): ItemOutcome => ({ index, sourceId, outcome: 'applied', code: null, message });

const SKIPPED: Applied = { kind: 'skipped', message: 'The run was stopped before.' };

/** As many as the gateway takes from a tenant at once; the others can still be skipped. */
const IN_PARALLEL = 200;

/** After an error nothing more begins, and what has begun ends first. */
const inParallel = async <Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> => {
  const results: Result[] = [];
  const errors: unknown[] = [];
  const left = items.entries();
  const worker = async (): Promise<void> => {
    for (const [at, item] of left) {
      if (errors.length > 0) return;
      try {
        results[at] = await work(item);
      } catch (error) {
        errors.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: IN_PARALLEL }, worker));
  if (errors.length > 0) throw errors[0];
  return results;
};

/**
 * Applies the item if the plan still matches the link of the record. Links are written together with the
 * progress, so another one was written by another run.
 */
const applyItem = async (item: PlanItem, stored: Stored, parts: ApplyParts): Promise<Applied> => {
  const rev = stored.links.get(item.sourceId)?.rev ?? 0;
  const replaced = linkOfFormer(item, stored, parts);
  const hasMoved = rev !== item.rev || (replaced && !isAsPlanned(replaced, item, parts));
  const isOld = isNewer(stored.waiting.get(item.sourceId), parts.run.id);
  if (hasMoved || isOld || isTaken(item, stored, parts))
    return { kind: 'stale', message: 'The record has changed since the plan was made.' };
  if (LEAVES_USER.has(item.kind))
    return { kind: 'applied', link: item.after, changed: false, warnings: [] };
  const result = await applyToUser(item, stored, parts);
  return 'kind' in result ? result : applyGroups(item, result, parts);
};

/** Whether the record that is replaced has not moved, except that this run has deferred its end. */
const isAsPlanned = (
  { rev, deferred }: Link,
  { replacesRev = rev }: PlanItem,
  { run }: ApplyParts,
): boolean => rev === replacesRev || (rev === replacesRev + 1 && deferred?.run === run.id);

/** Kinds that change only what the connector remembers. */
const LEAVES_USER: ReadonlySet<ItemKind> = new Set(['touch', 'missing', 'deferred', 'future']);

/** Different for each life of a link. */
const keyOf = ({ sourceId, rev, after }: PlanItem, step: string): string =>
  [sourceId, ...(after.life === undefined ? [] : [after.life]), rev, after.hash, step].join(':');

type Patch = CommandRequest<'user.patch'>['command'];

const patchOf = (userId: UserId, values: readonly (readonly [string, unknown])[]): Patch => ({
  type: 'user.patch',
  userId,
  changes: values.map(([attribute, value]) => ({
    op: 'replace',
    path: profilePath(attribute),
    value: value as never,
  })),
});

/** What the command of a user came to. */
interface UserDone {
  /** Absent: there was none, or the user is gone. */
  readonly user?: User;
  readonly changed: boolean;
  readonly hasManager?: boolean;
}

/** The one command that creates or changes the user. */
const applyToUser = async (
  item: PlanItem,
  { managers }: Stored,
  { gateway }: ApplyParts,
): Promise<Failed | UserDone> => {
  const { kind, changes, userId } = item;
  if (userId === null) return { kind: 'failed', code: 'INTERNAL', message: 'No user is planned.' };
  if (kind === 'create') {
    const managerId = item.manager == null ? undefined : managers.get(item.manager);
    const profile = profileOf(item.after.applied as Attributes, managerId);
    const outcome = await gateway.submit(keyOf(item, 'create'), {
      type: 'user.create',
      userId,
      profile: { ...profile, active: true } as never,
    });
    // An earlier attempt may have created them without the manager.
    const hasManager = managerId !== undefined && outcome.ok && outcome.isReplay !== true;
    if (outcome.ok) return { ...doneOf(outcome), hasManager };
    // An earlier attempt created them, and another interface has deleted them since.
    const isGone = outcome.refusal.code === 'USER_NOT_FOUND';
    return { ...failureOf(outcome.refusal), ...(isGone && { code: 'USER_DELETED' }) };
  }
  if (kind === 'deactivate') {
    const outcome = await gateway.submit(keyOf(item, 'deactivate'), {
      type: 'user.deactivate',
      userId,
    });
    // Deleted since the plan was made: they have no seat.
    if (!outcome.ok && outcome.refusal.code === 'USER_NOT_FOUND') return { changed: false };
    if (!outcome.ok) return failureOf(outcome.refusal);
    const given = changes.filter(({ attribute }) => attribute !== 'active');
    // Should the new address be another user's, who has left keeps the old one.
    const moved = await patchUser(item, userId, given, gateway);
    return moved && !('kind' in moved) && moved.user
      ? { ...moved, changed: true }
      : doneOf(outcome);
  }
  return (await patchUser(item, userId, changes, gateway)) ?? { changed: false };
};

/** Undefined: there is nothing to change. */
const patchUser = async (
  item: PlanItem,
  userId: UserId,
  changes: PlanItem['changes'],
  gateway: Gateway,
): Promise<Failed | UserDone | undefined> => {
  if (changes.length === 0) return undefined;
  // An empty text is no value (RFC 7643, 2.5).
  const values = changes.map(
    ({ attribute, after }) => [attribute, after === '' ? null : after] as const,
  );
  const outcome = await gateway.submit(keyOf(item, 'patch'), patchOf(userId, values));
  return outcome.ok ? doneOf(outcome) : failureOf(outcome.refusal);
};

type UserCommand = 'user.create' | 'user.deactivate' | 'user.patch';
type Succeeded<Type extends UserCommand | 'group.change'> = Extract<Outcome<Type>, { ok: true }>;

/** A replayed command changed something earlier in this run. */
const hasChanged = ({ changed, isReplay }: Succeeded<UserCommand | 'group.change'>): boolean =>
  changed || isReplay === true;

const doneOf = (outcome: Succeeded<UserCommand>): UserDone => ({
  user: outcome.result,
  changed: hasChanged(outcome),
});

const failureOf = ({ code, message, logMessage }: Refusal): Failed => ({
  kind: 'failed',
  code,
  message: logMessage ?? message,
});

/** Memberships one after another; one that fails leaves the others and the user alone. */
const applyGroups = async (
  item: PlanItem,
  { user, changed: hasChangedUser, hasManager = false }: UserDone,
  parts: ApplyParts,
): Promise<Applied> => {
  let changed = hasChangedUser;
  const groups: LinkedGroup[] = [...item.after.groups];
  const unmet: string[] = [...item.after.unmet];
  const warnings: string[] = [];
  for (const change of item.groups) {
    const { op, name, groupId } = change;
    const result = await changeMembership(item, change, parts);
    if ('message' in result) {
      warnings.push(`Group "${name}": ${result.message}`);
      // A removal that failed is tried again while the link lists the membership.
      if (op === 'remove' && groupId !== null) groups.push({ id: groupId, name });
      else unmet.push(name);
    } else {
      changed ||= result.changed;
      if (op === 'add' && result.changed) groups.push({ id: result.groupId, name });
    }
  }
  const after = {
    ...item.after,
    groups,
    unmet,
    deactivatedHere: user?.deactivatedBy === parts.gateway.connector,
    ...(user && { userVersion: user.version }),
  };
  if (item.manager !== undefined && !hasManager) parts.managers.noteUnset();
  return {
    kind: 'applied',
    changed,
    link: hasManager ? after : withPendingManager(item, after),
    warnings,
  };
};

/** Until the second pass has set the manager, nothing is known of it. */
const withPendingManager = (item: PlanItem, after: Link): Link =>
  item.manager === undefined ? after : { ...after, manager: null, unmetManager: item.manager };

type MembershipResult =
  { readonly groupId: GroupId; readonly changed: boolean } | { readonly message: string };

const changeMembership = async (
  item: PlanItem,
  { op, name, groupId: planned }: GroupChange,
  parts: ApplyParts,
): Promise<MembershipResult> => {
  const groupId = planned ?? (await createGroupOnce(name, parts));
  if (typeof groupId !== 'string') return groupId;
  const outcome = await parts.gateway.submit(keyOf(item, `${op}:${groupId}`), {
    type: 'group.change',
    groupId,
    steps: [{ op, userIds: [item.userId as UserId] }],
  });
  // A membership that was there before belongs to another source.
  if (outcome.ok) return { groupId, changed: hasChanged(outcome) };
  if (op === 'remove' && outcome.refusal.code === 'GROUP_NOT_FOUND')
    return { groupId, changed: false };
  return { message: outcome.refusal.message };
};

const createGroupOnce = (name: string, parts: ApplyParts): Promise<CreatedGroup> => {
  const key = nameKey(name);
  const creating = parts.created.get(key) ?? createGroup(name, parts);
  parts.created.set(key, creating);
  return creating;
};

/** Creates the group, or returns the one that exists by now. */
const createGroup = async (name: string, { gateway, run }: ApplyParts): Promise<CreatedGroup> => {
  const command = createGroupCommand(gateway, name, `${run.id}:${name}`);
  const outcome = await gateway.submit(`${run.id}:group:${nameKey(name)}`, command);
  if (outcome.ok) return command.groupId;
  const [found] = await gateway.findGroups([name]);
  return found?.id ?? { message: outcome.refusal.message };
};

/** Refusals that end as soon as another user gives up a name or an address. */
const CONFLICTS: ReadonlySet<string> = new Set(['EMAIL_TAKEN', 'USERNAME_TAKEN']);
/** Of one run: more of them are a broken source. */
const MAX_CONFLICTS = 2_000;

/** Before they wait for hours, those are tried again whose address is free now, or in turn. */
const retryConflicts = async (parts: ApplyParts, before: ApplyProgress): Promise<ApplyProgress> => {
  const { store, gateway, run } = parts;
  let progress = before;
  const { mustGiveUp, moves } = await orderMoves(await findConflicts(parts), gateway);
  for (const { item } of mustGiveUp) await giveUpAddress(item, parts);
  const stored = await storedFor(moves, parts);
  const results = await moveInOrder(moves, stored, parts);
  const back = await takeBack({ mustGiveUp, moves, results }, parts);
  for (let from = 0; from < results.length; from += PAGE) {
    const page = results.slice(from, from + PAGE);
    const { links, applied, before: writeOthers } = await pageResult(page, stored, parts);
    const moved = page.filter(({ result }) => result.kind === 'applied');
    progress = {
      ...progress,
      applied: progress.applied + applied,
      failed: progress.failed - moved.length,
    };
    await writeOthers();
    const returned = page.flatMap(({ item }) => {
      const link = back.has(item) ? stored.links.get(item.sourceId) : undefined;
      // The command has been carried out once: the next one needs another key.
      return link ? [{ ...link, rev: link.rev + 1 }] : [];
    });
    await store.putLinks(run.id, [...links, ...returned], progress);
    await store.putOutcomes(
      run.id,
      moved.map(({ index, item }) => appliedOutcome(index, item, null)),
    );
  }
  return progress;
};

/** One after another; what an earlier attempt of this run has applied stays. */
const moveInOrder = async (
  moves: readonly Move[],
  stored: Stored,
  parts: ApplyParts,
): Promise<ItemResult[]> => {
  const results: ItemResult[] = [];
  for (const { index, item } of moves) {
    parts.signal.throwIfAborted();
    const link = stored.links.get(item.sourceId);
    const isDone = link?.rev === item.rev + 1 && link.hash === item.after.hash;
    const result: Applied = isDone
      ? { kind: 'applied', link, changed: false, warnings: [] }
      : await applyItem(item, stored, parts);
    results.push({ index, item: { ...item, isRetry: true }, result });
  }
  return results;
};

interface Moved extends AddressMoves {
  /** In the order of the moves. */
  readonly results: ItemResult[];
}

/**
 * Gives those their address back who gave it up and did not get the other one: no user keeps a
 * temporary name. Returns the items that were undone for it.
 */
const takeBack = async (
  { mustGiveUp, moves, results }: Moved,
  parts: ApplyParts,
): Promise<ReadonlySet<PlanItem>> => {
  const undone = new Set<PlanItem>();
  const isApplied = (move: Move): boolean =>
    results[moves.indexOf(move)]?.result.kind === 'applied';
  for (const stranded of mustGiveUp) {
    if (isApplied(stranded)) continue;
    for (const move of wayBack(stranded, moves.filter(isApplied))) {
      const { userId, changes } = move.item;
      const given = changes.filter(({ attribute }) => ADDRESS.has(attribute));
      const values = given.map(({ attribute, before }) => [attribute, before] as const);
      const key = keyOf(move.item, `${parts.run.id}:take-back`);
      await parts.gateway.submit(key, patchOf(userId as UserId, values));
      const at = moves.indexOf(move);
      const moved = results[at];
      if (move === stranded || !moved) continue;
      const message = `The record ${stranded.item.sourceId} cannot change its address, so this one stays.`;
      results[at] = { ...moved, result: { kind: 'failed', code: 'EMAIL_TAKEN', message } };
      undone.add(moved.item);
    }
  }
  return undone;
};

const ADDRESS: ReadonlySet<string> = new Set(['userName', 'emails']);

/** The items that were refused because of a name or an address; after a crash they are found again. */
const findConflicts = async ({ store, run }: ApplyParts): Promise<readonly IndexedItem[]> => {
  const found: IndexedItem[] = [];
  for await (const page of store.outcomePages(run.id)) {
    const indexes = page.flatMap(({ index, code }) => (CONFLICTS.has(code ?? '') ? [index] : []));
    found.push(...(await store.itemsAt(run.id, indexes)));
    if (found.length >= MAX_CONFLICTS) break;
  }
  return found;
};

/** For a moment the user has no address, and their id is their user name. */
const giveUpAddress = async (item: PlanItem, { gateway, run }: ApplyParts): Promise<void> => {
  const { userId, changes } = item;
  if (userId === null) return;
  const moves = new Set(changes.map(({ attribute }) => attribute));
  const given = [['userName', userId] as const, ['emails', null] as const];
  await gateway.submit(
    keyOf(item, `${run.id}:give-up`),
    patchOf(
      userId,
      given.filter(([attribute]) => moves.has(attribute)),
    ),
  );
};

/**
 * The second pass, unless all managers were set by the first one: of users that were linked or changed,
 * and of those whose manager was expected to get another user, or any.
 */
const setManagers: ApplyPage = async (parts, page) => {
  const { store, gateway, run } = parts;
  const wanted = page.filter(({ item }) => item.manager !== undefined);
  const links = await store.links.many(wanted.map(({ item }) => item.sourceId));
  const refs = wanted.flatMap(({ item }) => item.manager ?? []);
  const managers = await findManagers(refs, parts);
  const users = await gateway.findUsers(
    'id',
    [...links.values()].flatMap(({ userId }) => userId ?? []),
  );
  const written: Link[] = [];
  const outcomes: ItemOutcome[] = [];
  await Promise.all(
    wanted.map(async ({ index, item }) => {
      const link = links.get(item.sourceId);
      if (link?.rev !== item.rev + 1 || link.userId === null) return;
      const [user] = users.get(link.userId) ?? [];
      const now = user && (profileValue(user.profile, MANAGER) as JsonObject | undefined)?.value;
      const managerId = item.manager == null ? null : managers.get(item.manager);
      // Set by the first pass, or by an earlier attempt.
      if (link.manager !== null && link.manager === item.manager && now === managerId) return;
      // A new user may have a manager who was not created.
      const isWrong = managerId === undefined && item.kind === 'create' && now !== undefined;
      const result = await setManager({ item, link, managerId, isWrong }, parts);
      written.push(result.link);
      if (result.message !== undefined) outcomes.push(appliedOutcome(index, item, result.message));
    }),
  );
  const before = (): Promise<void> => store.putOutcomes(run.id, outcomes);
  const unmetManagers = written.filter(({ unmetManager }) => unmetManager !== null).length;
  return { links: written, applied: 0, failed: 0, unmetManagers, before };
};

interface WantedManager {
  readonly item: PlanItem;
  readonly link: Link;
  /** Null: none; undefined: the manager has no user. */
  readonly managerId: UserId | null | undefined;
  /** Whether a manager without a user has to be removed. */
  readonly isWrong: boolean;
}

const setManager = async (
  { item, link, managerId, isWrong }: WantedManager,
  { gateway }: ApplyParts,
): Promise<{ readonly link: Link; readonly message?: string }> => {
  const wanted = item.manager ?? null;
  const unmet = { ...link, manager: null, unmetManager: wanted };
  const noUser = `The manager "${wanted}" has no user.`;
  if (managerId === undefined && !isWrong) return { link: unmet, message: noUser };
  const outcome = await gateway.submit(
    keyOf(item, `manager:${managerId ?? 'none'}`),
    patchOf(link.userId as UserId, [[MANAGER, managerId ? { value: managerId } : null]]),
  );
  if (!outcome.ok) return { link: unmet, message: `Manager: ${outcome.refusal.message}` };
  const userVersion = outcome.result.version;
  if (managerId === undefined) return { link: { ...unmet, userVersion }, message: noUser };
  return { link: { ...link, manager: wanted, unmetManager: null, userVersion } };
};
