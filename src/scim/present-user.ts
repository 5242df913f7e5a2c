import type { GroupOfUser, GroupsByUser } from '../api/groups.js';
import type { UserId } from '../domain/kernel/ids.js';
import type { JsonObject } from '../domain/kernel/json.js';
import { roleOf, type User } from '../domain/user/user.js';
import { ALL_ATTRIBUTES, includesAttribute, project, type Projection } from './projection.js';
import type { ScimRequest } from './scim-request.js';
import { ENTERPRISE, USER } from './user-schema.js';

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

/** What the presentation depends on besides the user. */
export interface UserPresentation {
  /** The tenant's canonical SCIM base URL, without a trailing slash (decisions.md 1). */
  readonly base: string;
  readonly defaultRole: string;
}

export const presentationOf = ({ base, caller }: ScimRequest): UserPresentation => ({
  base,
  defaultRole: caller.tenant.defaultRole,
});

/** The requested attributes, and the user's groups if requested. */
export interface UserView {
  readonly projection?: Projection;
  readonly groups?: readonly GroupOfUser[];
}

/** Groups are never nested, so every membership is direct (RFC 7643, 4.1.2). */
const presentGroup = (base: string, { id, displayName }: GroupOfUser): JsonObject => ({
  value: id,
  $ref: `${base}/Groups/${id}`,
  display: displayName,
  type: 'direct',
});

const CORE_ONLY = [USER.urn];
const WITH_ENTERPRISE = [USER.urn, ENTERPRISE.urn];

export const userLocation = (base: string, id: string): string => `${base}${USER.endpoint}/${id}`;

/**
 * A user in SCIM format (RFC 7643, 4.1). Not by scimmy's coercion, which takes a hundred times as
 * long (scimmy facts, 9). `roles` has the effective role, without `primary`; filters treat it as
 * primary.
 */
export const presentUser = (
  user: User,
  { base, defaultRole }: UserPresentation,
  { projection = ALL_ATTRIBUTES, groups = [] }: UserView = {},
): JsonObject => {
  const { enterprise, ...core } = user.profile;
  const resource: JsonObject = {
    schemas: enterprise ? WITH_ENTERPRISE : CORE_ONLY,
    id: user.id,
    ...core,
    roles: [{ value: roleOf(user, { defaultRole }) }],
    ...(groups.length > 0 && { groups: groups.map((group) => presentGroup(base, group)) }),
    ...(enterprise && { [ENTERPRISE.urn]: enterprise }),
    meta: {
      resourceType: USER.name,
      created: user.createdAt.toISOString(),
      lastModified: user.updatedAt.toISOString(),
      location: userLocation(base, user.id),
      version: `W/"${user.version}"`,
    },
  };
  return project(resource, projection);
};
