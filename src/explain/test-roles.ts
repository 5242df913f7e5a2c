import type { NamedDirectory } from '../ports/rooms.js';
import { nameKey } from '../domain/kernel/names.js';
import { byPriority, effectiveMapping, type RoleMapping } from '../domain/role/role-mapping.js';
import type { Room } from '../domain/room/room.js';
import type { Tenant } from '../domain/tenant/tenant.js';

/** What pushing a group does. */
interface Push {
  readonly room?: Room | undefined;
  /** What it would run into. */
  readonly problem?: string;
  readonly isRefused?: true;
}

/** The role and rooms of a user in groups with these names, by the rules of provisioning. */
export const testRoles = (
  { defaultRole, roomProvisioning }: Pick<Tenant, 'defaultRole' | 'roomProvisioning'>,
  names: readonly string[],
  { mappings, groups, rooms }: NamedDirectory,
) => {
  const groupOf = new Map(groups.map((group) => [nameKey(group.displayName), group]));
  const roomOf = new Map(rooms.map((room) => [nameKey(room.name), room]));
  const mappingOf = new Map(mappings.map((one) => [nameKey(one.groupDisplayName), one]));

  const push = (key: string): Push => {
    const group = groupOf.get(key);
    if (group) return { room: rooms.find(({ id }) => id === group.roomId) };
    const room = roomOf.get(key);
    if (room && groups.some(({ roomId }) => roomId === room.id)) {
      const problem = `The room "${room.name}" has another SCIM group: pushing this one is refused.`;
      return { problem, isRefused: true };
    }
    if (room || mappingOf.get(key)?.applyOnScimProvisioning) return { room };
    if (roomProvisioning === 'automatic')
      return { problem: 'Pushing the group creates a room with its name.' };
    const problem =
      'No unmapped room or role mapping has this name: pushing the group is refused with ROOM_NOT_FOUND.';
    return { problem, isRefused: true };
  };

  const refused = new Set<string>();
  const tested = names.map((displayName) => {
    const key = nameKey(displayName);
    const { room = null, problem = null, isRefused } = push(key);
    if (isRefused) refused.add(key);
    return { displayName, exists: groupOf.has(key), room, problem };
  });
  const isPossible = ({ groupDisplayName }: RoleMapping) => !refused.has(nameKey(groupDisplayName));
  const possible = mappings.filter(isPossible);
  const winner = effectiveMapping(possible) ?? null;
  const reasonOf = (mapping: RoleMapping): string => {
    if (mapping === winner)
      return possible.length === 1
        ? 'The only mapping for these groups.'
        : 'It comes first: the lowest priority number wins; if equal, the older mapping.';
    if (!mapping.applyOnScimProvisioning) return '"Apply on SCIM provisioning" is off.';
    return isPossible(mapping)
      ? `The mapping of "${winner?.groupDisplayName ?? ''}" comes first.`
      : 'Pushing the group is refused.';
  };
  const others = mappings.filter((mapping) => mapping !== winner).toSorted(byPriority);
  return {
    role: winner?.role ?? defaultRole,
    mapping: winner,
    /** The mapping that gives the role comes first. */
    matches: [...(winner ? [winner] : []), ...others].map((mapping) => ({
      ...mapping,
      applies: mapping === winner,
      reason: reasonOf(mapping),
    })),
    groups: tested,
    rooms: tested.flatMap(({ room }) => room ?? []),
  };
};
