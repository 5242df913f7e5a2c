import { isJsonObject, type JsonObject } from '../../domain/kernel/json.js';
import { raise } from '../../domain/kernel/refusals.js';
import { runBulk } from '../../scim/bulk/run-bulk.js';
import {
  resourceTypeList,
  resourceTypeOf,
  schemaList,
  schemaOf,
  serviceProviderConfig,
} from '../../scim/discovery.js';
import { GROUP } from '../../scim/group-schema.js';
import { readListQuery, readSearchRequest } from '../../scim/list-query.js';
import type { ScimOperation, ScimRequest } from '../../scim/scim-request.js';
import { searchAll } from '../../scim/search-all.js';
import { searchGroups } from '../../scim/search-groups.js';
import { searchUsers } from '../../scim/search-users.js';
import type { JsonBody } from '../../scim/streamed-json.js';
import { USER } from '../../scim/user-schema.js';
import { LONG_BODY_LIMIT } from '../middleware/read-json.js';
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

/**
 * Discovery cannot be filtered (RFC 7644, 4). A filter is refused, or clients would take the response
 * for a filtered one.
 */
const discovery =
  (build: (base: string, name: string) => JsonObject): ScimOperation =>
  (request) => {
    if (request.parameters.has('filter'))
      raise('INVALID_FILTER', 'Schemas, resource types and the configuration cannot be filtered.');
    const body = build(request.base, request.resourceId ?? '');
    return Promise.resolve({ body: () => body, ...locationOf(body) });
  };

/** The operations of all endpoints except those of users and groups. */
export const otherOperations = ({
  maxBulkOperations,
}: {
  readonly maxBulkOperations: number;
}): Partial<Record<EndpointName, ScimOperation>> => ({
  // By POST, long or personal data stays out of the URL (RFC 7644, 3.4.3).
  searchUsers: returning((request) =>
    searchUsers(request, readListQuery(USER, readSearchRequest(request.body))),
  ),
  searchGroups: returning((request) =>
    searchGroups(request, readListQuery(GROUP, readSearchRequest(request.body))),
  ),
  root: returning((request) => searchAll(request, request.parameters)),
  searchAll: returning((request) => searchAll(request, readSearchRequest(request.body))),
  serviceProviderConfig: discovery((base) =>
    serviceProviderConfig(base, {
      bulk: {
        supported: true,
        maxOperations: maxBulkOperations,
        maxPayloadSize: LONG_BODY_LIMIT,
      },
    }),
  ),
  schemas: discovery(schemaList),
  schema: discovery((base, urn) => schemaOf(base, urn) ?? notFound()),
  resourceTypes: discovery(resourceTypeList),
  resourceType: discovery((base, name) => resourceTypeOf(base, name) ?? notFound()),
  me: () =>
    raise(
      'NOT_IMPLEMENTED',
      '/Me is not supported: an API key does not belong to a user. Use /Users.',
    ),
  bulk: returning((request) => runBulk(request, maxBulkOperations)),
});
