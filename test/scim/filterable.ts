import type { Group } from '../../src/domain/group/group.js';
import type { JsonValue } from '../../src/domain/kernel/json.js';
import { roleOf, type User } from '../../src/domain/user/user.js';

/** A user in the form that filters are evaluated on. */
export const filterableUser = (
  user: User,
  defaultRole: string,
  groups: readonly Pick<Group, 'id' | 'displayName'>[] = [],
): JsonValue => ({
  ...user.profile,
  id: user.id,
  groups: groups.map(({ id, displayName }) => ({
    value: id,
    display: displayName,
    type: 'direct',
  })),
  roles: [{ value: roleOf(user, { defaultRole }), primary: true }],
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
