import type { CommandContext, MemberStep } from '../commands.js';
import {
  type Facts,
  combineInOrder,
  type Effect,
  NO_EFFECT,
  requireEach,
} from '../kernel/decider.js';
import { nameKey } from '../kernel/names.js';
import { type Group, groupNameKey, rosterOf, groupEvent } from './group.js';
import type { GroupId, RosterId, UserId } from '../kernel/ids.js';
import { raise, type RefusalDetail } from '../kernel/refusals.js';
import { isAnother } from '../kernel/requirements.js';
import { mappedRole, recomputeRoles } from '../role/roles.js';
import { type Room, roomNameKey, touchRoom, membershipIdOf } from '../room/room.js';
import { adjustCounts } from '../tenant/tenant-counts.js';
import { each, mapped, type Chunked } from '../kernel/chunked.js';
import type { RosterEntry } from '../job/job.js';
import type { Lookup } from '../tables.js';

export type GroupAttributes = Pick<Group, 'displayName' | 'externalId'>;

/** Names the conflicting group, so that a client can find it. */
export const conflictDetail = (
  { id, displayName }: Group,
  path = 'displayName',
): RefusalDetail => ({
  path,
  message: `is taken by the group "${displayName}" with the id ${id}`,
});

/** A group's display name is unique per tenant, ignoring case, width, white space (decisions.md 5). */
export const requireUniqueName = (
  facts: Facts,
  displayName: string,
  { groupId, path }: { readonly groupId?: GroupId | undefined; readonly path?: string } = {},
): void => {
  const namesake = facts.find('groups', 'displayName', nameKey(displayName));
  if (isAnother(namesake, groupId))
    raise('GROUP_EXISTS', `Another group has the display name "${displayName}".`, {
      details: [conflictDetail(namesake, path)],
    });
};

type NewGroup = GroupAttributes & Pick<Group, 'id' | 'tenantId'>;

const newGroup = ({ now }: Facts, room: Room | null, given: NewGroup): Group => ({
  ...given,
  roomId: room?.id ?? null,
  memberCount: room?.memberCount ?? 0,
  version: 1,
  pendingJob: null,
  createdAt: now,
  updatedAt: now,
});

/**
 * Creates a group for a room without one, or a role-only group. Members of the room become members
 * of the group and get the role that it gives.
 */
export const addGroup = (
  facts: Facts,
  context: CommandContext,
  { room, ...given }: NewGroup & { readonly room: Room | null },
): Effect => {
  const group = newGroup(facts, room, given);
  const role = mappedRole(facts, group.displayName);
  const { memberCount } = group;
  return combineInOrder(facts, [
    (current) => ({
      changes: [
        { table: 'groups', before: null, after: group },
        ...(room
          ? [{ table: 'rooms', before: room, after: touchRoom(room, current.now) } as const]
          : []),
        ...adjustCounts(current, { groupCount: 1 }),
      ],
      events: [groupEvent('group.created', group, role)],
    }),
    (current) =>
      role === null
        ? NO_EFFECT
        : recomputeRoles(current, context, { rosterId: rosterOf(group), memberCount }),
  ]);
};

interface AttributeChange {
  readonly before: Group;
  readonly attributes: GroupAttributes;
}

/**
 * The room after a change of its group. One that was created with the group has its name, and follows
 * it while it has, so that the old name is free again (decisions.md 5). A name that another room has
 * does not move.
 */
const roomAfter = (facts: Facts, room: Room, { before, attributes }: AttributeChange): Room => {
  const touched = touchRoom(room, facts.now);
  const isCreatedWithGroup =
    facts.tenant?.roomProvisioning === 'automatic' &&
    room.createdAt.getTime() === before.createdAt.getTime();
  if (!isCreatedWithGroup || roomNameKey(room) !== groupNameKey(before)) return touched;
  const namesake = facts.find('rooms', 'name', groupNameKey(attributes));
  return namesake && namesake.id !== room.id
    ? touched
    : { ...touched, name: attributes.displayName };
};

/** Changes a group's name or external id, without the roles that follow from its name. */
export const changeAttributes =
  (change: AttributeChange) =>
  (facts: Facts): Effect => {
    const { before, attributes } = change;
    const changed = [
      ...(before.displayName === attributes.displayName ? [] : ['display_name']),
      ...(before.externalId === attributes.externalId ? [] : ['external_id']),
    ];
    if (changed.length === 0) return NO_EFFECT;
    const after = { ...before, ...attributes, version: before.version + 1, updatedAt: facts.now };
    const room = before.roomId === null ? undefined : facts.find('rooms', 'id', before.roomId);
    const role = mappedRole(facts, after.displayName);
    return {
      changes: [
        { table: 'groups', before, after },
        ...(room
          ? [{ table: 'rooms', before: room, after: roomAfter(facts, room, change) } as const]
          : []),
      ],
      events: [groupEvent('group.updated', after, role, { changed })],
    };
  };

/** Roles follow from a group's name (decisions.md 5). */
export const rolesAfterRename =
  (context: CommandContext, { before, attributes }: AttributeChange) =>
  (facts: Facts): Effect => {
    if (nameKey(before.displayName) === nameKey(attributes.displayName)) return NO_EFFECT;
    const roles = [before, attributes].map(({ displayName }) => mappedRole(facts, displayName));
    const group = facts.find('groups', 'id', before.id);
    return group && roles.some((role) => role !== null)
      ? recomputeRoles(facts, context, {
          rosterId: rosterOf(group),
          memberCount: group.memberCount,
        })
      : NO_EFFECT;
  };

/** The net of a request's steps on the members of a group. */
export interface MembershipChange {
  /** Whether members that are not named stay. */
  readonly keepsOthers: boolean;
  /** Whether each named user is to be a member. */
  readonly wanted: ReadonlyMap<UserId, boolean>;
  /** Users that a step adds, even if a later step removes them: all must exist. */
  readonly named: readonly UserId[];
}

/** The last step that names a user decides (RFC 7644, 3.5.2). */
export const netMembershipChange = function* (
  steps: readonly MemberStep[],
): Chunked<MembershipChange> {
  const wanted = new Map<UserId, boolean>();
  const named = new Set<UserId>();
  let keepsOthers = true;
  for (const step of steps) {
    if (step.op === 'replace' || step.op === 'removeAll') {
      keepsOthers = false;
      wanted.clear();
    }
    if (step.op === 'removeAll') continue;
    const { op, userIds } = step;
    yield* each(userIds, (id) => {
      wanted.set(id, op !== 'remove');
      if (op !== 'remove') named.add(id);
    });
  }
  return { keepsOthers, wanted, named: [...named] };
};

const join = (userId: UserId): RosterEntry => ({ userId, action: 'join', txPermission: false });
const leave = (userId: UserId): RosterEntry => ({ userId, action: 'leave', txPermission: false });

/** The lookups of `entriesFor`. */
export const lookupsOfChange = function* (
  rosterId: RosterId,
  { keepsOthers, wanted }: MembershipChange,
): Chunked<readonly Lookup[]> {
  if (!keepsOthers) return [{ table: 'memberships', index: 'roster', key: rosterId }];
  return yield* mapped(
    wanted.keys(),
    (id) => ({ table: 'memberships', index: 'id', key: membershipIdOf(rosterId, id) }) as const,
  );
};

/**
 * The entries that make the change, without users whose membership is already as wanted. The cost
 * depends on the users named, not on the size of the group, unless the change replaces all members.
 */
export const entriesFor = function* (
  facts: Facts,
  rosterId: RosterId,
  change: MembershipChange,
): Chunked<readonly RosterEntry[]> {
  const { keepsOthers, wanted } = change;
  yield* requireEach(facts, yield* lookupsOfChange(rosterId, change), (lookup) => lookup);
  if (!keepsOthers) return yield* differenceTo(facts, rosterId, wanted);
  const entries: RosterEntry[] = [];
  yield* each(wanted, ([userId, isWanted]) => {
    const isMember =
      facts.find('memberships', 'id', membershipIdOf(rosterId, userId)) !== undefined;
    if (isMember !== isWanted) entries.push(isWanted ? join(userId) : leave(userId));
  });
  return entries;
};

const differenceTo = function* (
  facts: Facts,
  rosterId: RosterId,
  wanted: MembershipChange['wanted'],
): Chunked<readonly RosterEntry[]> {
  const current = new Set<UserId>();
  yield* each(facts.list('memberships', 'roster', rosterId), ({ userId }) => current.add(userId));
  const entries: RosterEntry[] = [];
  yield* each(wanted, ([userId, isWanted]) => {
    if (isWanted && !current.has(userId)) entries.push(join(userId));
  });
  yield* each(current, (userId) => {
    if (wanted.get(userId) !== true) entries.push(leave(userId));
  });
  return entries;
};
