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
import type { ScimOperation, ScimRequest } from '../../scim/scim-request.js';
import { searchAll } from '../../scim/search-all.js';
import { searchGroups } from '../../scim/group-operations.js';
import { searchUsers } from '../../scim/user-operations.js';
import type { JsonBody } from '../../scim/responses.js';
import { LONG_BODY_LIMIT } from '../json/read-json.js';
import type { EndpointName } from './endpoints.js';

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

interface OperationParts {
  readonly roles: RoleReader;
  readonly maxBulkOperations: number;
}

/** The operations of all endpoints except those of users and groups. */
export const otherOperations = ({
  maxBulkOperations,
  roles,
}: OperationParts): Partial<Record<EndpointName, ScimOperation>> => ({
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
  serviceProviderConfig: discovery((discovered) =>
    serviceProviderConfig(discovered, {
      maxOperations: maxBulkOperations,
      maxPayloadSize: LONG_BODY_LIMIT,
    }),
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
