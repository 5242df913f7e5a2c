import type { Fence, GroupId, Outcome, UserId } from '../../../src/plugin/api.js';
import type { Link, LinkedGroup } from '../link.js';
import { type Attributes, patchPath, profileOf } from '../mapping/attributes.js';
import { newGroupIds } from '../plan/group-names.js';
import { findUsers } from '../plan/plan-page.js';
import type { PlanItem } from '../plan/plan-item.js';
import type { ApplyProgress, ConnectorStore, ItemOutcome } from './connector-store.js';
import type { GatewayAccess } from './gateway-access.js';
import { type Failure, quarantineOf } from './quarantine.js';
import type { QuarantinedRecord, RunRecord } from './run-record.js';

export interface ApplyParts {
  readonly store: ConnectorStore;
  readonly access: GatewayAccess;
  readonly run: RunRecord;
  /** Documents of the plan. */
  readonly items: number;
  readonly hasManagers: boolean;
  readonly now: () => Date;
  readonly fence: Fence;
  readonly signal: AbortSignal;
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

type Applied =
  | {
      readonly kind: 'applied';
      readonly link: Link;
      readonly ends?: string;
      readonly warnings: readonly string[];
    }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string }
  /** The record has moved since it was planned; the next run plans it again. */
  | { readonly kind: 'stale'; readonly message: string };

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
    progress = { ...progress, pass: 2, done: 0 };
  }
  if (!parts.hasManagers) return progress;
  return pass(parts, progress, setManagers);
};

interface PageResult {
  readonly links: readonly Link[];
  readonly applied: number;
  readonly failed: number;
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
  const { store, run, fence, signal } = parts;
  let progress = from;
  let writing: Promise<void> = Promise.resolve();
  let next = from.done;
  while (next < parts.items) {
    signal.throwIfAborted();
    const limit = Math.min(PAGE, parts.items - next);
    const page = await store.items(run.id, next, limit);
    const result = await apply(parts, page);
    await writing;
    next += limit;
    progress = {
      pass: from.pass,
      done: next,
      applied: progress.applied + result.applied,
      failed: progress.failed + result.failed,
    };
    const reached = progress;
    writing = (async () => {
      await result.before();
      await store.putLinks(run.id, result.links, reached, fence);
    })();
    // An error is thrown by the next await.
    writing.catch(() => undefined);
    parts.onProgress(progress);
  }
  await writing;
  return progress;
};

const applyPage: ApplyPage = async (parts, page) => {
  const { store, run, fence, now } = parts;
  const ids = page.map(({ item }) => item.sourceId);
  const links = await store.links(ids);
  const managers = await managersOf(page, parts);
  const results = await Promise.all(
    page.map(async ({ index, item }) => ({
      index,
      item,
      result: await applyItem(item, links.get(item.sourceId), { ...parts, managers }),
    })),
  );
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
      if (item.kind !== 'touch') applied += 1;
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
    if (result.kind === 'failed')
      failures.push({ item, code: result.code, message: result.message });
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
  return { links: written, applied, failed: failures.length, before };
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

/** Whether the plan still fits what the connector knows of the record. */
const applyItem = async (
  item: PlanItem,
  link: Link | undefined,
  parts: ItemParts,
): Promise<Applied> => {
  const rev = link?.rev ?? 0;
  // An earlier attempt of this run came as far as the link.
  if (link && rev === item.rev + 1 && link.hash === item.after.hash)
    return { kind: 'applied', link, warnings: [] };
  if (rev !== item.rev)
    return { kind: 'stale', message: 'The record has changed since the plan was made.' };
  if (item.kind === 'touch' || item.kind === 'missing' || item.kind === 'future')
    return { kind: 'applied', link: item.after, warnings: [] };
  const result = await applyToUser(item, parts);
  if (result && 'kind' in result) return result;
  return applyGroups(item, parts, result?.hasManager);
};

const keyOf = ({ sourceId, rev, after }: PlanItem, step: string): string =>
  `${sourceId}:${rev}:${after.hash}:${step}`;

/** The one command that creates or changes the user; undefined: it is done. */
const applyToUser = async (
  item: PlanItem,
  parts: ItemParts,
): Promise<Applied | { readonly hasManager: boolean } | undefined> => {
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
    return failureOf(outcome) ?? { hasManager };
  }
  if (kind === 'deactivate') {
    const outcome = await commands.submit({
      ...request,
      key: keyOf(item, 'deactivate'),
      command: { type: 'user.deactivate', userId },
    });
    // Deleted meanwhile: they have no seat.
    return !outcome.ok && outcome.refusal.code === 'USER_NOT_FOUND'
      ? undefined
      : failureOf(outcome);
  }
  if (changes.length === 0) return undefined;
  return failureOf(
    await commands.submit({
      ...request,
      key: keyOf(item, 'patch'),
      command: {
        type: 'user.patch',
        userId,
        operations: changes.map(({ attribute, after }) =>
          after === null
            ? { op: 'remove', path: patchPath(attribute) }
            : { op: 'replace', path: patchPath(attribute), value: after },
        ),
      },
    }),
  );
};

const failureOf = (outcome: Outcome): Applied | undefined =>
  outcome.ok
    ? undefined
    : {
        kind: 'failed',
        code: outcome.refusal.code,
        message: outcome.refusal.logMessage ?? outcome.refusal.message,
      };

/** Memberships one after another; one that fails leaves the others and the user alone. */
const applyGroups = async (
  item: PlanItem,
  parts: PassParts,
  hasManager = false,
): Promise<Applied> => {
  const groups: LinkedGroup[] = [...item.after.groups];
  const unmet: string[] = [...item.after.unmet];
  const warnings: string[] = [];
  for (const { op, name, groupId } of item.groups) {
    const result = await changeMembership(item, { op, name, groupId }, parts);
    if ('message' in result) {
      warnings.push(`Group "${name}": ${result.message}`);
      // A removal that failed is tried again while the connector knows of the membership.
      if (op === 'remove' && groupId !== null) groups.push({ id: groupId, name });
      else unmet.push(name);
    } else if (op === 'add' && result.isOurs) groups.push({ id: result.groupId, name });
  }
  const after = { ...item.after, groups, unmet };
  return {
    kind: 'applied',
    link: hasManager ? after : withPendingManager(item, after),
    ...(item.replaces !== undefined && { ends: item.replaces }),
    warnings,
  };
};

/** Until the second pass has set the manager, nothing is known of it. */
const withPendingManager = (item: PlanItem, after: Link): Link =>
  item.manager === undefined ? after : { ...after, manager: null, unmetManager: item.manager };

type MembershipResult =
  { readonly groupId: GroupId; readonly isOurs: boolean } | { readonly message: string };

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
  if (outcome.ok) return { groupId, isOurs: outcome.changed || outcome.isReplay === true };
  if (op === 'remove' && outcome.refusal.code === 'GROUP_NOT_FOUND')
    return { groupId, isOurs: false };
  return { message: outcome.refusal.message };
};

const createGroupOnce = (name: string, parts: PassParts): Promise<CreatedGroup> => {
  const key = name.toLowerCase();
  const creating = parts.created.get(key) ?? createGroup(name, parts);
  parts.created.set(key, creating);
  return creating;
};

/** One that exists meanwhile is found. */
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
  const path = patchPath('manager');
  const outcome = await commands.submit({
    tenantId,
    connector,
    requestId,
    signal,
    key: keyOf(item, `manager:${managerId ?? 'none'}`),
    command: {
      type: 'user.patch',
      userId: link.userId as UserId,
      operations: [
        managerId === null
          ? { op: 'remove', path }
          : { op: 'replace', path, value: { value: managerId } },
      ],
    },
  });
  return outcome.ok
    ? { link: { ...link, manager: wanted, unmetManager: null } }
    : {
        link: { ...link, manager: null, unmetManager: wanted },
        message: `Manager: ${outcome.refusal.message}`,
      };
};

/** By record id, else by external id, user name or e-mail address. */
const findManagers = async (
  refs: readonly string[],
  { store, access }: ApplyParts,
): Promise<ReadonlyMap<string, UserId>> => {
  const unique = [...new Set(refs)];
  const found = new Map<string, UserId>();
  for (const [ref, { userId }] of await store.links(unique)) if (userId) found.set(ref, userId);
  for (const by of ['externalId', 'userName', 'email'] as const) {
    const open = unique.filter((ref) => !found.has(ref));
    const users = await findUsers(access, access.tenantId, by, open);
    for (const ref of open) {
      const matches = users.get(by === 'externalId' ? ref : ref.toLowerCase()) ?? [];
      const [user] = matches;
      if (user && matches.length === 1) found.set(ref, user.id);
    }
  }
  return found;
};
