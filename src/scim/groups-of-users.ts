import type { GroupReader } from '../api/groups.js';
import type { UserId } from '../domain/kernel/ids.js';
import type { ScimRequest } from './scim-request.js';

type GroupsByUser = Awaited<ReturnType<GroupReader['groupsOf']>>;

const NO_GROUPS: GroupsByUser = new Map();

/**
 * The groups of these users, in one query. Skipped for tenants without groups, since it would
 * double the cost of a request for one user. Another instance notices a tenant's first group within
 * a second, like any change of its settings.
 */
export const groupsOfUsers = async (
  { caller: { tenant }, groups }: ScimRequest,
  ids: readonly UserId[],
): Promise<GroupsByUser> => (tenant.groupCount === 0 ? NO_GROUPS : groups.groupsOf(tenant.id, ids));
