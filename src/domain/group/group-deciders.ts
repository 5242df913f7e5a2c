import type { ChangeGroup, CreateGroup, MemberStep } from '../commands.js';
import {
  type Accepted,
  type Decider,
  type Facts,
  combineInOrder,
  type Effect,
  requireEach,
} from '../kernel/decider.js';
import { type Chunked, filtered, runSync } from '../kernel/chunked.js';
import { nameKey } from '../kernel/names.js';
import { type Group, rosterOf, groupEvent } from './group.js';
import type { RosterId, UserId } from '../kernel/ids.js';
import { raise } from '../kernel/refusals.js';
import { requireEntity, requireTenant } from '../kernel/requirements.js';
import { mappedRole } from '../role/roles.js';
import { newRoom, type Room, touchRoom } from '../room/room.js';
import { ownerSummary, changeRoster, clearRoster } from '../room/change-members.js';
import { ownerLookups, ownerOf, requireNoJob } from '../room/roster.js';
import type { Lookup } from '../tables.js';
import { adjustCounts } from '../tenant/tenant-counts.js';
import type { Tenant } from '../tenant/tenant.js';
import { findMissingUsers, lookupsOfUsers } from '../user/user-rules.js';
import {
  addGroup,
  changeAttributes,
  conflictDetail,
  type GroupAttributes,
  requireUniqueName,
  rolesAfterRename,
  entriesFor,
  lookupsOfChange,
  type MembershipChange,
  netMembershipChange,
} from './group-rules.js';

const raiseNoRoom = (displayName: string): never =>
  raise(
    'ROOM_NOT_FOUND',
    `No unmapped room, and no role mapping that applies, is named "${displayName}". ` +
      'Ask your operator for the room or a role mapping.',
  );

const raiseNoMapping = (displayName: string): never =>
  raise(
    'ROOM_NOT_FOUND',
    'A group without a room needs a role mapping for its name, and none applies to ' +
      `"${displayName}". Ask your operator for one.`,
  );

const raiseUnknown = (unknown: readonly string[], maySkip: boolean): never => {
  const [first = ''] = unknown;
  return raise(
    'INVALID_REQUEST',
    `No user has the id "${first}". Nothing was changed. ` +
      (maySkip
        ? 'Without its unknown members, the list would leave the group empty. Provision them and push ' +
          'the group again.'
        : 'Provision the user and push the group again, or ask your operator to skip unknown members ' +
          '(`scim.unknown_members`).'),
    {
      scimType: 'invalidValue',
      details: unknown.slice(0, 100).map((id) => ({
        path: 'members',
        message: `no user has the id ${id}`,
      })),
    },
  );
};

interface KnownMembers {
  /** The steps without unknown users. */
  readonly steps: readonly MemberStep[];
  /** For the decision: the unknown ones. */
  readonly skipped: Pick<Accepted<unknown>, 'skippedMembers'>;
}

/**
 * Unknown members are refused (decisions.md 5), unless the tenant's `unknownMembers` leaves them out:
 * then a stale id does not cost a whole push. A list of which nothing remains is refused anyway, since
 * it would empty the group.
 */
const requireMembers = function* (
  facts: Facts,
  { steps, malformed = [] }: Pick<ChangeGroup, 'steps' | 'malformed'>,
  { named, keepsOthers }: Pick<MembershipChange, 'named' | 'keepsOthers'>,
): Chunked<KnownMembers> {
  const missing = yield* findMissingUsers(facts, { wanted: named });
  const unknown = [...malformed, ...missing];
  if (unknown.length === 0) return { steps, skipped: {} };
  const isEmptied = !keepsOthers && missing.size === named.length;
  const maySkip = facts.tenant?.scim.unknownMembers === 'skip';
  if (!maySkip || isEmptied) raiseUnknown(unknown, maySkip);
  const known: MemberStep[] = [];
  for (const step of steps)
    known.push(
      'userIds' in step
        ? { ...step, userIds: yield* filtered(step.userIds, (id) => !missing.has(id)) }
        : step,
    );
  return { steps: known, skipped: { skippedMembers: unknown } };
};

/** The room of a new group; null for a role-only group. */
interface GroupTarget {
  readonly room: Room | null;
  readonly isNew: boolean;
}

/**
 * A group needs an unmapped room of its name; without such a room, a role mapping that applies to its
 * name makes it a role-only group (interface.md, SCIM 2.0 interface). If the tenant provisions rooms
 * automatically, a missing room is created (decisions.md 5).
 */
const requireRoomOrRoleMapping = (
  facts: Facts,
  tenant: Tenant,
  { displayName, roomId: id }: Pick<CreateGroup, 'displayName' | 'roomId'>,
): GroupTarget => {
  const room = facts.find('rooms', 'name', nameKey(displayName));
  if (room) {
    const group = facts.find('groups', 'roster', room.id);
    if (!group) return { room, isNew: false };
    return raise('GROUP_EXISTS', `The room "${room.name}" already has a group.`, {
      details: [conflictDetail(group)],
    });
  }
  if (mappedRole(facts, displayName) !== null) return { room: null, isNew: false };
  if (tenant.roomProvisioning !== 'automatic') raiseNoRoom(displayName);
  return { room: newRoom({ id, tenantId: tenant.id, name: displayName }, facts.now), isNew: true };
};

const nameLookups = (displayName: string): readonly Lookup[] => [
  { table: 'groups', index: 'displayName', key: nameKey(displayName) },
  { table: 'rooms', index: 'name', key: nameKey(displayName) },
];

export const createGroup: Decider<'group.create'> = {
  lookups: ({ displayName, members }) => [...nameLookups(displayName), ...lookupsOfUsers(members)],
  decide: function* (envelope, facts) {
    const { groupId, displayName, externalId, members, malformed = [] } = envelope.command;
    const tenant = requireTenant(facts);
    requireUniqueName(facts, displayName);
    const { room, isNew } = requireRoomOrRoleMapping(facts, tenant, envelope.command);
    const given = { steps: [{ op: 'add', userIds: members } as const], malformed };
    const known = yield* requireMembers(facts, given, { named: members, keepsOthers: true });
    if (room) requireNoJob({ room, group: null });
    const rosterId = room?.id ?? groupId;
    const change = yield* netMembershipChange(known.steps);
    const entries = yield* entriesFor(facts, rosterId, change);
    const effect = combineInOrder(facts, [
      (current) => ({
        changes: isNew
          ? [
              { table: 'rooms', before: null, after: room },
              ...adjustCounts(current, { roomCount: 1 }),
            ]
          : [],
        events: [],
      }),
      (current) =>
        addGroup(current, envelope, {
          id: groupId,
          tenantId: tenant.id,
          room,
          displayName,
          externalId,
        }),
      (current) => changeRoster(current, envelope, { rosterId, entries }),
    ]);
    return { ...withGroup(facts, effect, groupId), ...known.skipped };
  },
  recall: ({ groupId }, facts) => facts.find('groups', 'id', groupId),
};

/** The effect, with the group after it as the result. */
const withGroup = (facts: Facts, effect: Effect, groupId: Group['id']) => {
  const changed = effect.changes.flatMap(({ table, after }) =>
    table === 'groups' && after?.id === groupId ? [after] : [],
  );
  const group = changed.at(-1) ?? facts.find('groups', 'id', groupId);
  return { ...effect, result: group ?? raise('GROUP_NOT_FOUND') };
};

/** A role-only group may only take a name to which a role mapping applies (decisions.md 5). */
const requireName = (facts: Facts, before: Group, { displayName }: GroupAttributes): void => {
  if (nameKey(displayName) === nameKey(before.displayName)) return;
  requireUniqueName(facts, displayName, { groupId: before.id });
  if (before.roomId === null && mappedRole(facts, displayName) === null)
    raiseNoMapping(displayName);
};

const userIdsIn = (steps: readonly MemberStep[]): readonly UserId[] =>
  steps.flatMap((step) => ('userIds' in step ? step.userIds : []));

/** Of larger changes, the members are looked up cooperatively. */
const MAX_HINTED = 100;

/**
 * Room and memberships, which are known to be needed only when the group is loaded. A replacement of
 * all members is not hinted: it needs the whole roster, but only if it is not refused before.
 */
const hintedLookups = (
  rosterId: RosterId | undefined,
  steps: readonly MemberStep[],
): readonly Lookup[] => {
  const { length } = userIdsIn(steps);
  if (rosterId === undefined || length === 0 || length > MAX_HINTED) return [];
  const change = runSync(netMembershipChange(steps));
  if (!change.keepsOthers) return [];
  return [
    { table: 'rooms', index: 'id', key: rosterId },
    ...runSync(lookupsOfChange(rosterId, change)),
  ];
};

export const changeGroup: Decider<'group.change'> = {
  lookups: ({ groupId, displayName, steps }, { rosterOf: hintedRosterOf }) => [
    { table: 'groups', index: 'id', key: groupId },
    ...(displayName === undefined ? [] : nameLookups(displayName).slice(0, 1)),
    ...lookupsOfUsers(userIdsIn(steps)),
    ...hintedLookups(hintedRosterOf(groupId), steps),
  ],
  decide: function* (envelope, facts) {
    const { groupId, ifMatch, steps, displayName, externalId } = envelope.command;
    const found = facts.find('groups', 'id', groupId);
    const group = requireEntity(found, 'GROUP_NOT_FOUND', ifMatch);
    const attributes: GroupAttributes = {
      displayName: displayName ?? group.displayName,
      externalId: externalId === undefined ? group.externalId : externalId,
    };
    const change = yield* netMembershipChange(steps);
    const rosterId = rosterOf(group);
    // All lookups together, because each round is a query to the database.
    if (steps.length > 0) {
      const lookups = [...ownerLookups(rosterId), ...(yield* lookupsOfChange(rosterId, change))];
      yield* requireEach(facts, lookups, (lookup) => lookup);
    }
    requireName(facts, group, attributes);
    const known = yield* requireMembers(facts, envelope.command, change);
    // Whether there is anything to change is known only when the job is done.
    if (steps.length > 0) requireNoJob(ownerOf(facts, rosterId));
    const applied = known.steps === steps ? change : yield* netMembershipChange(known.steps);
    const entries = yield* entriesFor(facts, rosterId, applied);
    const effect = combineInOrder(facts, [
      changeAttributes({ before: group, attributes }),
      (current) => changeRoster(current, envelope, { rosterId, entries }),
      // Last, so that users who join or leave get at most one event for their role.
      rolesAfterRename(envelope, { before: group, attributes }),
    ]);
    return { ...withGroup(facts, effect, groupId), ...known.skipped };
  },
  recall: ({ groupId }, facts) => facts.find('groups', 'id', groupId),
};

/** Deletes the group and its memberships; the room stays (decisions.md 5). */
export const deleteGroup: Decider<'group.delete'> = {
  lookups: ({ groupId }) => [{ table: 'groups', index: 'id', key: groupId }],
  decide: (envelope, facts) => {
    const { groupId, ifMatch } = envelope.command;
    const found = facts.find('groups', 'id', groupId);
    const group = requireEntity(found, 'GROUP_NOT_FOUND', ifMatch);
    const rosterId = rosterOf(group);
    const rosterOwner = ownerOf(facts, rosterId);
    requireNoJob(rosterOwner);
    const { room } = rosterOwner;
    const finalEvents = [groupEvent('group.deleted', group, mappedRole(facts, group.displayName))];
    const { memberCount } = group;
    const owner = ownerSummary(facts, rosterOwner) ?? raise('GROUP_NOT_FOUND');
    const effect = combineInOrder(facts, [
      (current) => ({
        changes: [
          { table: 'groups', before: group, after: null },
          ...(room
            ? [{ table: 'rooms', before: room, after: touchRoom(room, current.now) } as const]
            : []),
          ...adjustCounts(current, { groupCount: -1 }),
        ],
        events: [],
      }),
      (current) => clearRoster(current, envelope, { rosterId, memberCount, owner, finalEvents }),
    ]);
    return { ...effect, result: null };
  },
  recall: () => null,
};
