import type { Fence, GroupId, Outcome, Refusal, User, UserId } from '../../../src/plugin/api.js';
import type { Link, LinkedGroup } from '../link.js';
import { type Attributes, profileOf, profilePath } from '../mapping/attributes.js';
import { newGroupIds } from '../plan/group-names.js';
import { findManagers } from '../plan/find-users.js';
import type { PlanItem } from '../plan/plan-item.js';
import type { ApplyProgress, ConnectorStore, ItemOutcome } from './connector-store.js';
import { orderMoves } from './address-moves.js';
import type { GatewayAccess } from './gateway-access.js';
import { type Failure, quarantineOf } from './quarantine.js';
import type { PlanSummary, QuarantinedRecord, RunRecord } from './run-record.js';

export interface ApplyParts {
  readonly store: ConnectorStore;
  readonly access: GatewayAccess;
  readonly run: RunRecord;
  /** Documents of the plan, and the first one of those who leave. */
  readonly items: number;
  readonly leaversFrom: number;
  readonly hasManagers: boolean;
  readonly now: () => Date;
  readonly fence: Fence;
  readonly signal: AbortSignal;
  /** Aborts if no further item is to begin; those that have begun end. */
  readonly stop: AbortSignal;
  readonly onProgress: (progress: ApplyProgress) => void;
}

type CreatedGroup = GroupId | { readonly message: string };

/** Users of records by their id: managers who are set at once, without a second command. */
type Managers = ReadonlyMap<string, UserId>;
type ItemParts = PassParts & { readonly managers: Managers };

/** With the groups that this attempt creates: many people may need one at once. */
type PassParts = ApplyParts & { readonly created: Map<string, Promise<CreatedGroup>> };

/** Each has two documents, and one write takes up to 1,000. */
const PAGE = 400;

interface Indexed {
  readonly index: number;
  readonly item: PlanItem;
}

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
      readonly ends?: string;
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
export const applyPlan = async (given: ApplyParts): Promise<ApplyProgress> => {
  const parts: PassParts = { ...given, created: new Map() };
  const { store, run } = parts;
  let progress = await store.progress(run.id);
  if (progress.pass === 1) {
    progress = await pass(parts, progress, applyPage);
    if (progress.isCut || progress.done < parts.items) return progress;
    progress = await retryConflicts(parts, progress);
    if (!parts.hasManagers) return progress;
    progress = { ...progress, pass: 2, done: 0 };
  }
  return pass(parts, progress, setManagers);
};

/** Whether nothing of the plan is left. */
export const isApplied = (
  { items, hasManagers }: Pick<ApplyParts, 'items' | 'hasManagers'>,
  { pass: reached, done, isCut }: ApplyProgress,
): boolean => isCut !== true && (reached === 2 || !hasManagers) && done >= items;

/** Whether the apply has come past the item. */
export const isPast = (
  index: number,
  { items, leaversFrom = items }: Pick<PlanSummary, 'items' | 'leaversFrom'>,
  { pass: reached, done }: ApplyProgress,
): boolean => {
  const position = index < leaversFrom ? items - leaversFrom + index : index - leaversFrom;
  return reached === 2 || position < done;
};

interface PageResult {
  readonly links: readonly Link[];
  readonly applied: number;
  readonly failed: number;
  readonly isCut?: boolean;
  /** Writes what belongs to it besides its links. */
  readonly before: () => Promise<void>;
}

type ApplyPage = (parts: PassParts, page: readonly Indexed[]) => Promise<PageResult>;

/** Commands of the next page run while the results of the last one are written. */
const pass = async (
  parts: PassParts,
  from: ApplyProgress,
  apply: ApplyPage,
): Promise<ApplyProgress> => {
  const { store, run, fence, signal, stop } = parts;
  let progress = from;
  let writing: Promise<void> = Promise.resolve();
  let next = from.done;
  const applyNext = async (): Promise<void> => {
    signal.throwIfAborted();
    const { index, limit } = pageAt(next, parts);
    const page = await store.items(run.id, index, limit);
    const result = await apply(parts, page);
    await writing;
    next += limit;
    progress = {
      pass: from.pass,
      done: next,
      applied: progress.applied + result.applied,
      failed: progress.failed + result.failed,
      ...(result.isCut === true && { isCut: true as const }),
    };
    const reached = progress;
    writing = (async () => {
      await result.before();
      await store.putLinks(run.id, result.links, reached, fence);
    })();
    // An error is thrown by the next await.
    writing.catch(() => undefined);
    parts.onProgress(progress);
  };
  try {
    while (next < parts.items && !stop.aborted) await applyNext();
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
  { items, leaversFrom }: Pick<ApplyParts, 'items' | 'leaversFrom'>,
): { readonly index: number; readonly limit: number } => {
  const leavers = items - leaversFrom;
  const [index, end] =
    position < leavers ? [leaversFrom + position, items] : [position - leavers, leaversFrom];
  return { index, limit: Math.min(PAGE, end - index) };
};

interface ItemResult extends Indexed {
  readonly result: Applied;
}

const applyPage: ApplyPage = async (parts, page) => {
  const links = await linksOf(page, parts);
  const managers = await managersOf(page, parts);
  const results = await inParallel(page, async ({ index, item }): Promise<ItemResult> => ({
    index,
    item,
    result: parts.stop.aborted ? SKIPPED : await applyItem(item, links, { ...parts, managers }),
  }));
  return pageResult(results, links, parts);
};

/** The links of the items, and those that they end. */
const linksOf = (page: readonly Indexed[], { store }: ApplyParts) =>
  store.links([
    ...new Set(
      page.flatMap(({ item }) => [item.sourceId, ...(item.replaces ? [item.replaces] : [])]),
    ),
  ]);

const pageResult = (
  results: readonly ItemResult[],
  links: ReadonlyMap<string, Link>,
  parts: ApplyParts,
): PageResult => {
  const { store, run, fence, now } = parts;
  const written: Link[] = [];
  const ended: string[] = [];
  const outcomes: ItemOutcome[] = [];
  const failures: { readonly item: PlanItem; readonly code: string; readonly message: string }[] =
    [];
  const released: string[] = [];
  let applied = 0;
  for (const { index, item, result } of results) {
    const { sourceId } = item;
    if (result.kind === 'applied') {
      written.push(result.link);
      if (result.ends !== undefined) ended.push(result.ends);
      if (item.isRetry) released.push(sourceId);
      if (result.changed) applied += 1;
      if (result.warnings.length > 0)
        outcomes.push({
          index,
          sourceId,
          outcome: 'applied',
          code: null,
          message: result.warnings.join(' '),
        });
      continue;
    }
    const code = result.kind === 'failed' ? result.code : null;
    outcomes.push({ index, sourceId, outcome: result.kind, code, message: result.message });
    if (result.kind !== 'failed') continue;
    failures.push({ item, code: result.code, message: result.message });
    const link = links.get(sourceId);
    // It was read all the same, so it is not missing again and again.
    if (link && link.missing > item.after.missing)
      written.push({ ...link, missing: 0, missingIn: [] });
  }
  const before = async (): Promise<void> => {
    if (outcomes.length > 0) await store.putOutcomes(run.id, outcomes, fence);
    if (failures.length > 0) {
      const earlier = await store.quarantined(failures.map(({ item }) => item.sourceId));
      await store.putQuarantined(
        failures.map(({ item, code, message }) =>
          quarantined(item, {
            code,
            message,
            before: earlier.get(item.sourceId),
            runId: run.id,
            now: now(),
          }),
        ),
        { fence },
      );
    }
    if (released.length > 0) await store.release(released, fence);
    if (ended.length > 0) await store.endLinks(ended, fence);
  };
  const isCut = results.some(({ result }) => result.kind === 'skipped');
  return { links: written, applied, failed: failures.length, isCut, before };
};

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

/** The managers of new people who have users already; the others are set by the second pass. */
const managersOf = async (page: readonly Indexed[], { store }: ApplyParts): Promise<Managers> => {
  const refs = page.flatMap(({ item: { kind, manager } }) => (kind === 'create' && manager) || []);
  if (refs.length === 0) return new Map();
  const links = await store.links([...new Set(refs)]);
  return new Map([...links].flatMap(([ref, { userId }]) => (userId ? [[ref, userId]] : [])));
};

const quarantined = (
  { sourceId, label, after }: PlanItem,
  failure: Pick<Failure, 'code' | 'message' | 'before' | 'runId' | 'now'>,
): QuarantinedRecord =>
  quarantineOf({ sourceId, label, ...failure, hash: after.hash, data: after.data });

/** Applies the item if the plan still matches the link of the record. */
const applyItem = async (
  item: PlanItem,
  links: ReadonlyMap<string, Link>,
  parts: ItemParts,
): Promise<Applied> => {
  const link = links.get(item.sourceId);
  const rev = link?.rev ?? 0;
  // An earlier attempt of this run came as far as the link.
  if (link && rev === item.rev + 1 && link.hash === item.after.hash)
    return { kind: 'applied', link, changed: false, warnings: [] };
  const replaced = item.replaces === undefined ? undefined : links.get(item.replaces);
  if (rev !== item.rev || (replaced && replaced.rev !== (item.replacesRev ?? replaced.rev)))
    return { kind: 'stale', message: 'The record has changed since the plan was made.' };
  if (item.kind === 'touch' || item.kind === 'missing' || item.kind === 'future')
    return { kind: 'applied', link: item.after, changed: false, warnings: [] };
  const result = await applyToUser(item, parts);
  return 'kind' in result ? result : applyGroups(item, result, parts);
};

/** Different for each life of a link. */
const keyOf = ({ sourceId, rev, after }: PlanItem, step: string): string =>
  [sourceId, ...(after.life === undefined ? [] : [after.life]), rev, after.hash, step].join(':');

/** What the command of a user came to. */
interface UserDone {
  /** Absent: there was none, or the user is gone. */
  readonly user?: User;
  readonly changed: boolean;
  readonly hasManager?: boolean;
}

/** The one command that creates or changes the user. */
const applyToUser = async (item: PlanItem, parts: ItemParts): Promise<Failed | UserDone> => {
  const { access, managers, signal } = parts;
  const { commands, tenantId, connector, requestId } = access;
  const { kind, changes, userId } = item;
  if (userId === null) return { kind: 'failed', code: 'INTERNAL', message: 'No user is planned.' };
  const request = { tenantId, connector, requestId, signal };
  if (kind === 'create') {
    const managerId = item.manager == null ? undefined : managers.get(item.manager);
    const profile = profileOf(item.after.applied as Attributes, managerId);
    const outcome = await commands.submit({
      ...request,
      key: keyOf(item, 'create'),
      command: { type: 'user.create', userId, profile: { ...profile, active: true } as never },
    });
    // An earlier attempt may have created them without the manager.
    const hasManager = managerId !== undefined && outcome.ok && outcome.isReplay !== true;
    if (outcome.ok) return { ...doneOf(outcome), hasManager };
    // An earlier attempt created them, and another interface has deleted them since.
    const isGone = outcome.refusal.code === 'USER_NOT_FOUND';
    return { ...failureOf(outcome.refusal), ...(isGone && { code: 'USER_DELETED' }) };
  }
  if (kind === 'deactivate') {
    const outcome = await commands.submit({
      ...request,
      key: keyOf(item, 'deactivate'),
      command: { type: 'user.deactivate', userId },
    });
    // Deleted since the plan was made: they have no seat.
    if (!outcome.ok && outcome.refusal.code === 'USER_NOT_FOUND') return { changed: false };
    return outcome.ok ? doneOf(outcome) : failureOf(outcome.refusal);
  }
  if (changes.length === 0) return { changed: false };
  const outcome = await commands.submit({
    ...request,
    key: keyOf(item, 'patch'),
    command: {
      type: 'user.patch',
      userId,
      changes: changes.map(({ attribute, after }) => ({
        op: 'replace',
        path: profilePath(attribute),
        // An empty text is no value (RFC 7643, 2.5).
        value: after === '' ? null : after,
      })),
    },
  });
  return outcome.ok ? doneOf(outcome) : failureOf(outcome.refusal);
};

/** A replayed command changed something earlier in this run. */
const hasChanged = ({ changed, isReplay }: Succeeded): boolean => changed || isReplay === true;

type Succeeded<Type extends CommandTypes = CommandTypes> = Extract<Outcome<Type>, { ok: true }>;
type CommandTypes = 'user.create' | 'user.deactivate' | 'user.patch' | 'group.change';

const doneOf = (
  outcome: Succeeded<'user.create' | 'user.deactivate' | 'user.patch'>,
): UserDone => ({
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
  parts: PassParts,
): Promise<Applied> => {
  let changed = hasChangedUser;
  const groups: LinkedGroup[] = [...item.after.groups];
  const unmet: string[] = [...item.after.unmet];
  const warnings: string[] = [];
  for (const { op, name, groupId } of item.groups) {
    const result = await changeMembership(item, { op, name, groupId }, parts);
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
    deactivatedHere: user?.deactivatedBy === parts.access.connector,
    ...(user && { userVersion: user.version }),
  };
  return {
    kind: 'applied',
    changed,
    link: hasManager ? after : withPendingManager(item, after),
    ...(item.replaces !== undefined && { ends: item.replaces }),
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
  change: {
    readonly op: 'add' | 'remove';
    readonly name: string;
    readonly groupId: GroupId | null;
  },
  parts: PassParts,
): Promise<MembershipResult> => {
  const { access, signal } = parts;
  const { commands, tenantId, connector, requestId } = access;
  const { op, name } = change;
  const groupId = change.groupId ?? (await createGroupOnce(name, parts));
  if (typeof groupId !== 'string') return groupId;
  const outcome = await commands.submit({
    tenantId,
    connector,
    requestId,
    signal,
    key: keyOf(item, `${op}:${groupId}`),
    command: {
      type: 'group.change',
      groupId,
      steps: [{ op, userIds: [item.userId as UserId] }],
    },
  });
  // A membership that was there before belongs to another source.
  if (outcome.ok) return { groupId, changed: hasChanged(outcome) };
  if (op === 'remove' && outcome.refusal.code === 'GROUP_NOT_FOUND')
    return { groupId, changed: false };
  return { message: outcome.refusal.message };
};

const createGroupOnce = (name: string, parts: PassParts): Promise<CreatedGroup> => {
  const key = name.toLowerCase();
  const creating = parts.created.get(key) ?? createGroup(name, parts);
  parts.created.set(key, creating);
  return creating;
};

/** Creates the group, or returns the one that exists by now. */
const createGroup = async (
  name: string,
  { access, run, signal }: ApplyParts,
): Promise<CreatedGroup> => {
  const { commands, users, tenantId, connector, requestId } = access;
  const ids = newGroupIds(access, `${run.id}:${name}`);
  const outcome = await commands.submit({
    tenantId,
    connector,
    requestId,
    signal,
    key: `${run.id}:group:${name.toLowerCase()}`,
    command: {
      type: 'group.create',
      ...ids,
      displayName: name,
      externalId: null,
      members: [],
    },
  });
  if (outcome.ok) return ids.groupId;
  const [found] = await users.findGroups(tenantId, [name]);
  return found?.id ?? { message: outcome.refusal.message };
};

/** Refusals that end as soon as another user gives up a name or an address. */
const CONFLICTS: ReadonlySet<string> = new Set(['EMAIL_TAKEN', 'USERNAME_TAKEN']);
/** Of one run: more of them are a broken source. */
const MAX_CONFLICTS = 2_000;

/** Before they wait for hours, those are tried again whose address is free now, or in turn. */
const retryConflicts = async (parts: PassParts, before: ApplyProgress): Promise<ApplyProgress> => {
  const { store, run, fence, signal } = parts;
  let progress = before;
  const { mustGiveUp, moves } = await orderMoves(await findConflicts(parts), parts.access);
  for (const { item } of mustGiveUp) await giveUpAddress(item, parts);
  for (let from = 0; from < moves.length; from += PAGE) {
    const page = moves.slice(from, from + PAGE);
    const links = await linksOf(page, parts);
    const managers = await managersOf(page, parts);
    const results: ItemResult[] = [];
    for (const { index, item } of page) {
      signal.throwIfAborted();
      const result = await applyItem(item, links, { ...parts, managers });
      results.push({ index, item: { ...item, isRetry: true }, result });
    }
    const { links: written, applied, before: writeOthers } = pageResult(results, links, parts);
    const moved = results.filter(({ result }) => result.kind === 'applied');
    progress = {
      ...progress,
      applied: progress.applied + applied,
      failed: progress.failed - moved.length,
    };
    await writeOthers();
    await store.putLinks(run.id, written, progress, fence);
    const outcomes = moved.map(({ index, item: { sourceId } }) => ({
      index,
      sourceId,
      outcome: 'applied' as const,
      code: null,
      message: null,
    }));
    if (outcomes.length > 0) await store.putOutcomes(run.id, outcomes, fence);
  }
  return progress;
};

/** The items that were refused because of a name or an address; after a crash they are found again. */
const findConflicts = async ({ store, run }: ApplyParts): Promise<readonly Indexed[]> => {
  const found: Indexed[] = [];
  let after: number | undefined;
  do {
    const page = await store.listOutcomes(run.id, PAGE, after);
    const indexes = page.flatMap(({ index, code }) => (CONFLICTS.has(code ?? '') ? [index] : []));
    found.push(...(await store.itemsAt(run.id, indexes)));
    after = page.length < PAGE ? undefined : page.at(-1)?.index;
  } while (after !== undefined && found.length < MAX_CONFLICTS);
  return found;
};

/** For a moment the user has no address, and their id is their user name. */
const giveUpAddress = async (
  item: PlanItem,
  { access, signal }: Pick<ApplyParts, 'access' | 'signal'>,
): Promise<void> => {
  const { commands, tenantId, connector, requestId } = access;
  const { userId, changes } = item;
  if (userId === null) return;
  const moves = new Set(changes.map(({ attribute }) => attribute));
  await commands.submit({
    tenantId,
    connector,
    requestId,
    signal,
    key: keyOf(item, 'give-up'),
    command: {
      type: 'user.patch',
      userId,
      changes: [
        ...(moves.has('userName')
          ? [{ op: 'replace', path: profilePath('userName'), value: userId } as const]
          : []),
        ...(moves.has('emails')
          ? [{ op: 'replace', path: profilePath('emails'), value: null } as const]
          : []),
      ],
    },
  });
};

/** The second pass: managers may come later in the source than their people, or be each other's. */
const setManagers: ApplyPage = async (parts, page) => {
  const { store, run, fence } = parts;
  const wanted = page.filter(({ item }) => item.manager !== undefined);
  const links = await store.links(wanted.map(({ item }) => item.sourceId));
  const refs = wanted.flatMap(({ item }) => item.manager ?? []);
  const managers = await findManagers(refs, parts);
  const written: Link[] = [];
  const outcomes: ItemOutcome[] = [];
  await Promise.all(
    wanted.map(async ({ index, item }) => {
      const link = links.get(item.sourceId);
      if (link?.rev !== item.rev + 1 || link.userId === null) return;
      // Set by the first pass, or by an earlier attempt.
      if (link.manager !== null && link.manager === item.manager) return;
      const result = await setManager(item, link, managers, parts);
      written.push(result.link);
      if (result.message !== undefined)
        outcomes.push({
          index,
          sourceId: item.sourceId,
          outcome: 'applied',
          code: null,
          message: result.message,
        });
    }),
  );
  const before = async (): Promise<void> => {
    if (outcomes.length > 0) await store.putOutcomes(run.id, outcomes, fence);
  };
  return { links: written, applied: 0, failed: 0, before };
};

const setManager = async (
  item: PlanItem,
  link: Link,
  managers: ReadonlyMap<string, UserId>,
  { access, signal }: ApplyParts,
): Promise<{ readonly link: Link; readonly message?: string }> => {
  const { commands, tenantId, connector, requestId } = access;
  const wanted = item.manager ?? null;
  const managerId = wanted === null ? null : managers.get(wanted);
  if (managerId === undefined)
    return {
      link: { ...link, manager: null, unmetManager: wanted },
      message: `The manager "${wanted}" has no user.`,
    };
  const outcome = await commands.submit({
    tenantId,
    connector,
    requestId,
    signal,
    key: keyOf(item, `manager:${managerId ?? 'none'}`),
    command: {
      type: 'user.patch',
      userId: link.userId as UserId,
      changes: [
        {
          op: 'replace',
          path: profilePath('manager'),
          value: managerId === null ? null : { value: managerId },
        },
      ],
    },
  });
  return outcome.ok
    ? {
        link: { ...link, manager: wanted, unmetManager: null, userVersion: outcome.result.version },
      }
    : {
        link: { ...link, manager: null, unmetManager: wanted },
        message: `Manager: ${outcome.refusal.message}`,
      };
};
