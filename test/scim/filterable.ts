import type { Group } from '../../src/domain/group/group.js';
import { isJsonObject, type JsonValue } from '../../src/domain/kernel/json.js';
import { roleOf, type User } from '../../src/domain/user/user.js';

const hasPrimary = (element: JsonValue): JsonValue =>
  isJsonObject(element) ? { primary: false, ...element } : element;

/** A user in the form that filters are evaluated on: a missing `primary` is false (RFC 7643, 2.4). */
export const filterableUser = (
  user: User,
  defaultRole: string,
  groups: readonly Pick<Group, 'id' | 'displayName'>[] = [],
): JsonValue => ({
  ...Object.fromEntries(
    Object.entries(user.profile).map(([name, value]) => [
      name,
      Array.isArray(value) ? (value as JsonValue[]).map(hasPrimary) : value,
    ]),
  ),
  id: user.id,
  groups: groups.map(({ id, displayName }) => ({
    value: id,
    display: displayName,
    type: 'direct',
  })),
  roles: [{ value: roleOf(user, { defaultRole }), primary: false }],
  meta: { created: user.createdAt.toISOString(), lastModified: user.updatedAt.toISOString() },
});

/** A group in the form that filters are evaluated on. */
export const filterableGroup = (group: Group, memberIds: readonly string[]): JsonValue => ({
  id: group.id,
  displayName: group.displayName,
  externalId: group.externalId,
  members: memberIds.map((value) => ({ value, type: 'User' })),
  meta: { created: group.createdAt.toISOString(), lastModified: group.updatedAt.toISOString() },
});
