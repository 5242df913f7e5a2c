import { nameKey, type GroupId, type Refusal, type UserId } from '../../../src/plugin/api.js';
import type { CommandOf, Outcome, User } from '../../../src/plugin/connectors-api.js';
import type { Link, LinkedGroup } from '../link.js';
import { type Attributes, profileOf, profilePath } from '../mapping/attributes.js';
import { createGroupCommand } from '../plan/group-names.js';
import type { GroupChange, ItemKind, PlanItem } from '../plan/plan-item.js';
import type { FormerRecord } from '../identify/identities.js';
import type { Attempt } from './attempt.js';
import type { Gateway } from './gateway.js';
import type { ManagerIds } from './manager-ids.js';
import type { ApplyProgress } from './plan-store.js';
import { isNewer } from './quarantine.js';
import type { PlanSummary, QuarantinedRecord } from './run-record.js';

/** What an attempt applies, and the groups that it creates: many people may need one at once. */
export type ApplyParts = ApplyRequest & {
  readonly created: Map<string, Promise<CreatedGroup>>;
  readonly managers: ManagerIds;
};

export type ApplyRequest = Pick<
  Attempt,
  'store' | 'gateway' | 'run' | 'compiled' | 'now' | 'signal' | 'stop'
> & {
  readonly plan: PlanSummary;
  readonly onProgress: (progress: ApplyProgress) => void;
};

type CreatedGroup = GroupId | { readonly message: string };

export interface Failed {
  readonly kind: 'failed';
  readonly code: string;
  readonly message: string;
}

export type Applied =
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

export const SKIPPED: Applied = { kind: 'skipped', message: 'The run was stopped before.' };

/** What is stored for the items of a page. */
export interface Stored {
  /** Of their records. */
  readonly links: ReadonlyMap<string, Link>;
  readonly waiting: ReadonlyMap<string, QuarantinedRecord>;
  /** Of the records that they replace, by connector and record id. */
  readonly replaced: ReadonlyMap<string, Link>;
  /** The records that have the users which others are to get. */
  readonly owners: ReadonlyMap<UserId, FormerRecord>;
  /** Users who are managers of new people: they are set at once, before they exist themselves. */
  readonly managers: ReadonlyMap<string, UserId>;
}

/** Kinds that give an existing user to a record. */
export const GETS_USER: ReadonlySet<ItemKind> = new Set(['link', 'relink']);

/** Whether another record than the one that is replaced has got the user since it was planned. */
const isTaken = (
  { kind, userId, sourceId, replaces }: PlanItem,
  { owners }: Stored,
  { gateway: { connector } }: ApplyParts,
): boolean => {
  const owner = GETS_USER.has(kind) && userId !== null ? owners.get(userId) : undefined;
  const allowed = [{ connector, sourceId }, replaces];
  return (
    owner !== undefined &&
    !allowed.some((one) => one?.connector === owner.connector && one.sourceId === owner.sourceId)
  );
};

/**
 * Applies the item if the plan still matches the link of the record. Links are written together with the
 * progress, so another one was written by another run.
 */
export const applyItem = async (
  item: PlanItem,
  stored: Stored,
  parts: ApplyParts,
): Promise<Applied> => {
  const rev = stored.links.get(item.sourceId)?.rev ?? 0;
  const hasMoved = rev !== item.rev || hasFormerMoved(item, stored, parts);
  const isOld = isNewer(stored.waiting.get(item.sourceId), parts.run.id);
  if (hasMoved || isOld || isTaken(item, stored, parts))
    return { kind: 'stale', message: 'The record has changed since the plan was made.' };
  if (LEAVES_USER.has(item.kind))
    return { kind: 'applied', link: item.after, changed: false, warnings: [] };
  const result = await applyToUser(item, stored, parts);
  return 'kind' in result ? result : applyGroups(item, result, parts);
};

/** Whether the record that is replaced has moved, except that this run has deferred its end. */
const hasFormerMoved = (
  { replaces }: PlanItem,
  { replaced }: Stored,
  { run }: ApplyParts,
): boolean => {
  const link = replaces && replaced.get(`${replaces.connector}:${replaces.sourceId}`);
  if (!link || link.rev === replaces.rev) return false;
  return link.rev !== replaces.rev + 1 || link.deferred?.run !== run.id;
};

/** Kinds that change only what the connector remembers. */
const LEAVES_USER: ReadonlySet<ItemKind> = new Set(['touch', 'missing', 'deferred', 'future']);

/** Different for each life of a link. */
export const keyOf = ({ sourceId, rev, after }: PlanItem, step: string): string =>
  [sourceId, after.life, rev, after.hash, step].join(':');

type Patch = CommandOf<'user.patch'>;

export const patchOf = (
  userId: UserId,
  values: readonly (readonly [string, unknown])[],
): Patch => ({
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
    const { op, name, linked } = change;
    const result = await changeMembership(item, change, parts);
    if ('message' in result) {
      warnings.push(`Group "${name}": ${result.message}`);
      // A removal that failed is tried again while the link lists the membership.
      if (linked) groups.push(linked);
      else unmet.push(name);
    } else {
      changed ||= result.changed;
      // A membership that was there before belongs to another source.
      if (op === 'add' && result.changed) groups.push(result.group);
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
  { readonly group: LinkedGroup; readonly changed: boolean } | { readonly message: string };

const changeMembership = async (
  item: PlanItem,
  { op, name, groupId: planned }: GroupChange,
  parts: ApplyParts,
): Promise<MembershipResult> => {
  const { gateway } = parts;
  const groupId = planned ?? (await createGroupOnce(name, parts));
  if (typeof groupId !== 'string') return groupId;
  const userId = item.userId as UserId;
  const outcome = await gateway.submit(keyOf(item, `${op}:${groupId}`), {
    type: 'group.change',
    groupId,
    steps: [{ op, userIds: [userId] }],
  });
  const group = { id: groupId, name };
  if (!outcome.ok) {
    const isGone = op === 'remove' && outcome.refusal.code === 'GROUP_NOT_FOUND';
    return isGone ? { group, changed: false } : { message: outcome.refusal.message };
  }
  if (op === 'remove') return { group, changed: hasChanged(outcome) };
  // The change of a group is as old as the membership that it makes, unless others followed.
  const [membership] = outcome.isReplay ? await gateway.memberships([groupId], [userId]) : [];
  const addedAt = (membership?.addedAt ?? outcome.result.updatedAt).toISOString();
  return { group: { ...group, addedAt }, changed: hasChanged(outcome) };
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
