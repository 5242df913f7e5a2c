import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The base path of a peer. */
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

/** A group in the form of RFC 7643. */
export const presentGroup = (
  id: string,
  { externalId, displayName }: ScimGroup,
  { created, modified }: Times,
  memberIds: readonly string[],
): object => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
  id,
  externalId,
  displayName,
  members: memberIds.map(presentMember),
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

export const presentBulk = (created: readonly { bulkId: string; id: string }[]): object => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkResponse'],
  Operations: created.map(({ bulkId, id }) => ({
    method: 'POST',
    bulkId,
    location: `${BASE}/Users/${id}`,
    status: '201',
  })),
});

/** The database that the benchmark starts a peer with. */
export const readUri = (): string => {
  const { PEER_MONGODB_URI: uri } = process.env;
  if (uri !== undefined) return uri;
  throw new Error('Peers are started by npm run bench.');
};

/** The write concern of the gateway. */
export const SAFETY = { writeConcern: { w: 'majority', journal: true } } as const;

/** Says that it listens as the gateway does; exits on SIGTERM, so that Node.js writes a profile. */
export const announce = (server: Server): void => {
  process.once('SIGTERM', () => process.exit());
  server.once('listening', () => {
    const { port } = server.address() as AddressInfo;
    process.stderr.write(`ready at http://127.0.0.1:${port}\n`);
  });
};
