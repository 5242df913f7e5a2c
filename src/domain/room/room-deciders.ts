import type { CommandContext, RoomView } from '../commands.js';
import { type Decider, type Facts, unchanged } from '../kernel/decider.js';
import { fold } from '../kernel/fold.js';
import { groupEvent } from '../group/group-events.js';
import { combineInOrder, type Effect } from '../kernel/effect.js';
import { roomNotFound, tenantNotFound } from '../kernel/not-found.js';
import { requireVersion } from '../kernel/precondition.js';
import { refuse } from '../kernel/refusals.js';
import { mappedRole } from '../role/roles.js';
import { newRoom, type Room, touchRoom } from './room.js';
import { adjustCounts } from '../tenant/adjust-counts.js';
import { clearRoster } from './change-roster.js';
import { summariseRoom } from './member-events.js';
import { hasPendingJob, ownerLookups, ownerOf, postponed, type RosterOwner } from './roster.js';
import type { RoomId } from '../kernel/ids.js';

/** The room with its mapping and role; undefined if it does not exist. */
export const viewRoom = (facts: Facts, roomId: RoomId): RoomView | undefined => {
  const { room, group } = ownerOf(facts, roomId);
  return room ? { room, group, role: group && mappedRole(facts, group.displayName) } : undefined;
};

const nameTaken = (name: string) => ({
  refusal: refuse('NAME_TAKEN', `Another room has the name "${name}".`),
});

export const createRoom: Decider<'room.create'> = {
  lookups: ({ name }) => [{ table: 'rooms', index: 'name', key: fold(name) }],
  decide: ({ command: { roomId, name } }, facts) => {
    const { tenant, now } = facts;
    if (!tenant) return tenantNotFound();
    if (facts.find('rooms', 'name', fold(name))) return nameTaken(name);
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
    { table: 'rooms', index: 'name', key: fold(name) },
  ],
  decide: ({ command: { roomId, name, ifMatch } }, facts) => {
    const view = viewRoom(facts, roomId);
    if (!view) return roomNotFound();
    const { room } = view;
    const refusal = requireVersion(room, ifMatch);
    if (refusal) return { refusal };
    const namesake = facts.find('rooms', 'name', fold(name));
    if (namesake && namesake.id !== room.id) return nameTaken(name);
    if (room.name === name) return unchanged(view);
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
