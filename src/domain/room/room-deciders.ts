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
import { type IfMatch, raise } from '../kernel/refusals.js';
import { isAnother, requireEntity, requireTenant } from '../kernel/requirements.js';
import { mappedRole, recomputeRoles } from '../role/roles.js';
import { newRoom, type Room, touchRoom, summariseRoom } from './room.js';
import { adjustCounts } from '../tenant/tenant-counts.js';
import { clearRoster } from './change-members.js';
import { ownerLookups, ownerOf, requireNoJob, type RosterOwner } from './roster.js';
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

const requireView = (facts: Facts, roomId: RoomId): RoomView =>
  viewRoom(facts, roomId) ?? raise('ROOM_NOT_FOUND');

/** Names are unique per tenant. */
const requireName = (facts: Facts, name: string, id?: RoomId): void => {
  if (isAnother(facts.find('rooms', 'name', nameKey(name)), id))
    raise('NAME_TAKEN', `Another room has the name "${name}".`);
};

/** The room, and the group that is mapped to it. */
const requireRoom = (
  facts: Facts,
  { roomId, ifMatch }: { readonly roomId: RoomId; readonly ifMatch?: IfMatch },
) => {
  const { room, group } = ownerOf(facts, roomId);
  return { room: requireEntity(room, 'ROOM_NOT_FOUND', ifMatch), group };
};

export const createRoom: Decider<'room.create'> = {
  lookups: ({ name }) => [{ table: 'rooms', index: 'name', key: nameKey(name) }],
  decide: ({ command: { roomId, name } }, facts) => {
    const { id: tenantId } = requireTenant(facts);
    requireName(facts, name);
    const room = newRoom({ id: roomId, tenantId, name }, facts.now);
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
  decide: ({ command }, facts) => {
    const { roomId, name } = command;
    const { room } = requireRoom(facts, command);
    const view = requireView(facts, roomId);
    if (room.name === name) return unchanged(view);
    requireName(facts, name, roomId);
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
    const owner = requireRoom(facts, envelope.command);
    requireNoJob(owner);
    return { ...deletionOf(facts, envelope, owner), result: null };
  },
  recall: () => null,
};

/** Native PATCH of a room: changes its mapping, or creates one (decisions.md 5). */
export const mapRoom: Decider<'room.map'> = {
  lookups: ({ roomId, displayName }) => [
    ...ownerLookups(roomId),
    ...(displayName === undefined
      ? []
      : [{ table: 'groups', index: 'displayName', key: nameKey(displayName) } as const]),
  ],
  decide: (envelope, facts) => {
    const { roomId, groupId, ...given } = envelope.command;
    const { room, group } = requireRoom(facts, envelope.command);
    const attributes: GroupAttributes = {
      displayName: given.displayName ?? group?.displayName ?? room.name,
      externalId: given.externalId === undefined ? (group?.externalId ?? null) : given.externalId,
    };
    if (!group && given.displayName === undefined && given.externalId === null)
      return raise('GROUP_NOT_FOUND', 'There is nothing to clear: this room has no group mapping.');
    const naming = { groupId: group?.id, path: 'display_name' };
    if (attributes.displayName !== group?.displayName)
      requireUniqueName(facts, attributes.displayName, naming);
    // A job may still be removing members, which a new group must not count.
    if (!group) requireNoJob({ room, group });
    const effect = group
      ? combineInOrder(facts, [
          changeAttributes({ before: group, attributes }),
          rolesAfterRename(envelope, { before: group, attributes }),
        ])
      : addGroup(facts, envelope, { id: groupId, tenantId: room.tenantId, room, ...attributes });
    return { ...effect, result: requireView(facts.after(effect.changes), roomId) };
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
    const { room, group } = requireRoom(facts, envelope.command);
    if (!group) return raise('GROUP_NOT_FOUND', 'This room has no group mapping.');
    return { ...removeMapping(facts, envelope, { room, group }), result: null };
  },
  recall: () => null,
};
