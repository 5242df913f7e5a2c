import type { RoomView } from '../commands.js';
import type { Facts } from '../decide/decider.js';
import type { RoomId } from '../ids.js';
import { mappedRole } from '../role/roles.js';
import { ownerOf } from './roster.js';

/** The room with its mapping and role; undefined if it does not exist. */
export const viewRoom = (facts: Facts, roomId: RoomId): RoomView | undefined => {
  const { room, group } = ownerOf(facts, roomId);
  return room ? { room, group, role: group && mappedRole(facts, group.displayName) } : undefined;
};
