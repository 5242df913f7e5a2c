import type { CommandContext, RoomView } from '../commands.js';
import {
  type Decider,
  type Facts,
  unchanged,
  combineInOrder,
  type Effect,
  NO_EFFECT,
} from '../kernel/decider.js';
import { nameKey } from '../kernel/names.js';
import { groupEvent, type Group } from '../group/group.js';
import {
  roomNotFound,
  tenantNotFound,
  requireVersion,
  refuse,
  type Refusal,
} from '../kernel/refusals.js';
import { mappedRole, recomputeRoles } from '../role/roles.js';
import { newRoom, type Room, touchRoom, summariseRoom } from './room.js';
import { adjustCounts } from '../tenant/tenant-counts.js';
import { clearRoster } from './change-members.js';
import { hasPendingJob, ownerLookups, ownerOf, postponed, type RosterOwner } from './roster.js';
import type { RoomId } from '../kernel/ids.js';
import {
  addGroup,
  changeAttributes,
  type GroupAttributes,
  requireUniqueName,
  rolesAfterRename,
} from '../group/group-rules.js';

/** The room with its mapping and role; undefined if it does not exist. */
const viewRoom = (facts: Facts, roomId: RoomId): RoomView | undefined => {
  const { room, group } = ownerOf(facts, roomId);
  return room ? { room, group, role: group && mappedRole(facts, group.displayName) } : undefined;
};

const roomNameTaken = (name: string) => ({
  refusal: refuse('NAME_TAKEN', `Another room has the name "${name}".`),
});

export const createRoom: Decider<'room.create'> = {
  lookups: ({ name }) => [{ table: 'rooms', index: 'name', key: nameKey(name) }],
  decide: ({ command: { roomId, name } }, facts) => {
    const { tenant, now } = facts;
    if (!tenant) return tenantNotFound();
    if (facts.find('rooms', 'name', nameKey(name))) return roomNameTaken(name);
    const room = newRoom({ id: roomId, tenantId: tenant.id, name }, now);
    return {
      changes: [
        { table: 'rooms', before: null, after: room },
        ...adjustCounts(facts, { roomCount: 1 }),
      ],
      events: [],
      result: { room, group: null, role: null },
    };
  },
  recall: ({ roomId }, facts) => viewRoom(facts, roomId),
};

/** Changes the operators' name of the room; the mapping's display name is SCIM's (decisions.md 5). */
export const renameRoom: Decider<'room.rename'> = {
  lookups: ({ roomId, name }) => [
    ...ownerLookups(roomId),
    { table: 'rooms', index: 'name', key: nameKey(name) },
  ],
  decide: ({ command: { roomId, name, ifMatch } }, facts) => {
    const view = viewRoom(facts, roomId);
    if (!view) return roomNotFound();
    const { room } = view;
    const refusal = requireVersion(room, ifMatch);
    if (refusal) return { refusal };
    if (room.name === name) return unchanged(view);
    const namesake = facts.find('rooms', 'name', nameKey(name));
    if (namesake && namesake.id !== room.id) return roomNameTaken(name);
    const after: Room = { ...touchRoom(room, facts.now), name };
    return {
      changes: [{ table: 'rooms', before: room, after }],
      events: [],
      result: { ...view, room: after },
    };
  },
  recall: ({ roomId }, facts) => viewRoom(facts, roomId),
};

const removeRoom =
  (room: Room, group: RosterOwner['group']) =>
  (facts: Facts): Effect => ({
    changes: [
      { table: 'rooms', before: room, after: null },
      ...(group ? [{ table: 'groups', before: group, after: null } as const] : []),
      ...adjustCounts(facts, { roomCount: -1, groupCount: group ? -1 : 0 }),
    ],
    events: [],
  });

/** The members' events come before the group's, as when SCIM deletes a group. */
const deletionOf = (
  facts: Facts,
  context: CommandContext,
  { room, group }: RosterOwner & { readonly room: Room },
) => {
  const finalEvents = group
    ? [groupEvent('group.deleted', group, mappedRole(facts, group.displayName))]
    : [];
  const { id: rosterId, memberCount } = room;
  const owner = { room: summariseRoom(room, group) };
  return combineInOrder(facts, [
    removeRoom(room, group),
    (now) => clearRoster(now, context, { rosterId, memberCount, owner, finalEvents }),
  ]);
};

export const deleteRoom: Decider<'room.delete'> = {
  lookups: ({ roomId }) => ownerLookups(roomId),
  decide: (envelope, facts) => {
    const { roomId, ifMatch } = envelope.command;
    const owner = ownerOf(facts, roomId);
    const { room } = owner;
    if (!room) return roomNotFound();
    const refusal = requireVersion(room, ifMatch);
    if (refusal) return { refusal };
    if (hasPendingJob(owner)) return postponed();
    return { ...deletionOf(facts, envelope, { ...owner, room }), result: null };
  },
  recall: () => null,
};

const noMapping = (message: string): Refusal => refuse('GROUP_NOT_FOUND', message);

/** Native PATCH of a room: changes its mapping, or creates one (decisions.md 5). */
export const mapRoom: Decider<'room.map'> = {
  lookups: ({ roomId, displayName }) => [
    ...ownerLookups(roomId),
    ...(displayName === undefined
      ? []
      : [{ table: 'groups', index: 'displayName', key: nameKey(displayName) } as const]),
  ],
  decide: (envelope, facts) => {
    const { roomId, groupId, ifMatch, ...given } = envelope.command;
    const { room, group } = ownerOf(facts, roomId);
    if (!room) return roomNotFound();
    const attributes: GroupAttributes = {
      displayName: given.displayName ?? group?.displayName ?? room.name,
      externalId: given.externalId === undefined ? (group?.externalId ?? null) : given.externalId,
    };
    const stale = requireVersion(room, ifMatch);
    if (stale) return { refusal: stale };
    if (!group && given.displayName === undefined && given.externalId === null)
      return { refusal: noMapping('There is nothing to clear: this room has no group mapping.') };
    const isRenamed = attributes.displayName !== group?.displayName;
    const naming = { groupId: group?.id, path: 'display_name' };
    const taken = isRenamed && requireUniqueName(facts, attributes.displayName, naming);
    if (taken) return { refusal: taken };
    // A job may still be removing members, which a new group must not count.
    if (!group && hasPendingJob({ room, group })) return postponed();
    const effect = group
      ? combineInOrder(facts, [
          changeAttributes({ before: group, attributes }),
          rolesAfterRename(envelope, { before: group, attributes }),
        ])
      : addGroup(facts, envelope, { id: groupId, tenantId: room.tenantId, room, ...attributes });
    const view = viewRoom(facts.after(effect.changes), roomId);
    return view ? { ...effect, result: view } : roomNotFound();
  },
  recall: ({ roomId }, facts) => viewRoom(facts, roomId),
};

const removeMapping = (
  facts: Facts,
  context: CommandContext,
  { room, group }: { readonly room: Room; readonly group: Group },
) => {
  const role = mappedRole(facts, group.displayName);
  const { id: rosterId, memberCount } = room;
  return combineInOrder(facts, [
    (now) => ({
      changes: [
        { table: 'groups', before: group, after: null },
        { table: 'rooms', before: room, after: touchRoom(room, now.now) },
        ...adjustCounts(now, { groupCount: -1 }),
      ],
      events: [groupEvent('group.deleted', group, role)],
    }),
    (now) => (role === null ? NO_EFFECT : recomputeRoles(now, context, { rosterId, memberCount })),
  ]);
};

/** Native DELETE of a room: removes the mapping; the room and its members stay (interface.md). */
export const unmapRoom: Decider<'room.unmap'> = {
  lookups: ({ roomId }) => ownerLookups(roomId),
  decide: (envelope, facts) => {
    const { roomId, ifMatch } = envelope.command;
    const { room, group } = ownerOf(facts, roomId);
    if (!room) return roomNotFound();
    const refusal = requireVersion(room, ifMatch);
    if (refusal) return { refusal };
    if (!group) return { refusal: noMapping('This room has no group mapping.') };
    return { ...removeMapping(facts, envelope, { room, group }), result: null };
  },
  recall: () => null,
};
