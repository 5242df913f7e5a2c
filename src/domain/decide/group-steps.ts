import { groupEvent } from '../events.js';
import { fold } from '../fold.js';
import { type Group, rosterOf } from '../group.js';
import type { GroupId } from '../ids.js';
import { type Refusal, refuse, type RefusalDetail } from '../refusals.js';
import type { Room } from '../room.js';
import type { Asker } from './begin-job.js';
import { count } from './count.js';
import type { Facts } from './decider.js';
import { type Effect, inOrder, NO_EFFECT } from './effect.js';
import { mappedRole, recomputeRoles } from './roles.js';
import { touchRoom } from './rooms.js';

/** What is said of a group; its id is made at the edge. */
export type GroupHead = Pick<Group, 'displayName' | 'externalId'>;

/** Which group a request is in conflict with, so that a client can find it. */
export const groupInTheWay = ({ id, displayName }: Group, path = 'displayName'): RefusalDetail => ({
  path,
  message: `is taken by the group "${displayName}" with the id ${id}`,
});

/** A group's display name is unique in the tenant without regard to case (decisions.md 5). */
export const requireFreeName = (
  facts: Facts,
  displayName: string,
  { own, path }: { readonly own?: GroupId | undefined; readonly path?: string } = {},
): Refusal | undefined => {
  const namesake = facts.find('groups', 'displayName', fold(displayName));
  return namesake && namesake.id !== own
    ? refuse('GROUP_EXISTS', `Another group has the display name "${displayName}".`, {
        details: [groupInTheWay(namesake, path)],
      })
    : undefined;
};

const newGroup = (
  { now }: Facts,
  room: Room | null,
  given: GroupHead & Pick<Group, 'id' | 'tenantId'>,
): Group => ({
  ...given,
  roomId: room?.id ?? null,
  memberCount: room?.memberCount ?? 0,
  version: 1,
  pendingJob: null,
  createdAt: now,
  updatedAt: now,
});

/**
 * A group comes to be, for a room that had none or for a role alone. Who was in the room already is
 * a member from now on, and takes the role that the group gives.
 */
export const openGroup = (
  facts: Facts,
  asker: Asker,
  { room, ...given }: GroupHead & Pick<Group, 'id' | 'tenantId'> & { readonly room: Room | null },
): Effect => {
  const group = newGroup(facts, room, given);
  const role = mappedRole(facts, group.displayName);
  const { memberCount } = group;
  return inOrder(facts, [
    (now) => ({
      changes: [
        { table: 'groups', before: null, after: group },
        ...(room ? [{ table: 'rooms', before: room, after: touchRoom(room, now) } as const] : []),
        ...count(now, { groupCount: 1 }),
      ],
      events: [groupEvent('group.created', group, role)],
    }),
    (now) =>
      role === null
        ? NO_EFFECT
        : recomputeRoles(now, asker, { rosterId: rosterOf(group), memberCount }),
  ]);
};

const roomOf = (facts: Facts, { roomId }: Group): Room | undefined =>
  roomId === null ? undefined : facts.find('rooms', 'id', roomId);

/** Another name or external id for a group. */
export interface HeadChange {
  readonly before: Group;
  readonly head: GroupHead;
}

/** Gives a group another name or external id; whose roles follow from it is another step. */
export const changeHead =
  ({ before, head }: HeadChange) =>
  (facts: Facts): Effect => {
    if (before.displayName === head.displayName && before.externalId === head.externalId)
      return NO_EFFECT;
    const after = { ...before, ...head, version: before.version + 1, updatedAt: facts.now };
    const room = roomOf(facts, before);
    const changed = [
      ...(before.displayName === head.displayName ? [] : ['display_name']),
      ...(before.externalId === head.externalId ? [] : ['external_id']),
    ];
    const role = mappedRole(facts, after.displayName);
    return {
      changes: [
        { table: 'groups', before, after },
        ...(room ? [{ table: 'rooms', before: room, after: touchRoom(room, facts) } as const] : []),
      ],
      events: [groupEvent('group.updated', after, role, { changed })],
    };
  };

/** Roles follow a group's name (decisions.md 5). */
export const rolesAfterRename =
  (asker: Asker, { before, head }: HeadChange) =>
  (facts: Facts): Effect => {
    if (fold(before.displayName) === fold(head.displayName)) return NO_EFFECT;
    const roles = [before, head].map(({ displayName }) => mappedRole(facts, displayName));
    const group = facts.find('groups', 'id', before.id);
    return group && roles.some((role) => role !== null)
      ? recomputeRoles(facts, asker, {
          rosterId: rosterOf(group),
          memberCount: group.memberCount,
        })
      : NO_EFFECT;
  };
