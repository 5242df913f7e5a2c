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

interface Times {
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

interface PeerSettings {
  readonly uri: string;
  readonly port: number;
}

export const readSettings = (): PeerSettings => {
  const { PEER_MONGODB_URI: uri, PEER_PORT: port } = process.env;
  if (uri !== undefined && port !== undefined) return { uri, port: Number(port) };
  throw new Error('Peers are started by npm run bench.');
};

/** The write concern of the gateway. */
export const SAFETY = { writeConcern: { w: 'majority', journal: true } } as const;

/** Exits on SIGTERM, so that Node.js writes a requested profile. */
export const endOnSignal = (): void => {
  process.once('SIGTERM', () => process.exit());
};
