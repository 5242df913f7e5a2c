import { groupEvent } from '../events.js';
import { fold } from '../fold.js';
import type { Group } from '../group.js';
import { type Refusal, refuse } from '../refusals.js';
import type { Room } from '../room.js';
import type { Asker } from './begin-job.js';
import { count } from './count.js';
import type { Decider, Facts } from './decider.js';
import { inOrder, NO_EFFECT } from './effect.js';
import {
  changeHead,
  type GroupHead,
  openGroup,
  requireFreeName,
  rolesAfterRename,
} from './group-steps.js';
import { mappedRole, recomputeRoles } from './roles.js';
import { noSuchRoom, viewRoom } from './room-view.js';
import { touchRoom } from './rooms.js';
import { holderNeeds, holderOf, isBusy, postponed } from './roster.js';
import { requireVersion } from './user-steps.js';

const noMapping = (message: string): Refusal => refuse('GROUP_NOT_FOUND', message);

/** Native PATCH of a room: changes its mapping, or makes one (decisions.md 5). */
export const mapRoom: Decider<'room.map'> = {
  needs: ({ roomId, displayName }) => [
    ...holderNeeds(roomId),
    ...(displayName === undefined
      ? []
      : [{ table: 'groups', index: 'displayName', key: fold(displayName) } as const]),
  ],
  decide: (envelope, facts) => {
    const { roomId, groupId, ifMatch, ...asked } = envelope.command;
    const { room, group } = holderOf(facts, roomId);
    if (!room) return noSuchRoom();
    const head: GroupHead = {
      displayName: asked.displayName ?? group?.displayName ?? room.name,
      externalId: asked.externalId === undefined ? (group?.externalId ?? null) : asked.externalId,
    };
    const stale = requireVersion(room, ifMatch);
    if (stale) return { refusal: stale };
    if (!group && asked.displayName === undefined && asked.externalId === null)
      return { refusal: noMapping('There is nothing to clear: this room has no group mapping.') };
    const taken = requireFreeName(facts, head.displayName, {
      own: group?.id,
      path: 'display_name',
    });
    if (taken) return { refusal: taken };
    // A job may still have its members leave, whom a new group must not count as its own.
    if (!group && isBusy({ room, group })) return postponed();
    const effect = group
      ? inOrder(facts, [
          changeHead({ before: group, head }),
          rolesAfterRename(envelope, { before: group, head }),
        ])
      : openGroup(facts, envelope, { id: groupId, tenantId: room.tenantId, room, ...head });
    const view = viewRoom(facts.after(effect.changes), roomId);
    return view ? { ...effect, result: view } : noSuchRoom();
  },
  recall: ({ roomId }, facts) => viewRoom(facts, roomId),
};

const closeGroup = (facts: Facts, asker: Asker, { room, group }: { room: Room; group: Group }) => {
  const role = mappedRole(facts, group.displayName);
  const { id: rosterId, memberCount } = room;
  return inOrder(facts, [
    (now) => ({
      changes: [
        { table: 'groups', before: group, after: null },
        { table: 'rooms', before: room, after: touchRoom(room, now) },
        ...count(now, { groupCount: -1 }),
      ],
      events: [groupEvent('group.deleted', group, role)],
    }),
    (now) => (role === null ? NO_EFFECT : recomputeRoles(now, asker, { rosterId, memberCount })),
  ]);
};

/** Native DELETE of a room: the mapping goes, room and members stay (interface.md). */
export const unmapRoom: Decider<'room.unmap'> = {
  needs: ({ roomId }) => holderNeeds(roomId),
  decide: (envelope, facts) => {
    const { roomId, ifMatch } = envelope.command;
    const { room, group } = holderOf(facts, roomId);
    if (!room) return noSuchRoom();
    const refusal = requireVersion(room, ifMatch);
    if (refusal) return { refusal };
    if (!group) return { refusal: noMapping('This room has no group mapping to remove.') };
    return { ...closeGroup(facts, envelope, { room, group }), result: null };
  },
  recall: () => null,
};
