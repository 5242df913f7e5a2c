import type { RequestHandler } from 'express';
import type { Scope } from '../../domain/scopes.js';

export type EndpointName =
  | 'root'
  | 'users'
  | 'user'
  | 'groups'
  | 'group'
  | 'searchUsers'
  | 'searchGroups'
  | 'searchAll'
  | 'serviceProviderConfig'
  | 'schemas'
  | 'schema'
  | 'resourceTypes'
  | 'resourceType'
  | 'roles'
  | 'me'
  | 'bulk';

export interface Endpoint {
  readonly name: EndpointName;
  /** For logs and metrics: without ids. */
  readonly route: string;
  readonly pattern: RegExp;
  /** The required scope by method; other methods get 405. */
  readonly methods: ReadonlyMap<string, Scope | 'any key'>;
  /** False if the body is ignored. */
  readonly takesBody: boolean;
  /** Whether its body may exceed 1 MiB: it has many members or operations. */
  readonly isLong: boolean;
}

const LONG: ReadonlySet<EndpointName> = new Set(['groups', 'group', 'bulk']);

const READ = { GET: 'scim:read', HEAD: 'scim:read' } as const;
const COLLECTION = { ...READ, POST: 'scim:write' } as const;
const RESOURCE = {
  ...READ,
  PUT: 'scim:write',
  PATCH: 'scim:write',
  DELETE: 'scim:write',
} as const;
/** A search by POST only needs read access (RFC 7644, 3.4.3). */
const SEARCH = { POST: 'scim:read' } as const;
const DISCOVER = { GET: 'any key', HEAD: 'any key' } as const;

/** `/Me` is the user of a token, and an API key has none: 501 for every method. */
const ME_METHODS = {
  ...DISCOVER,
  POST: 'any key',
  PUT: 'any key',
  PATCH: 'any key',
  DELETE: 'any key',
} as const;

const endpoint = (
  name: EndpointName,
  [route, pattern]: readonly [string, RegExp],
  methods: Readonly<Record<string, Scope | 'any key'>>,
): Endpoint => ({
  name,
  route,
  pattern,
  methods: new Map(Object.entries(methods)),
  takesBody: name !== 'me',
  isLong: LONG.has(name),
});

/**
 * All endpoints, in matching order. Paths are case-sensitive (RFC 3986, 6.2.2.1); a trailing slash
 * is allowed, since Entra sends one.
 */
export const ENDPOINTS: readonly Endpoint[] = [
  // A query over all resource types, like `/.search` (RFC 7644, 3.4.2.1).
  endpoint('root', ['', /^\/$/], READ),
  endpoint('users', ['/Users', /^\/Users\/?$/], COLLECTION),
  endpoint('searchUsers', ['/Users/.search', /^\/Users\/\.search\/?$/], SEARCH),
  endpoint('user', ['/Users/{id}', /^\/Users\/[^/]+\/?$/], RESOURCE),
  endpoint('groups', ['/Groups', /^\/Groups\/?$/], COLLECTION),
  endpoint('searchGroups', ['/Groups/.search', /^\/Groups\/\.search\/?$/], SEARCH),
  endpoint('group', ['/Groups/{id}', /^\/Groups\/[^/]+\/?$/], RESOURCE),
  endpoint('searchAll', ['/.search', /^\/\.search\/?$/], SEARCH),
  endpoint(
    'serviceProviderConfig',
    ['/ServiceProviderConfig', /^\/ServiceProviderConfig\/?$/],
    DISCOVER,
  ),
  endpoint('schemas', ['/Schemas', /^\/Schemas\/?$/], DISCOVER),
  endpoint('schema', ['/Schemas/{urn}', /^\/Schemas\/([^/]+)\/?$/], DISCOVER),
  endpoint('resourceTypes', ['/ResourceTypes', /^\/ResourceTypes\/?$/], DISCOVER),
  endpoint('resourceType', ['/ResourceTypes/{name}', /^\/ResourceTypes\/([^/]+)\/?$/], DISCOVER),
  endpoint('roles', ['/Roles', /^\/Roles\/?$/], READ),
  endpoint('me', ['/Me', /^\/Me(?:\/|$)/], ME_METHODS),
  endpoint('bulk', ['/Bulk', /^\/Bulk\/?$/], { POST: 'scim:write' }),
];

export const findEndpoint = (path: string): Endpoint | undefined =>
  ENDPOINTS.find(({ pattern }) => pattern.test(path));

const LISTS: ReadonlySet<EndpointName> = new Set([
  ...(['root', 'users', 'searchUsers', 'groups', 'searchGroups', 'searchAll'] as const),
]);

/** Whether a request lists users or groups. A POST to a collection creates. */
export const isList = (method: string, { name }: Pick<Endpoint, 'name'>): boolean =>
  LISTS.has(name) && (method !== 'POST' || name.startsWith('search'));

/** The SCIM endpoints, which are also served at the tenant's root (decisions.md 1). */
const NAMES =
  '(?:Users|Groups|Bulk|Me|Roles|Schemas|ResourceTypes|ServiceProviderConfig|\\.search)';

const BELOW_TENANT = new RegExp(`^/${NAMES}(?:/|$)`);
const FULL_PATH = new RegExp(`^/v1/[^/]+/(?:scim/v2|${NAMES})(?:/|$)`);
/** The surplus slashes are between the two groups. */
const SURPLUS_SLASHES = new RegExp(
  `^(/v1/[^/?]+(?:/scim/v2)?)/+(/${NAMES}(?:[/?]|$)|/scim/v2(?:[/?]|$)|/(?:\\?|$))`,
);

/** Whether a path below `/v1/{tenantSlug}` belongs to SCIM. Case-sensitive: `/users` is native. */
export const isTenantScimPath = (path: string): boolean => BELOW_TENANT.test(path);

/** Whether a full path belongs to SCIM, at either mount. */
export const isScimPath = (path: string): boolean => FULL_PATH.test(path);

/**
 * Serves `…/scim/v2//Users` as `…/scim/v2/Users`: clients send it if their base URL was configured
 * with a trailing slash (decisions.md 3).
 */
export const collapseSlashes: RequestHandler = (request, _response, next) => {
  if (request.url.includes('//')) request.url = request.url.replace(SURPLUS_SLASHES, '$1$2');
  next();
};
