import { BASE, type Times } from './scim-messages.js';

/** A group in a request, without members. */
export interface ScimGroup {
  readonly externalId?: string;
  readonly displayName: string;
}

export interface MemberPatch {
  readonly Operations: readonly {
    readonly op: string;
    readonly value: readonly { readonly value: string }[];
  }[];
}

export interface BulkBody<User> {
  readonly Operations: readonly { readonly bulkId: string; readonly data: User }[];
}

/** A group in the form of RFC 7643, with members if they were requested. */
export const presentGroup = (
  id: string,
  { externalId, displayName }: ScimGroup,
  { created, modified }: Times,
  memberIds?: readonly string[],
): object => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
  id,
  externalId,
  displayName,
  ...(memberIds && { members: memberIds.map(presentMember) }),
  meta: {
    resourceType: 'Group',
    created,
    lastModified: modified,
    location: `${BASE}/Groups/${id}`,
  },
});

const presentMember = (value: string): object => ({
  value,
  $ref: `${BASE}/Users/${value}`,
  type: 'User',
});

/** The peers support only this way to exclude members. */
export const wantsMembers = (excludedAttributes: unknown): boolean =>
  excludedAttributes !== 'members';

export const displayNameIn = (filter: string): string | undefined =>
  /^displayName eq "(.*)"$/.exec(filter)?.[1];

export const presentBulk = (created: readonly { bulkId: string; id: string }[]): object => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkResponse'],
  Operations: created.map(({ bulkId, id }) => ({
    method: 'POST',
    bulkId,
    location: `${BASE}/Users/${id}`,
    status: '201',
  })),
});
