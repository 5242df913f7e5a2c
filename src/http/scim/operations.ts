import { isJsonObject, type JsonObject } from '../../domain/kernel/json.js';
import { raise } from '../../domain/kernel/refusals.js';
import { runBulk } from '../../scim/bulk/run-bulk.js';
import {
  type Discovered,
  resourceTypeList,
  resourceTypeOf,
  schemaList,
  schemaOf,
  serviceProviderConfig,
} from '../../scim/discovery.js';
import type { RoleReader } from '../../ports/rooms.js';
import { listRoles } from '../../scim/roles.js';
import { GROUP } from '../../scim/schemas.js';
import { userSchemaOf } from '../../scim/tenant-schema.js';
import { readListQuery, readSearchRequest } from '../../scim/list-query.js';
import type { ScimOperation, ScimRequest, ResourceOperations } from '../../scim/scim-request.js';
import { searchAll } from '../../scim/search-all.js';
import { searchGroups, GROUP_OPERATIONS } from '../../scim/group-operations.js';
import { searchUsers, USER_OPERATIONS } from '../../scim/user-operations.js';
import type { JsonBody } from '../../scim/responses.js';
import { LONG_BODY_LIMIT } from '../json/read-json.js';
import type { EndpointName } from './endpoints.js';
import type { NextFunction, Request, Response } from 'express';
import SCIMMYRouters from 'scimmy-routers';
import { declareResource, LibraryResource, librarySchema } from '../../scim/scimmy.js';
import type { HttpResponse } from '../send-response.js';

const notFound = (): never => raise('NOT_FOUND', 'No schema or resource type has this name.');

/** An operation that only returns a body. */
const returning =
  (build: (request: ScimRequest) => JsonBody | Promise<JsonBody>): ScimOperation =>
  (request) =>
    Promise.resolve({ body: () => build(request) });

const locationOf = ({ meta }: JsonObject): { readonly location?: string } => {
  const location = isJsonObject(meta) ? meta['location'] : undefined;
  return typeof location === 'string' ? { location } : {};
};

/** A filter on discovery is refused with 403 (RFC 7644, 4). */
const discovery =
  (build: (discovered: Discovered, name: string) => JsonObject): ScimOperation =>
  (request) => {
    if (request.parameters.has('filter'))
      raise('INVALID_FILTER', 'Schemas, resource types and the configuration cannot be filtered.', {
        kind: 'forbidden',
      });
    const { base, caller, resourceId = '' } = request;
    const body = build({ base, tenant: caller.tenant }, resourceId);
    return Promise.resolve({ body: () => body, ...locationOf(body) });
  };

/** The operations of all endpoints except those of users and groups. */
export const otherOperations = ({
  maxBulkOperations,
  roles,
}: {
  readonly roles: RoleReader;
  readonly maxBulkOperations: number;
}): Partial<Record<EndpointName, ScimOperation>> => ({
  // By POST, long or personal data stays out of the URL (RFC 7644, 3.4.3).
  searchUsers: returning((request) =>
    searchUsers(
      request,
      readListQuery(userSchemaOf(request.caller.tenant), readSearchRequest(request.body)),
    ),
  ),
  searchGroups: returning((request) =>
    searchGroups(request, readListQuery(GROUP, readSearchRequest(request.body))),
  ),
  root: returning((request) => searchAll(request, request.parameters)),
  searchAll: returning((request) => searchAll(request, readSearchRequest(request.body))),
  serviceProviderConfig: discovery(({ base, tenant }) =>
    serviceProviderConfig(
      base,
      {
        bulk: {
          supported: true,
          maxOperations: maxBulkOperations,
          maxPayloadSize: LONG_BODY_LIMIT,
        },
      },
      tenant.scim,
    ),
  ),
  schemas: discovery(schemaList),
  schema: discovery((discovered, urn) => schemaOf(discovered, urn) ?? notFound()),
  resourceTypes: discovery(resourceTypeList),
  resourceType: discovery((discovered, name) => resourceTypeOf(discovered, name) ?? notFound()),
  roles: returning((request) => listRoles(request, roles)),
  me: () =>
    raise(
      'NOT_IMPLEMENTED',
      '/Me is not supported: an API key does not belong to a user. Use /Users.',
    ),
  bulk: returning((request) => runBulk(request, maxBulkOperations)),
});

/** Runs an operation on a request that passed all checks. */
export type RunScimOperation = (operation: ScimOperation) => Promise<HttpResponse>;

/** The resource type as the router sees it: its methods run the operation on the request. */
const resourceClass = (name: 'User' | 'Group', operations: ResourceOperations) =>
  class extends LibraryResource {
    static readonly endpoint = `/${name}s`;
    static readonly schema = librarySchema(name);
    readonly #hasId: boolean;

    /** The router passes the id in the path, else the query. */
    constructor(id?: unknown) {
      super();
      this.#hasId = typeof id === 'string';
    }

    read(run: RunScimOperation): Promise<HttpResponse> {
      return run(this.#hasId ? operations.read : operations.list);
    }

    write(_body: unknown, run: RunScimOperation): Promise<HttpResponse> {
      return run(this.#hasId ? operations.replace : operations.create);
    }

    patch(_body: unknown, run: RunScimOperation): Promise<HttpResponse> {
      return run(operations.patch);
    }

    dispose(run: RunScimOperation): Promise<HttpResponse> {
      return run(operations.delete);
    }
  };

const RESOURCES = {
  User: resourceClass('User', USER_OPERATIONS),
  Group: resourceClass('Group', GROUP_OPERATIONS),
};

/** What express keeps of a layer; `slash` if it applies to every path. */
interface Layer {
  readonly slash: boolean;
}

/**
 * Keeps the routers of users and groups. The other layers repeat what ran before, with flaws (bodies,
 * queries, errors), and cost 65 µs per request (decision 0049).
 */
const keepResourceRouters = ({ stack }: SCIMMYRouters): void => {
  const kept = stack.filter((layer) => !(layer as unknown as Layer).slash);
  if (kept.length !== Object.keys(RESOURCES).length)
    throw new Error('scimmy-routers does not have one layer for each resource type.');
  stack.splice(0, stack.length, ...kept);
};

/**
 * Routes a request for users or groups, which passed all checks, through scimmy-routers to its
 * resource class. `send` sends the response in place of express, which cannot stream it.
 */
type RouteResource = (
  request: Request,
  response: Response,
  next: NextFunction,
  exchange: { readonly run: RunScimOperation; readonly send: (result: HttpResponse) => void },
) => void;

export const mountScimmy = (): RouteResource => {
  for (const [name, resource] of Object.entries(RESOURCES)) declareResource(resource, name);
  const runs = new WeakMap<Request, RunScimOperation>();
  const router = new SCIMMYRouters({
    type: 'bearer',
    handler: () => '',
    context: (request) => runs.get(request),
  });
  keepResourceRouters(router);
  return (request, response, next, { run, send }) => {
    runs.set(request, run);
    response.send = (result: HttpResponse) => {
      send(result);
      return response;
    };
    router(request, response, next);
  };
};
