import type { RequestHandler } from 'express';
import type { Scope } from '../../domain/scopes.js';

export interface Endpoint<Name extends string = EndpointName> {
  readonly name: Name;
  /** For logs and metrics: without ids. */
  readonly route: string;
  /** Its group is the id or name at the end of the path, if the endpoint has one. */
  readonly pattern: RegExp;
  /** The required scope by method; other methods get 405. */
  readonly methods: ReadonlyMap<string, Scope | 'any key'>;
}

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

/**
 * Paths are case-sensitive (RFC 3986, 6.2.2.1); a trailing slash is allowed, since Entra sends one.
 */
const patternOf = (route: string): RegExp =>
  new RegExp(`^${route.replaceAll('.', '\\.').replace(/\{\w+\}/, '([^/]+)')}/?$`);

const endpoint = <Name extends string>(
  name: Name,
  route: string,
  methods: Readonly<Record<string, Scope | 'any key'>>,
  pattern = patternOf(route),
): Endpoint<Name> => ({ name, route, pattern, methods: new Map(Object.entries(methods)) });

/** All endpoints, in matching order. */
export const ENDPOINTS = [
  // A query over all resource types, like `/.search` (RFC 7644, 3.4.2.1).
  endpoint('root', '', READ),
  endpoint('users', '/Users', COLLECTION),
  endpoint('searchUsers', '/Users/.search', SEARCH),
  endpoint('user', '/Users/{id}', RESOURCE),
  endpoint('groups', '/Groups', COLLECTION),
  endpoint('searchGroups', '/Groups/.search', SEARCH),
  endpoint('group', '/Groups/{id}', RESOURCE),
  endpoint('searchAll', '/.search', SEARCH),
  endpoint('serviceProviderConfig', '/ServiceProviderConfig', DISCOVER),
  endpoint('schemas', '/Schemas', DISCOVER),
  endpoint('schema', '/Schemas/{urn}', DISCOVER),
  endpoint('resourceTypes', '/ResourceTypes', DISCOVER),
  endpoint('resourceType', '/ResourceTypes/{name}', DISCOVER),
  endpoint('roles', '/Roles', READ),
  endpoint('me', '/Me', ME_METHODS, /^\/Me(?:\/|$)/),
  endpoint('bulk', '/Bulk', { POST: 'scim:write' }),
];

export type EndpointName = (typeof ENDPOINTS)[number]['name'];

export const findEndpoint = (path: string): Endpoint | undefined =>
  ENDPOINTS.find(({ pattern }) => pattern.test(path));

const LISTS: ReadonlySet<string> = new Set(['root', 'users', 'groups']);

/** Whether a request lists users or groups. A POST to a collection creates. */
export const isList = (method: string, { name }: Pick<Endpoint, 'name'>): boolean =>
  name.startsWith('search') || (LISTS.has(name) && method !== 'POST');

/** The SCIM endpoints, which are also served at the tenant's root (decisions.md 1). */
const NAMES =
  '(?:Users|Groups|Bulk|Me|Roles|Schemas|ResourceTypes|ServiceProviderConfig|\\.search)';

/**
 * The base of a SCIM URL: `/v1/acme/scim/v2/`, or `/v1/acme/` before the name of an endpoint, in its
 * own case: `/users` is native. Clients whose base URL was configured with a trailing slash send
 * surplus slashes (decisions.md 3).
 */
const BASE = new RegExp(`^/v1/([^/?]+)/+(?:scim/v2(?=[/?]|$)/*|(?=${NAMES}(?:[/?]|$)))`);

/** Whether a full path belongs to SCIM. */
export const isScimPath = (path: string): boolean => BASE.test(path);

/** A full SCIM URL without its base: the path of an endpoint, and the query. */
export const endpointUrlOf = (url: string): string => url.replace(BASE, '/');

/** Serves SCIM at the tenant's root, and with surplus slashes, as below `/v1/{tenantSlug}/scim/v2`. */
export const toCanonicalPath: RequestHandler = (request, _response, next) => {
  request.url = request.url.replace(BASE, '/v1/$1/scim/v2/');
  next();
};
