import type { GroupMember } from '../api/groups.js';
import type { Group } from '../domain/group/group.js';
import type { JsonObject } from '../domain/kernel/json.js';
import { GROUP } from './group-schema.js';
import { userLocation } from './present-user.js';

const SCHEMAS = [GROUP.urn];

export const groupLocation = (base: string, id: string): string => `${base}${GROUP.endpoint}/${id}`;

/** A member in SCIM format (RFC 7643, 4.2), with `display` if the name was loaded. */
export const presentMember = (base: string, { userId, displayName }: GroupMember): JsonObject => ({
  value: userId,
  $ref: userLocation(base, userId),
  ...(displayName !== null && { display: displayName }),
  type: 'User',
});

/** A group in SCIM format without its members, which may not fit in memory (RFC 7643, 4.2). */
export const presentGroupWithoutMembers = (
  { id, displayName, externalId, version, createdAt, updatedAt }: Group,
  base: string,
): JsonObject => ({
  schemas: SCHEMAS,
  id,
  displayName,
  ...(externalId !== null && { externalId }),
  meta: {
    resourceType: GROUP.name,
    created: createdAt.toISOString(),
    lastModified: updatedAt.toISOString(),
    location: groupLocation(base, id),
    version: `W/"${version}"`,
  },
});
