/** The base path of both peers. */
export const BASE = '/scim/v2';
export const MEDIA_TYPE = 'application/scim+json';

/** A user in the form of RFC 7643. */
export interface ScimUser {
  readonly userName: string;
  readonly active?: boolean;
}

export interface PatchBody {
  readonly Operations: readonly { readonly path: string; readonly value: unknown }[];
}

export interface Times {
  readonly created: Date;
  readonly modified: Date;
}

export const presentUser = (id: string, user: object, { created, modified }: Times): object => ({
  ...user,
  id,
  meta: { resourceType: 'User', created, lastModified: modified, location: `${BASE}/Users/${id}` },
});

export const presentList = (
  users: readonly object[],
  totalResults: number,
  startIndex = 1,
): object => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
  totalResults,
  startIndex,
  itemsPerPage: users.length,
  Resources: users,
});

export const presentError = (status: number, detail: string): object => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
  status: String(status),
  detail,
});

/** The peers support only this filter. */
export const userNameIn = (filter: string): string | undefined =>
  /^userName eq "(.*)"$/.exec(filter)?.[1];
