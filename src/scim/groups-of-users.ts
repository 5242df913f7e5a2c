import type { GroupsByUser } from '../api/groups.js';
import type { UserId } from '../domain/kernel/ids.js';
import { includesAttribute, type Projection } from './projection.js';
import type { ScimRequest } from './scim-request.js';

const NO_GROUPS: GroupsByUser = new Map();

/**
 * Whether a response needs the users' groups. Not for tenants without groups. Another instance
 * notices a tenant's first group within a second, like any change of its settings.
 */
export const needsGroups = ({ caller }: ScimRequest, projection: Projection): boolean =>
  caller.tenant.groupCount > 0 && includesAttribute(projection, 'groups');

/** The groups of these users, in one query; none unless the response needs them. */
export const groupsOfUsers = async (
  request: ScimRequest,
  ids: readonly UserId[],
  projection: Projection,
): Promise<GroupsByUser> =>
  needsGroups(request, projection)
    ? request.groups.groupsOf(request.caller.tenant.id, ids)
    : NO_GROUPS;
