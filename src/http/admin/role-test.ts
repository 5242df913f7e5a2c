import type { NamedDirectory } from '../../api/role-mappings.js';
import { fold } from '../../domain/kernel/names.js';
import { effectiveMapping, type RoleMapping } from '../../domain/role/role-mapping.js';
import type { Tenant } from '../../domain/tenant/tenant.js';

/** A mapping for one of the groups. */
export interface RoleMatch {
  readonly mapping: RoleMapping;
  readonly applies: boolean;
  readonly reason: string;
}

/** A group as the identity provider would push it. */
export interface TestedGroup {
  readonly displayName: string;
  readonly exists: boolean;
  readonly room: { readonly id: string; readonly name: string } | null;
  /** What pushing the group would run into. */
  readonly problem: string | null;
  /** Whether pushing it would be refused. */
  readonly isRefused: boolean;
}

export interface RoleTest {
  readonly role: string;
  readonly mapping: RoleMapping | null;
  readonly matches: readonly RoleMatch[];
  readonly groups: readonly TestedGroup[];
}

/** The role and rooms of a user in groups with these names, by the rules of provisioning. */
export const testRoles = (
  tenant: Pick<Tenant, 'defaultRole' | 'roomProvisioning'>,
  names: readonly string[],
  { mappings, groups, rooms }: NamedDirectory,
): RoleTest => {
  const groupOf = new Map(groups.map((group) => [fold(group.displayName), group]));
  const roomById = new Map(rooms.map((room) => [room.id as string, room]));
  const roomByName = new Map(rooms.map((room) => [fold(room.name), room]));
  const mappingOf = new Map(mappings.map((one) => [fold(one.groupDisplayName), one]));
  const mappedRooms = new Set(groups.flatMap(({ roomId }) => roomId ?? []));

  const testGroup = (displayName: string): TestedGroup => {
    const key = fold(displayName);
    const group = groupOf.get(key);
    const of = (
      room: TestedGroup['room'],
      problem: string | null = null,
      isRefused = false,
    ): TestedGroup => ({
      displayName,
      exists: group !== undefined,
      room: room && { id: room.id, name: room.name },
      problem,
      isRefused,
    });
    if (group) return of((group.roomId && roomById.get(group.roomId)) || null);
    const room = roomByName.get(key);
    if (room)
      return mappedRooms.has(room.id)
        ? of(
            null,
            `The room "${room.name}" has another SCIM group: pushing this one is refused.`,
            true,
          )
        : of(room);
    const mapping = mappingOf.get(key);
    if (mapping?.applyOnScimProvisioning) return of(null);
    return tenant.roomProvisioning === 'automatic'
      ? of(null, 'Pushing the group creates a room with its name.')
      : of(
          null,
          'No unmapped room or role mapping has this name: pushing the group is refused with ROOM_NOT_FOUND.',
          true,
        );
  };

  const tested = names.map(testGroup);
  const isRefused = new Set(
    tested.flatMap((group) => (group.isRefused ? fold(group.displayName) : [])),
  );
  const possible = mappings.filter(
    ({ groupDisplayName }) => !isRefused.has(fold(groupDisplayName)),
  );
  const winner = effectiveMapping(possible);
  const reasonOf = (mapping: RoleMapping): string => {
    if (mapping.id === winner?.id)
      return possible.length === 1
        ? 'The only mapping for these groups.'
        : 'It comes first: the lowest priority number wins; if equal, the older mapping.';
    if (!mapping.applyOnScimProvisioning) return '"Apply on SCIM provisioning" is off.';
    if (isRefused.has(fold(mapping.groupDisplayName))) return 'Pushing the group is refused.';
    return `The mapping of "${winner?.groupDisplayName ?? ''}" comes first.`;
  };
  const inOrder = [...mappings].sort(
    (one, other) =>
      Number(other.id === winner?.id) - Number(one.id === winner?.id) ||
      one.priority - other.priority ||
      one.createdAt.getTime() - other.createdAt.getTime(),
  );
  return {
    role: winner?.role ?? tenant.defaultRole,
    mapping: winner ?? null,
    matches: inOrder.map((mapping) => ({
      mapping,
      applies: mapping.id === winner?.id,
      reason: reasonOf(mapping),
    })),
    groups: tested,
  };
};
