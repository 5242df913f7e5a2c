import { groupEvent, summariseRoom } from '../events.js';
import { fold } from '../fold.js';
import { refuse } from '../refusals.js';
import type { Room } from '../room.js';
import type { Tenant } from '../tenant.js';
import type { Asker } from './begin-job.js';
import { count } from './count.js';
import type { Decider, Facts } from './decider.js';
import { type Effect, inOrder } from './effect.js';
import { clearRoster } from './large-change.js';
import { noSuchRoom, viewRoom } from './room-view.js';
import { mappedRole } from './roles.js';
import { type Holder, holderNeeds, holderOf, isBusy, postponed } from './roster.js';
import { noSuchTenant, requireVersion, unchanged } from './user-steps.js';

const nameTaken = (name: string) => ({
  refusal: refuse('NAME_TAKEN', `Another room has the name "${name}".`),
});

export const newRoom = (
  { now }: Pick<Facts, 'now'>,
  { id: tenantId }: Pick<Tenant, 'id'>,
  { id, name }: Pick<Room, 'id' | 'name'>,
): Room => ({
  id,
  tenantId,
  name,
  memberCount: 0,
  version: 1,
  pendingJob: null,
  createdAt: now,
  updatedAt: now,
});

/** The room after a change that its view shows. */
export const touchRoom = (room: Room, { now }: Pick<Facts, 'now'>): Room => ({
  ...room,
  version: room.version + 1,
  updatedAt: now,
});

export const createRoom: Decider<'room.create'> = {
  needs: ({ name }) => [{ table: 'rooms', index: 'name', key: fold(name) }],
  decide: ({ command: { roomId, name } }, facts) => {
    const { tenant } = facts;
    if (!tenant) return noSuchTenant();
    if (facts.find('rooms', 'name', fold(name))) return nameTaken(name);
    const room = newRoom(facts, tenant, { id: roomId, name });
    return {
      changes: [{ table: 'rooms', before: null, after: room }, ...count(facts, { roomCount: 1 })],
      events: [],
      result: { room, group: null, role: null },
    };
  },
  recall: ({ roomId }, facts) => viewRoom(facts, roomId),
};

/** An operator's name for it; the mapping's display name is SCIM's (decisions.md 5). */
export const renameRoom: Decider<'room.rename'> = {
  needs: ({ roomId, name }) => [
    ...holderNeeds(roomId),
    { table: 'rooms', index: 'name', key: fold(name) },
  ],
  decide: ({ command: { roomId, name, ifMatch } }, facts) => {
    const view = viewRoom(facts, roomId);
    if (!view) return noSuchRoom();
    const { room } = view;
    const refusal = requireVersion(room, ifMatch);
    if (refusal) return { refusal };
    const namesake = facts.find('rooms', 'name', fold(name));
    if (namesake && namesake.id !== room.id) return nameTaken(name);
    if (room.name === name) return unchanged(view);
    const after: Room = { ...touchRoom(room, facts), name };
    return {
      changes: [{ table: 'rooms', before: room, after }],
      events: [],
      result: { ...view, room: after },
    };
  },
  recall: ({ roomId }, facts) => viewRoom(facts, roomId),
};

const removeRoom =
  (room: Room, group: Holder['group']) =>
  (facts: Facts): Effect => ({
    changes: [
      { table: 'rooms', before: room, after: null },
      ...(group ? [{ table: 'groups', before: group, after: null } as const] : []),
      ...count(facts, { roomCount: -1, groupCount: group ? -1 : 0 }),
    ],
    events: [],
  });

/** Its members leave, then its group goes: in this order in the log, as when SCIM deletes a group. */
const deletionOf = (facts: Facts, asker: Asker, { room, group }: Holder & { room: Room }) => {
  const lastly = group
    ? [groupEvent('group.deleted', group, mappedRole(facts, group.displayName))]
    : [];
  const { id: rosterId, memberCount } = room;
  const holder = { room: summariseRoom(room, group) };
  const clearing = { rosterId, memberCount, holder, lastly };
  return inOrder(facts, [removeRoom(room, group), (now) => clearRoster(now, asker, clearing)]);
};

export const deleteRoom: Decider<'room.delete'> = {
  needs: ({ roomId }) => holderNeeds(roomId),
  decide: (envelope, facts) => {
    const { roomId, ifMatch } = envelope.command;
    const holder = holderOf(facts, roomId);
    const { room } = holder;
    if (!room) return noSuchRoom();
    const refusal = requireVersion(room, ifMatch);
    if (refusal) return { refusal };
    if (isBusy(holder)) return postponed();
    return { ...deletionOf(facts, envelope, { ...holder, room }), result: null };
  },
  recall: () => null,
};
