import type { Method } from '../../api/route.js';
import type { JsonObject } from '../../domain/json.js';
import { type Endpoint, type EndpointName, ENDPOINTS } from '../scim/endpoints.js';
import { componentRef, headerRefs } from './component-ref.js';
import {
  describeAccess,
  DRY_RUN_RESPONSE,
  type Operation,
  RATE_HEADERS,
  requiredScope,
} from './operation.js';
import { refusalHeaders } from './refusal-responses.js';

/** What an operation takes and answers, beyond what its endpoint and method imply. */
interface Described {
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  /** Name of the schema of its body. */
  readonly body?: string;
  /** Status and name of the schema of a success; no name: no body. */
  readonly success: readonly [status: number, schema?: string, description?: string];
  /** Whether `filter` and the parameters of pages apply. */
  readonly isList?: boolean;
  /** Whether it answers a single resource with an ETag. */
  readonly isVersioned?: boolean;
  /** Refusals that only this kind of operation has. */
  readonly statuses?: readonly number[];
}

type Operations = Partial<Record<Method, Described>>;

interface ResourceWords {
  /** `User` */
  readonly name: 'User' | 'Group';
  readonly one: string;
  readonly many: string;
  readonly created: string;
}

const collectionOf = ({ name, one, many, created }: ResourceWords): Operations => ({
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

const searchOf = ({ name, many }: ResourceWords): Operations => ({
  POST: {
    id: `searchScim${name}s`,
    summary: `Search ${many} over SCIM with the query in the body`,
    body: 'ScimSearchRequest',
    success: [200, `Scim${name}List`],
  },
});

const resourceOf = ({ name, one }: ResourceWords): Operations => ({
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
      ? { success: [200, 'ScimUser'], isVersioned: true }
      : {
          description: 'Returns 204; with `attributes` or `excludedAttributes`, 200 and the group.',
          success: [204],
        }),
    statuses: [403, 404, 409, 412],
  },
  DELETE: {
    id: `deleteScim${name}`,
    summary: `Delete ${one} over SCIM`,
    success: [204],
    statuses: [404, 412],
  },
});

const USER: ResourceWords = {
  name: 'User',
  one: 'a user',
  many: 'users',
  created: 'Takes a seat if the user is active. Emits `user.created`.',
};
const GROUP: ResourceWords = {
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

/** `/Me` is 501 for every method: an API key belongs to no user, so it is not described. */
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
  query('filter', TEXT, 'For example `userName eq "ada@example.com"` (RFC 7644, 3.4.2.2).'),
  query('startIndex', { type: 'integer', default: 1 }, '1-based index of the first result.'),
  query('count', { type: 'integer', default: 100 }, 'Maximum number of results per page.'),
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

interface Operated {
  readonly endpoint: Endpoint;
  readonly method: Method;
  readonly described: Described;
}

const scopeOf = ({ endpoint, method }: Operated): string => endpoint.methods.get(method) ?? '';

const writes = (operated: Operated): boolean => scopeOf(operated) === 'scim:write';

const parametersOf = (operated: Operated): readonly JsonObject[] => {
  const { endpoint, method, described } = operated;
  const { isList = false, isVersioned = false, success, statuses = [] } = described;
  const shared = [
    'tenantSlug',
    ...(writes(operated) ? ['dryRun', 'prefer'] : []),
    ...(statuses.includes(412) ? ['ifMatch'] : []),
    ...(method === 'GET' && isVersioned ? ['ifNoneMatch'] : []),
  ];
  const isResource = isVersioned || isList || success[0] === 204;
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

const STATUS_WORDS: Readonly<Record<number, string>> = {
  200: 'Success.',
  201: 'Created.',
  204: 'Success, no body.',
};

const successOf = (
  { success: [status, schema], isVersioned = false }: Described,
  isWriting: boolean,
): JsonObject => ({
  description: STATUS_WORDS[status] ?? 'Success.',
  headers: headerRefs(
    'X-Request-Id',
    ...RATE_HEADERS,
    ...(isVersioned ? ['ETag', 'Location'] : []),
    ...(isWriting ? ['Rollgate-Job'] : []),
  ),
  ...(schema !== undefined && { content: contentOf(schema) }),
});

/** What any operation may be refused with; a scope is not needed for discovery. */
const statusesOf = (operated: Operated): readonly number[] => {
  const { endpoint, described } = operated;
  const own = described.statuses ?? [];
  const needsScope = scopeOf(operated) !== 'any key';
  const hasBody = described.body !== undefined;
  const isOfOne = endpoint.route.includes('{');
  return [
    400,
    401,
    ...(needsScope ? [403] : []),
    ...(isOfOne ? [404] : []),
    ...own,
    ...(hasBody ? [413, 415] : []),
    429,
    500,
    503,
  ].filter((status, index, all) => all.indexOf(status) === index);
};

const operationOf = (operated: Operated): Operation => {
  const { described } = operated;
  const scope = scopeOf(operated);
  const responses = Object.fromEntries([
    [String(described.success[0]), successOf(described, writes(operated))],
    ...statusesOf(operated).map((status) => [
      String(status),
      componentRef('responses', `Scim${status}`),
    ]),
  ]) as Record<string, JsonObject>;
  return {
    operationId: described.id,
    tags: ['SCIM'],
    summary: described.summary,
    description: [described.description, describeAccess(scope)].filter(Boolean).join('\n\n'),
    security: [{ apiKey: [] }],
    ...requiredScope(scope),
    parameters: parametersOf(operated),
    ...(described.body && { requestBody: { required: true, content: contentOf(described.body) } }),
    responses,
    ...(writes(operated) && DRY_RUN_RESPONSE),
  };
};

const operationsAt = (endpoint: Endpoint): readonly Operated[] => {
  if (endpoint.name === 'me') return [];
  return Object.entries(OPERATIONS[endpoint.name]).map(([method, described]) => ({
    endpoint,
    method: method as Method,
    described,
  }));
};

/** The SCIM interface by path and method, at its canonical base (decisions.md 1). */
export const scimPaths = (): Readonly<Record<string, Readonly<Record<string, Operation>>>> =>
  Object.fromEntries(
    ENDPOINTS.flatMap((endpoint) => {
      const operations = operationsAt(endpoint).map(
        (operated) => [operated.method.toLowerCase(), operationOf(operated)] as const,
      );
      const path = `/v1/{tenantSlug}/scim/v2${endpoint.route}`;
      return operations.length > 0 ? [[path, Object.fromEntries(operations)]] : [];
    }),
  );

const REFUSED: Readonly<Record<number, string>> = {
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

/** The refusals of the SCIM interface, by the name of their component. */
export const scimResponses = (): Readonly<Record<string, JsonObject>> =>
  Object.fromEntries(
    Object.entries(REFUSED).map(([status, description]) => [
      `Scim${status}`,
      {
        description,
        headers: refusalHeaders(Number(status)),
        content: contentOf('ScimError'),
      },
    ]),
  );
