import type { CommandContext } from '../commands.js';
import type { Facts } from '../kernel/decider.js';
import { fold } from '../kernel/fold.js';
import { type Group, rosterOf } from './group.js';
import type { GroupId } from '../kernel/ids.js';
import { combineInOrder, type Effect, NO_EFFECT } from '../kernel/effect.js';
import { type Refusal, refuse, type RefusalDetail } from '../kernel/refusals.js';
import { mappedRole, recomputeRoles } from '../role/roles.js';
import { type Room, touchRoom } from '../room/room.js';
import { adjustCounts } from '../tenant/adjust-counts.js';
import { groupEvent } from './group-events.js';

export type GroupAttributes = Pick<Group, 'displayName' | 'externalId'>;

/** Names the conflicting group, so that a client can find it. */
export const conflictDetail = (
  { id, displayName }: Group,
  path = 'displayName',
): RefusalDetail => ({
  path,
  message: `is taken by the group "${displayName}" with the id ${id}`,
});

/** A group's display name is unique per tenant, case-insensitively (decisions.md 5). */
export const requireUniqueName = (
  facts: Facts,
  displayName: string,
  { groupId, path }: { readonly groupId?: GroupId | undefined; readonly path?: string } = {},
): Refusal | undefined => {
  const namesake = facts.find('groups', 'displayName', fold(displayName));
  return namesake && namesake.id !== groupId
    ? refuse('GROUP_EXISTS', `Another group has the display name "${displayName}".`, {
        details: [conflictDetail(namesake, path)],
      })
    : undefined;
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

export interface AttributeChange {
  readonly before: Group;
  readonly attributes: GroupAttributes;
}

/** Changes a group's name or external id, without the roles that follow from its name. */
export const changeAttributes =
  ({ before, attributes }: AttributeChange) =>
  (facts: Facts): Effect => {
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
          ? [{ table: 'rooms', before: room, after: touchRoom(room, facts.now) } as const]
          : []),
      ],
      events: [groupEvent('group.updated', after, role, { changed })],
    };
  };

/** Roles follow from a group's name (decisions.md 5). */
export const rolesAfterRename =
  (context: CommandContext, { before, attributes }: AttributeChange) =>
  (facts: Facts): Effect => {
    if (fold(before.displayName) === fold(attributes.displayName)) return NO_EFFECT;
    const roles = [before, attributes].map(({ displayName }) => mappedRole(facts, displayName));
    const group = facts.find('groups', 'id', before.id);
    return group && roles.some((role) => role !== null)
      ? recomputeRoles(facts, context, {
          rosterId: rosterOf(group),
          memberCount: group.memberCount,
        })
      : NO_EFFECT;
  };
