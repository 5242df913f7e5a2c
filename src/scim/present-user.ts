import type { GroupOfUser } from '../api/groups.js';
import type { JsonObject } from '../domain/json.js';
import { roleOf, type User } from '../domain/user.js';
import { type Projection, project, WHOLE } from './projection.js';
import { ENTERPRISE, USER } from './user-schema.js';

/** What an answer needs to know besides the user. */
export interface Presentation {
  /** The tenant's canonical SCIM base, without a slash at its end (decisions.md 1). */
  readonly base: string;
  readonly defaultRole: string;
}

/** Which part of a user is asked for, and the groups he is in, where they are. */
export interface UserPart {
  readonly projection?: Projection;
  readonly groups?: readonly GroupOfUser[];
}

/** None of ours are nested, so every membership is direct (RFC 7643, 4.1.2). */
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
 * A user as SCIM shows him (RFC 7643, 4.1), built by hand: scimmy's coercion on the way out costs
 * a hundred times as much (scimmy facts, 9). `roles` is the role in force; the only one needs no
 * `primary`, though filters take it for the primary one.
 */
export const presentUser = (
  user: User,
  { base, defaultRole }: Presentation,
  { projection = WHOLE, groups = [] }: UserPart = {},
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
