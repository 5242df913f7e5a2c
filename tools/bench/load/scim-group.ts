import { PATCH_SCHEMA } from './scim-user.js';

const GROUP_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Group';

/** A group as Entra creates it, without members. */
export const scimGroup = (displayName: string) =>
  ({
    schemas: [GROUP_SCHEMA],
    externalId: `00g${displayName.replaceAll(' ', '')}`,
    displayName,
  }) as const;

/** A PATCH of members as Entra sends it. */
export const memberPatch = (op: 'add' | 'remove', userIds: readonly string[]) =>
  ({
    schemas: [PATCH_SCHEMA],
    Operations: [{ op, path: 'members', value: userIds.map((value) => ({ value })) }],
  }) as const;
