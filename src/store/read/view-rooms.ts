import type { RoomView } from '../../domain/commands.js';
import type { TenantId } from '../../domain/kernel/ids.js';
import type { Collections } from '../tables/collections.js';
import type { GroupDocument } from '../tables/groups.js';
import type { RoomDocument } from '../tables/rooms.js';
import { fromGroupDocument } from '../tables/groups.js';
import { fromRoomDocument } from '../tables/rooms.js';

/** In one response: by default the database would return 101 and wait for the next request. */
const SINGLE_BATCH = { batchSize: 1_000 };

/** The roles of groups with these (folded) names, from mappings that apply. */
export const rolesOf = async (
  { roleMappings }: Collections,
  tenantId: TenantId,
  groups: readonly GroupDocument[],
): Promise<ReadonlyMap<string, string>> => {
  if (groups.length === 0) return new Map();
  const names = groups.map(({ folded }) => folded.displayName);
  const applying = await roleMappings
    .find(
      { tenant: tenantId, 'folded.groupDisplayName': { $in: names }, applies: true },
      SINGLE_BATCH,
    )
    .toArray();
  return new Map(applying.map(({ folded, role }) => [folded.groupDisplayName, role]));
};

/**
 * Rooms with their mappings and roles, in the given order: three queries for any number of rooms.
 */
export const viewRooms = async (
  collections: Collections,
  tenantId: TenantId,
  rooms: readonly RoomDocument[],
): Promise<readonly RoomView[]> => {
  if (rooms.length === 0) return [];
  const groups = await collections.groups
    .find({ tenant: tenantId, roster: { $in: rooms.map(({ _id }) => _id) } }, SINGLE_BATCH)
    .toArray();
  const roles = await rolesOf(collections, tenantId, groups);
  const byRoom = new Map(groups.map((group) => [group.roster, group]));
  return rooms.map((room) => {
    const group = byRoom.get(room._id);
    return {
      room: fromRoomDocument(room),
      group: group ? fromGroupDocument(group) : null,
      role: (group && roles.get(group.folded.displayName)) ?? null,
    };
  });
};
