import type { GroupMember } from '../api/groups.js';
import type { Group } from '../domain/group.js';
import type { JsonObject } from '../domain/json.js';
import { GROUP } from './group-schema.js';
import { userLocation } from './present-user.js';

const SCHEMAS = [GROUP.urn];

export const groupLocation = (base: string, id: string): string => `${base}${GROUP.endpoint}/${id}`;

/** A member as SCIM shows him (RFC 7643, 4.2); his name only where it is known. */
export const presentMember = (base: string, { userId, displayName }: GroupMember): JsonObject => ({
  value: userId,
  $ref: userLocation(base, userId),
  ...(displayName !== null && { display: displayName }),
  type: 'User',
});

/** A group without its members, who may be too many to hold (RFC 7643, 4.2). */
export const presentGroupHead = (
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
