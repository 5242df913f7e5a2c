import type { CreateGroup, MemberStep } from '../commands.js';
import { groupEvent } from '../events.js';
import { fold } from '../fold.js';
import { type Group, rosterOf } from '../group.js';
import type { UserId } from '../ids.js';
import { type Refusal, refuse } from '../refusals.js';
import type { Room } from '../room.js';
import type { Need } from '../tables.js';
import type { Tenant } from '../tenant.js';
import { memberHolderOf } from './change-members.js';
import { count } from './count.js';
import type { Decider, Facts } from './decider.js';
import { type Effect, inOrder } from './effect.js';
import {
  changeHead,
  type GroupHead,
  groupInTheWay,
  openGroup,
  requireFreeName,
  rolesAfterRename,
} from './group-steps.js';
import { changeMembersOf, clearRoster } from './large-change.js';
import { entriesOf, needsOfWish, readWish } from './member-wish.js';
import { missingUsers, needsOfUsers } from './missing-users.js';
import { requireEach } from './require-each.js';
import { mappedRole } from './roles.js';
import { noSuchGroup } from './room-view.js';
import { newRoom, touchRoom } from './rooms.js';
import { holderNeeds, holderOf, isBusy, postponed } from './roster.js';
import { noSuchTenant, requireVersion } from './user-steps.js';

const noRoom = (displayName: string): Refusal =>
  refuse(
    'ROOM_NOT_FOUND',
    `No room is named "${displayName}", and no role mapping applies to a group of this name. ` +
      'Ask your operator for the room, or for a role mapping.',
  );

const noMapping = (displayName: string): Refusal =>
  refuse(
    'ROOM_NOT_FOUND',
    'A group without a room can only take a name that has a role mapping, and none applies to ' +
      `"${displayName}". Ask your operator for one.`,
  );

const roomHasGroup = (room: Room, group: Group): Refusal =>
  refuse('GROUP_EXISTS', `The room "${room.name}" already has a group.`, {
    details: [groupInTheWay(group)],
  });

/** An unknown id among members is refused, never passed over (decisions.md 5). */
const unknownMembers = (missing: ReadonlySet<UserId>): Refusal | undefined => {
  const [first] = missing;
  if (first === undefined) return undefined;
  return refuse('INVALID_REQUEST', `No user has the id "${first}". Nothing was changed.`, {
    scimType: 'invalidValue',
    details: [...missing].slice(0, 100).map((id) => ({
      path: 'members',
      message: `no user has the id ${id}`,
    })),
  });
};

/** What a new group stands on: a room, a room that is made for it, or a role mapping. */
type Ground =
  { readonly room: Room | null; readonly isNew: boolean } | { readonly refusal: Refusal };

/**
 * A group needs a room of its name that has no group yet; without such a room, a role mapping that
 * applies to its name lets it exist by itself (interface.md, SCIM 2.0 interface). If the tenant
 * provisions rooms automatically, the missing room is created (decisions.md 5).
 */
const requireRoomOrRoleMapping = (
  facts: Facts,
  tenant: Tenant,
  { displayName, roomId }: Pick<CreateGroup, 'displayName' | 'roomId'>,
): Ground => {
  const room = facts.find('rooms', 'name', fold(displayName));
  if (room) {
    const group = facts.find('groups', 'roster', room.id);
    return group ? { refusal: roomHasGroup(room, group) } : { room, isNew: false };
  }
  if (mappedRole(facts, displayName) !== null) return { room: null, isNew: false };
  return tenant.roomProvisioning === 'automatic'
    ? { room: newRoom(facts, tenant, { id: roomId, name: displayName }), isNew: true }
    : { refusal: noRoom(displayName) };
};

const nameNeeds = (displayName: string): readonly Need[] => [
  { table: 'groups', index: 'displayName', key: fold(displayName) },
  { table: 'rooms', index: 'name', key: fold(displayName) },
];

export const createGroup: Decider<'group.create'> = {
  needs: ({ displayName, members }) => [...nameNeeds(displayName), ...needsOfUsers(members)],
  decide: function* (envelope, facts) {
    const { groupId, displayName, externalId, members } = envelope.command;
    const { tenant } = facts;
    if (!tenant) return noSuchTenant();
    const taken = requireFreeName(facts, displayName);
    if (taken) return { refusal: taken };
    const ground = requireRoomOrRoleMapping(facts, tenant, envelope.command);
    if ('refusal' in ground) return ground;
    const unknown = unknownMembers(yield* missingUsers(facts, { wanted: members }));
    if (unknown) return { refusal: unknown };
    const { room, isNew } = ground;
    if (room && isBusy({ room, group: null })) return postponed();
    const rosterId = room?.id ?? groupId;
    const wish = yield* readWish([{ op: 'add', userIds: members }]);
    const entries = yield* entriesOf(facts, rosterId, wish);
    const effect = inOrder(facts, [
      (now) => ({
        changes: isNew
          ? [{ table: 'rooms', before: null, after: room }, ...count(now, { roomCount: 1 })]
          : [],
        events: [],
      }),
      (now) =>
        openGroup(now, envelope, {
          id: groupId,
          tenantId: tenant.id,
          room,
          displayName,
          externalId,
        }),
      (now) => changeMembersOf(now, envelope, { rosterId, entries }),
    ]);
    return resultOf(facts, effect, groupId);
  },
  recall: ({ groupId }, facts) => facts.find('groups', 'id', groupId),
};

/** The effect, with the group as it leaves it. */
const resultOf = (facts: Facts, effect: Effect, groupId: Group['id']) => {
  const changed = effect.changes.flatMap(({ table, after }) =>
    table === 'groups' && after?.id === groupId ? [after] : [],
  );
  const group = changed.at(-1) ?? facts.find('groups', 'id', groupId);
  return group ? { ...effect, result: group } : noSuchGroup();
};

/** A role-only group may only take a name to which a role mapping applies (decisions.md 5). */
const requireName = (
  facts: Facts,
  before: Group,
  { displayName }: GroupHead,
): Refusal | undefined =>
  fold(displayName) === fold(before.displayName)
    ? undefined
    : (requireFreeName(facts, displayName, { own: before.id }) ??
      (before.roomId === null && mappedRole(facts, displayName) === null
        ? noMapping(displayName)
        : undefined));

/** Whom the steps are about: those of them who are few are looked at in any case. */
const namedIn = (steps: readonly MemberStep[]): readonly UserId[] =>
  steps.flatMap((step) => ('userIds' in step ? step.userIds : []));

export const changeGroup: Decider<'group.change'> = {
  needs: ({ groupId, displayName, steps }) => [
    { table: 'groups', index: 'id', key: groupId },
    ...(displayName === undefined ? [] : nameNeeds(displayName).slice(0, 1)),
    ...needsOfUsers(namedIn(steps)),
  ],
  decide: function* (envelope, facts) {
    const { groupId, ifMatch, steps, displayName, externalId } = envelope.command;
    const group = facts.find('groups', 'id', groupId);
    if (!group) return noSuchGroup();
    const head: GroupHead = {
      displayName: displayName ?? group.displayName,
      externalId: externalId === undefined ? group.externalId : externalId,
    };
    const stale = requireVersion(group, ifMatch);
    if (stale) return { refusal: stale };
    const wish = yield* readWish(steps);
    const rosterId = rosterOf(group);
    // All at once, for each time of asking is a way to the database.
    if (steps.length > 0) {
      const needs = [...holderNeeds(rosterId), ...(yield* needsOfWish(rosterId, wish))];
      yield* requireEach(facts, needs, (need) => need);
    }
    const refusal = requireName(facts, group, head);
    if (refusal) return { refusal };
    const unknown = unknownMembers(yield* missingUsers(facts, { wanted: wish.named }));
    if (unknown) return { refusal: unknown };
    // Whether there is anything to do shows only when the job is through.
    if (steps.length > 0 && isBusy(holderOf(facts, rosterId))) return postponed();
    const entries = yield* entriesOf(facts, rosterId, wish);
    const effect = inOrder(facts, [
      changeHead({ before: group, head }),
      (now) => changeMembersOf(now, envelope, { rosterId, entries }),
      // Last, so that nobody who comes or goes is told of two changes of his role.
      rolesAfterRename(envelope, { before: group, head }),
    ]);
    return resultOf(facts, effect, groupId);
  },
  recall: ({ groupId }, facts) => facts.find('groups', 'id', groupId),
};

/** The group goes, and the memberships it stands for with it; its room stays (decisions.md 5). */
export const deleteGroup: Decider<'group.delete'> = {
  needs: ({ groupId }) => [{ table: 'groups', index: 'id', key: groupId }],
  decide: (envelope, facts) => {
    const { groupId, ifMatch } = envelope.command;
    const group = facts.find('groups', 'id', groupId);
    if (!group) return noSuchGroup();
    const refusal = requireVersion(group, ifMatch);
    if (refusal) return { refusal };
    const rosterId = rosterOf(group);
    const holder = holderOf(facts, rosterId);
    if (isBusy(holder)) return postponed();
    const { room } = holder;
    const lastly = [groupEvent('group.deleted', group, mappedRole(facts, group.displayName))];
    const { memberCount } = group;
    const namedAs = memberHolderOf(facts, holder);
    if (!namedAs) return noSuchGroup();
    const effect = inOrder(facts, [
      (now) => ({
        changes: [
          { table: 'groups', before: group, after: null },
          ...(room ? [{ table: 'rooms', before: room, after: touchRoom(room, now) } as const] : []),
          ...count(now, { groupCount: -1 }),
        ],
        events: [],
      }),
      (now) =>
        clearRoster(now, envelope, {
          rosterId,
          memberCount,
          holder: namedAs,
          lastly,
        }),
    ]);
    return { ...effect, result: null };
  },
  recall: () => null,
};
