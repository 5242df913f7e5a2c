import type { CommandContext } from '../commands.js';
import type { Decider, Facts } from '../kernel/decider.js';
import { fold } from '../kernel/fold.js';
import type { Group } from '../group/group.js';
import { groupEvent } from '../group/group-events.js';
import {
  addGroup,
  changeAttributes,
  type GroupAttributes,
  requireUniqueName,
  rolesAfterRename,
} from '../group/group-rules.js';
import { combineInOrder, NO_EFFECT } from '../kernel/effect.js';
import { roomNotFound } from '../kernel/not-found.js';
import { requireVersion } from '../kernel/precondition.js';
import { type Refusal, refuse } from '../kernel/refusals.js';
import { mappedRole, recomputeRoles } from '../role/roles.js';
import { type Room, touchRoom } from './room.js';
import { adjustCounts } from '../tenant/adjust-counts.js';
import { viewRoom } from './room-deciders.js';
import { hasPendingJob, ownerLookups, ownerOf, postponed } from './roster.js';

const noMapping = (message: string): Refusal => refuse('GROUP_NOT_FOUND', message);

/** Native PATCH of a room: changes its mapping, or creates one (decisions.md 5). */
export const mapRoom: Decider<'room.map'> = {
  lookups: ({ roomId, displayName }) => [
    ...ownerLookups(roomId),
    ...(displayName === undefined
      ? []
      : [{ table: 'groups', index: 'displayName', key: fold(displayName) } as const]),
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
    const taken = requireUniqueName(facts, attributes.displayName, {
      groupId: group?.id,
      path: 'display_name',
    });
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
