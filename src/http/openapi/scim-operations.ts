import type { Method } from '../../routes/route.js';
import type { JsonObject } from '../../domain/kernel/json.js';
import { type Endpoint, type EndpointName, ENDPOINTS, isList } from '../scim/endpoints.js';
import { componentRef, headerRefs } from './schema-catalogue.js';
import {
  describeAccess,
  DRY_RUN_RESPONSE,
  type Operation,
  RATE_HEADERS,
  requiredScope,
} from './operation.js';
import { refusalHeaders } from './refusal-responses.js';
import { INTEGER } from './scim-schemas.js';

/** An operation, as far as its endpoint and method do not determine it. */
interface OperationSpec {
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  /** Name of the body's schema. */
  readonly body?: string;
  /** Status and name of the response's schema; without a name, no body. */
  readonly success: Success;
  /** The other success, of a request with `attributes` or `excludedAttributes`. */
  readonly projected?: Success;
  /** Whether it has filter and paging parameters. */
  readonly isList?: boolean;
  /** Whether it returns a single resource with an ETag. */
  readonly isVersioned?: boolean;
  /** Statuses of refusals beyond those of all operations. */
  readonly statuses?: readonly number[];
}

type Success = readonly [status: number, schema?: string];

type Operations = Partial<Record<Method, OperationSpec>>;

interface ResourceTexts {
  readonly name: 'User' | 'Group';
  readonly one: string;
  readonly many: string;
  readonly created: string;
}

const collectionOf = ({ name, one, many, created }: ResourceTexts): Operations => ({
  GET: {
    id: `listScim${name}s`,
    summary: `List ${many} over SCIM`,
    success: [200, `Scim${name}List`],
    isList: true,
  },
  POST: {
    id: `createScim${name}`,
    summary: `Create ${one} over SCIM`,
    description: created,
    body: `Scim${name}Input`,
    success: [201, `Scim${name}`],
    isVersioned: true,
    statuses: [403, 404, 409],
  },
});

const searchOf = ({ name, many }: ResourceTexts): Operations => ({
  POST: {
    id: `searchScim${name}s`,
    summary: `Search ${many} over SCIM with the query in the body`,
    body: 'ScimSearchRequest',
    success: [200, `Scim${name}List`],
  },
});

const resourceOf = ({ name, one }: ResourceTexts): Operations => ({
  GET: {
    id: `getScim${name}`,
    summary: `Get ${one} over SCIM`,
    success: [200, `Scim${name}`],
    isVersioned: true,
    statuses: [404],
  },
  PUT: {
    id: `replaceScim${name}`,
    summary: `Replace ${one} over SCIM`,
    body: `Scim${name}Input`,
    success: [200, `Scim${name}`],
    isVersioned: true,
    statuses: [403, 404, 409, 412],
  },
  PATCH: {
    id: `patchScim${name}`,
    summary: `Update ${one} over SCIM`,
    body: 'ScimPatchRequest',
    ...(name === 'User'
      ? { success: [200, 'ScimUser'] }
      : {
          description: 'Returns 204; with `attributes` or `excludedAttributes`, 200 and the group.',
          success: [204],
          projected: [200, 'ScimGroup'],
        }),
    isVersioned: true,
    statuses: [403, 404, 409, 412],
  },
  DELETE: {
    id: `deleteScim${name}`,
    summary: `Delete ${one} over SCIM`,
    success: [204],
    statuses: [404, 412],
  },
});

const USER: ResourceTexts = {
  name: 'User',
  one: 'a user',
  many: 'users',
  created: 'Takes a seat if the user is active. Emits `user.created`.',
};
const GROUP: ResourceTexts = {
  name: 'Group',
  one: 'a group',
  many: 'groups',
  created:
    'Maps the room whose name equals `displayName`. Without such a room, a role mapping for that ' +
    'name creates a role-only group; otherwise 404 `ROOM_NOT_FOUND`.',
};

const discovery = (id: string, summary: string, schema: string): Operations => ({
  GET: { id, summary, success: [200, schema] },
});

/** Without `/Me`, which is 501 for every method. */
const OPERATIONS: Readonly<Record<Exclude<EndpointName, 'me'>, Operations>> = {
  root: {
    GET: {
      id: 'listScimResources',
      summary: 'List users and groups over SCIM',
      success: [200, 'ScimResourceList'],
      isList: true,
    },
  },
  users: collectionOf(USER),
  searchUsers: searchOf(USER),
  user: resourceOf(USER),
  groups: collectionOf(GROUP),
  searchGroups: searchOf(GROUP),
  group: resourceOf(GROUP),
  searchAll: {
    POST: {
      id: 'searchScimResources',
      summary: 'Search users and groups over SCIM with the query in the body',
      body: 'ScimSearchRequest',
      success: [200, 'ScimResourceList'],
    },
  },
  serviceProviderConfig: discovery(
    'getScimServiceProviderConfig',
    'Get the supported SCIM features and limits',
    'ScimServiceProviderConfig',
  ),
  schemas: discovery('listScimSchemas', 'List the SCIM schemas', 'ScimSchemaList'),
  schema: discovery('getScimSchema', 'Get a SCIM schema', 'ScimSchema'),
  resourceTypes: discovery(
    'listScimResourceTypes',
    'List the SCIM resource types',
    'ScimResourceTypeList',
  ),
  resourceType: discovery('getScimResourceType', 'Get a SCIM resource type', 'ScimResourceType'),
  roles: {
    GET: {
      id: 'listScimRoles',
      summary: 'List the roles over SCIM',
      description:
        'In tenants with the setting `scim.roles` (draft-ietf-scim-roles-entitlements-01); 404 in others.',
      success: [200, 'ScimRoleList'],
      isList: true,
      statuses: [404],
    },
  },
  bulk: {
    POST: {
      id: 'runScimBulk',
      summary: 'Run several SCIM operations in one request',
      description:
        'Counts as one request against the rate limit. Operations run in order; each has its own ' +
        'status in the response.',
      body: 'ScimBulkRequest',
      success: [200, 'ScimBulkResponse'],
    },
  },
};

const query = (name: string, schema: JsonObject, description: string): JsonObject => ({
  name,
  in: 'query',
  required: false,
  description,
  schema,
});

const TEXT: JsonObject = { type: 'string' };

const PROJECTION: readonly JsonObject[] = [
  query('attributes', TEXT, 'Return only these attributes, separated by commas.'),
  query('excludedAttributes', TEXT, 'Omit these attributes, separated by commas.'),
];

const PAGE: readonly JsonObject[] = [
  query(
    'filter',
    { type: 'string', minLength: 1 },
    'For example `userName eq "ada@example.com"` (RFC 7644, 3.4.2.2).',
  ),
  // Without a default: clients that send defaults could not use `cursor`, which excludes it.
  query('startIndex', INTEGER, '1-based index of the first result.'),
  query('count', { ...INTEGER, default: 100 }, 'Maximum number of results per page.'),
  query('cursor', TEXT, 'Cursor pagination (RFC 9865): empty for the first page.'),
  query('sortBy', TEXT, 'An indexed attribute, such as `userName`, `displayName` or `id`.'),
  query('sortOrder', { type: 'string', enum: ['ascending', 'descending'] }, 'Sort direction.'),
];

const PATH_PARAMETERS: Readonly<Record<string, string>> = {
  id: 'The SCIM id of the resource.',
  urn: 'URN of the schema.',
  name: 'Name of the resource type.',
};

const pathParameters = (route: string): readonly JsonObject[] =>
  [...route.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: PATH_PARAMETERS[name] ?? '',
    schema: TEXT,
  }));

interface EndpointOperation {
  readonly endpoint: Endpoint;
  readonly method: Method;
  readonly spec: OperationSpec;
}

const scopeOf = ({ endpoint, method }: EndpointOperation): string =>
  endpoint.methods.get(method) ?? '';

const writes = (operation: EndpointOperation): boolean => scopeOf(operation) === 'scim:write';

const parametersOf = (operation: EndpointOperation): readonly JsonObject[] => {
  const { endpoint, method, spec } = operation;
  const { isList = false, isVersioned = false, statuses = [] } = spec;
  const shared = [
    'tenantSlug',
    ...(writes(operation) ? ['dryRunFlag', 'prefer'] : []),
    ...(statuses.includes(412) ? ['ifMatch'] : []),
    ...(method === 'GET' && isVersioned ? ['ifNoneMatch'] : []),
  ];
  const isResource = isVersioned || isList;
  return [
    ...shared.map((name) => componentRef('parameters', name)),
    ...pathParameters(endpoint.route),
    ...(isList ? PAGE : []),
    ...(isResource && method !== 'DELETE' ? PROJECTION : []),
  ];
};

const contentOf = (schema: string): JsonObject => ({
  'application/scim+json': { schema: componentRef('schemas', schema) },
});

const SUCCESS_TEXTS: Readonly<Record<number, string>> = {
  200: 'Success.',
  201: 'Created.',
  204: 'Success, no body.',
};

const successOf = (operation: EndpointOperation, [status, schema]: Success): JsonObject => {
  const { endpoint, method, spec } = operation;
  const { isVersioned = false } = spec;
  return {
    description: SUCCESS_TEXTS[status] ?? 'Success.',
    headers: headerRefs(
      'X-Request-Id',
      ...RATE_HEADERS,
      ...(isVersioned ? ['ETag', 'Location'] : []),
      ...(writes(operation) ? ['Rollgate-Job'] : []),
      ...(isList(method, endpoint) ? ['Rollgate-Seq'] : []),
    ),
    ...(schema !== undefined && { content: contentOf(schema) }),
  };
};

/** The statuses of refusals; discovery requires no scope. */
const statusesOf = (operation: EndpointOperation): readonly number[] => {
  const { endpoint, spec } = operation;
  const specific = spec.statuses ?? [];
  const needsScope = scopeOf(operation) !== 'any key';
  const hasBody = spec.body !== undefined;
  const isOfOne = endpoint.route.includes('{');
  return [
    400,
    401,
    ...(needsScope ? [403] : []),
    ...(isOfOne ? [404] : []),
    ...specific,
    ...(hasBody ? [413, 415] : []),
    429,
    500,
    503,
  ].filter((status, index, all) => all.indexOf(status) === index);
};

const operationOf = (operation: EndpointOperation): Operation => {
  const { spec } = operation;
  const scope = scopeOf(operation);
  const successes = [spec.success, ...(spec.projected ? [spec.projected] : [])];
  const responses = Object.fromEntries([
    ...successes.map((success) => [String(success[0]), successOf(operation, success)]),
    ...statusesOf(operation).map((status) => [
      String(status),
      componentRef('responses', `Scim${status}`),
    ]),
  ]) as Record<string, JsonObject>;
  return {
    operationId: spec.id,
    tags: ['SCIM'],
    summary: spec.summary,
    description: [spec.description, describeAccess(scope)].filter(Boolean).join('\n\n'),
    security: [{ apiKey: [] }],
    ...requiredScope(scope),
    parameters: parametersOf(operation),
    ...(spec.body && { requestBody: { required: true, content: contentOf(spec.body) } }),
    responses,
    ...(writes(operation) && DRY_RUN_RESPONSE),
  };
};

const operationsAt = (endpoint: Endpoint): readonly EndpointOperation[] => {
  if (endpoint.name === 'me') return [];
  return Object.entries(OPERATIONS[endpoint.name]).map(([method, spec]) => ({
    endpoint,
    method: method as Method,
    spec,
  }));
};

/** The paths of the SCIM interface at its canonical base (decisions.md 1). */
export const scimPaths = (): Readonly<Record<string, Readonly<Record<string, Operation>>>> =>
  Object.fromEntries(
    ENDPOINTS.flatMap((endpoint) => {
      const operations = operationsAt(endpoint).map(
        (operation) => [operation.method.toLowerCase(), operationOf(operation)] as const,
      );
      const path = `/v1/{tenantSlug}/scim/v2${endpoint.route}`;
      return operations.length > 0 ? [[path, Object.fromEntries(operations)]] : [];
    }),
  );

const ERROR_TEXTS: Readonly<Record<number, string>> = {
  400: 'The request is not valid; `scimType` gives the reason.',
  401: 'The API key is missing or not valid.',
  403: 'The key lacks the required scope, or all seats are taken.',
  404: 'Not found. For `POST /Groups`: no room and no role mapping has this name.',
  409: 'Conflicts with another resource (`scimType: uniqueness`).',
  412: 'The precondition failed.',
  413: 'The body is too large, or has too many operations.',
  415: 'The body is not JSON in UTF-8.',
  429: 'Too many requests.',
  500: 'Internal server error.',
  503: 'Temporarily unavailable; retry after `Retry-After` seconds.',
};

/** The refusals of the SCIM interface by name of the component. */
export const scimResponses = (): Readonly<Record<string, JsonObject>> =>
  Object.fromEntries(
    Object.entries(ERROR_TEXTS).map(([status, description]) => [
      `Scim${status}`,
      {
        description,
        headers: refusalHeaders(Number(status)),
        content: contentOf('ScimError'),
      },
    ]),
  );
