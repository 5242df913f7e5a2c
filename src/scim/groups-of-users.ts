import type { GroupReader } from '../api/groups.js';
import type { UserId } from '../domain/ids.js';
import type { ScimRequest } from './scim-request.js';

type GroupsOf = Awaited<ReturnType<GroupReader['groupsOf']>>;

const NOBODY_IN_ANY: GroupsOf = new Map();

/**
 * The groups of these users, by one look-up for all. A tenant without any is not asked, for most
 * requests are about one user and would cost twice as much. That its first group came to be is known
 * at once to the gateway that made it, and a second later to the others, like every setting of it.
 */
export const groupsOfUsers = async (
  { caller: { tenant }, groups }: ScimRequest,
  ids: readonly UserId[],
): Promise<GroupsOf> => (tenant.groupCount === 0 ? NOBODY_IN_ANY : groups.groupsOf(tenant.id, ids));
