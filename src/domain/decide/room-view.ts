import type { RoomView } from '../commands.js';
import type { RoomId } from '../ids.js';
import { type Refusal, refuse } from '../refusals.js';
import type { Facts } from './decider.js';
import { mappedRole } from './roles.js';
import { holderOf } from './roster.js';

export const noSuchRoom = (): { readonly refusal: Refusal } => ({
  refusal: refuse('ROOM_NOT_FOUND', 'No room has this id.'),
});

export const noSuchGroup = (): { readonly refusal: Refusal } => ({
  refusal: refuse('GROUP_NOT_FOUND', 'No group has this id.'),
});

/** The room as it stands, with its mapping and role; undefined where there is none. */
export const viewRoom = (facts: Facts, roomId: RoomId): RoomView | undefined => {
  const { room, group } = holderOf(facts, roomId);
  return room ? { room, group, role: group && mappedRole(facts, group.displayName) } : undefined;
};
