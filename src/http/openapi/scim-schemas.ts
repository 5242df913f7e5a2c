import type { JsonObject } from '../../domain/kernel/json.js';
import { type RefusalCode, REFUSALS } from '../../domain/kernel/refusals.js';
import { MAX_INTEGER } from '../../scim/list-query.js';
import { ROLE_SCHEMA_DESCRIPTION } from '../../scim/roles.js';
import {
  GROUP_SCHEMA_DESCRIPTION,
  ENTERPRISE_SCHEMA_DESCRIPTION,
  USER_SCHEMA_DESCRIPTION,
} from '../../scim/schemas.js';
import {
  type AttributeDescription,
  describeCommonAttributes,
  MESSAGE_URNS,
  type SchemaDescription,
} from '../../scim/scimmy.js';
import { componentRef } from './schema-catalogue.js';

/** Requests (`input`) have no read-only attributes, responses no write-only ones. */
type Direction = 'input' | 'output';

const TYPES: Readonly<Record<string, JsonObject>> = {
  string: { type: 'string' },
  reference: { type: 'string' },
  binary: { type: 'string', contentEncoding: 'base64' },
  boolean: { type: 'boolean' },
  integer: { type: 'integer' },
  decimal: { type: 'number' },
  dateTime: { type: 'string', format: 'date-time' },
};

const isVisible = (
  { mutability, returned }: AttributeDescription,
  direction: Direction,
): boolean => (direction === 'input' ? mutability !== 'readOnly' : returned !== 'never');

const usualValuesOf = ({ canonicalValues = [] }: AttributeDescription): string =>
  canonicalValues.length > 0 ? `Usual values: ${canonicalValues.join(', ')}.` : '';

const valueSchemaOf = (attribute: AttributeDescription, direction: Direction): JsonObject =>
  attribute.type === 'complex'
    ? objectOf(
        propertiesOf(attribute.subAttributes ?? [], direction),
        requiredIn(attribute.subAttributes ?? [], direction),
      )
    : { ...TYPES[attribute.type], ...(isRequiredText(attribute, direction) && { pattern: '\\S' }) };

const requiredIn = (
  attributes: readonly AttributeDescription[],
  direction: Direction,
): readonly string[] =>
  direction === 'input'
    ? attributes.filter(({ required }) => required).map(({ name }) => name)
    : [];

/** A required text must not be blank. */
const isRequiredText = (
  { type, required, multiValued }: AttributeDescription,
  direction: Direction,
): boolean => direction === 'input' && type === 'string' && required && !multiValued;

const attributeSchemaOf = (attribute: AttributeDescription, direction: Direction): JsonObject => {
  const value = valueSchemaOf(attribute, direction);
  const description = [attribute.description, usualValuesOf(attribute)].filter(Boolean).join(' ');
  return {
    ...(attribute.multiValued ? { type: 'array', items: value } : value),
    ...(description && { description }),
  };
};

const propertiesOf = (
  attributes: readonly AttributeDescription[],
  direction: Direction,
): JsonObject =>
  Object.fromEntries(
    attributes
      .filter((attribute) => isVisible(attribute, direction))
      .map((attribute) => [attribute.name, attributeSchemaOf(attribute, direction)]),
  );

const SCHEMA_URNS: JsonObject = {
  type: 'array',
  items: { type: 'string' },
  description: 'URNs of the schemas that describe this document.',
};

const EXTENSION: JsonObject = {
  [ENTERPRISE_SCHEMA_DESCRIPTION.id]: componentRef('schemas', 'ScimEnterpriseUser'),
};

const objectOf = (properties: JsonObject, required: readonly string[] = []): JsonObject => ({
  type: 'object',
  properties,
  ...(required.length > 0 && { required: [...required] }),
});

/** A SCIM document: an object with `schemas`. */
const documentOf = (
  description: string,
  properties: JsonObject,
  required: readonly string[],
): JsonObject => ({
  description,
  ...objectOf({ schemas: SCHEMA_URNS, ...properties }, ['schemas', ...required]),
});

interface ResourceParts {
  readonly description: SchemaDescription;
  readonly required: readonly string[];
  readonly extensions?: JsonObject;
}

const resourceSchema = (
  { description, required, extensions = {} }: ResourceParts,
  direction: Direction,
): JsonObject => {
  // Without `schemas`, which documentOf adds.
  const { schemas: _schemas, ...common } = propertiesOf(describeCommonAttributes(), direction);
  const properties = { ...common, ...propertiesOf(description.attributes, direction) };
  return documentOf(description.description, { ...properties, ...extensions }, required);
};

const text = (description: string): JsonObject => ({ type: 'string', description });
const integer = (description: string): JsonObject => ({ type: 'integer', description });

const listOf = (items: JsonObject): JsonObject =>
  documentOf(
    'A page of resources (RFC 7644, section 3.4.2).',
    {
      totalResults: integer('Number of matching resources.'),
      itemsPerPage: integer('Number of resources on this page.'),
      startIndex: integer('1-based index of the first resource.'),
      nextCursor: text('`cursor` of the next page (RFC 9865).'),
      previousCursor: text('`cursor` of the previous page (RFC 9865).'),
      Resources: { type: 'array', items },
    },
    ['totalResults', 'itemsPerPage', 'Resources'],
  );

const strings = (description: string): JsonObject => ({
  type: 'array',
  items: { type: 'string' },
  description,
});

/** `startIndex` and `count`: any integer, since those out of range count as the nearest one. */
export const INTEGER: JsonObject = {
  type: 'integer',
  format: 'int64',
  minimum: -MAX_INTEGER,
  maximum: MAX_INTEGER,
};

const SEARCH_REQUEST: JsonObject = {
  ...documentOf(
    'A query in a body (RFC 7644, section 3.4.3).',
    {
      filter: {
        type: 'string',
        minLength: 1,
        description: 'Filter expression (RFC 7644, section 3.4.2.2).',
      },
      startIndex: { ...INTEGER, description: '1-based index of the first result.' },
      count: { ...INTEGER, description: 'Maximum number of results per page.' },
      cursor: text('Cursor pagination (RFC 9865): empty for the first page.'),
      sortBy: { type: 'string' },
      sortOrder: { type: 'string', enum: ['ascending', 'descending'] },
      attributes: strings('Return only these attributes.'),
      excludedAttributes: strings('Omit these attributes.'),
    },
    [],
  ),
  // An attribute that users and groups have.
  example: { schemas: [MESSAGE_URNS.search], filter: 'displayName eq "Ada Lovelace"' },
};

/** A SCIM document with `Operations`. */
const operationsOf = (
  description: string,
  operation: JsonObject,
  more: JsonObject = {},
  list: JsonObject = {},
): JsonObject =>
  documentOf(description, { ...more, Operations: { type: 'array', ...list, items: operation } }, [
    'Operations',
  ]);

const inAnyCase = (word: string): string =>
  word.replace(/./g, (letter) => `[${letter.toUpperCase()}${letter}]`);

const PATCH_OPERATION = `^(${['add', 'remove', 'replace'].map(inAnyCase).join('|')})$`;

const PATCH_REQUEST: JsonObject = {
  ...operationsOf(
    'Changes to a resource, applied in order (RFC 7644, section 3.5.2).',
    objectOf(
      {
        op: {
          type: 'string',
          pattern: PATCH_OPERATION,
          description: '`add`, `remove` or `replace`; case-insensitive.',
        },
        path: text('Attribute path (RFC 7644, section 3.5.2).'),
        value: { description: 'Any JSON value.' },
      },
      ['op'],
    ),
  ),
  example: {
    schemas: [MESSAGE_URNS.patch],
    Operations: [{ op: 'replace', path: 'displayName', value: 'Ada Lovelace' }],
  },
};

const BULK_REQUEST: JsonObject = {
  ...operationsOf(
    'Several changes in one request (RFC 7644, section 3.7).',
    objectOf(
      {
        method: text('`POST`, `PUT`, `PATCH` or `DELETE`.'),
        path: text('Relative to the SCIM base, such as `/Users/{id}`.'),
        bulkId: text('Identifies a created resource within this request, as `bulkId:…`.'),
        version: text('The expected version, like If-Match.'),
        data: { type: 'object', description: 'The body of the operation.' },
      },
      ['method', 'path'],
    ),
    {
      failOnErrors: {
        type: 'integer',
        minimum: 1,
        maximum: MAX_INTEGER,
        description: 'Stop after this number of errors.',
      },
    },
    { minItems: 1 },
  ),
  example: {
    schemas: [MESSAGE_URNS.bulk],
    Operations: [
      {
        method: 'POST',
        path: '/Users',
        bulkId: 'ada',
        data: { schemas: [USER_SCHEMA_DESCRIPTION.id], userName: 'ada@example.com' },
      },
    ],
  },
};

const STATUS: JsonObject = text('HTTP status as a string.');

const BULK_RESPONSE = operationsOf(
  'Results in the order of the request (RFC 7644, section 3.7.3).',
  objectOf(
    {
      method: { type: 'string' },
      bulkId: { type: 'string' },
      location: { type: 'string' },
      version: { type: 'string' },
      status: STATUS,
      response: componentRef('schemas', 'ScimError'),
    },
    ['method', 'status'],
  ),
);

const SCIM_ERROR = documentOf(
  'The error body of RFC 7644, section 3.12. It also has the `error`, `details` and `request_id` of ' +
    'native errors, unless the tenant sets `scim.strict_errors`.',
  {
    status: STATUS,
    scimType: text('Detail error keyword (RFC 7644, table 9).'),
    detail: text('Human-readable explanation.'),
    error: { type: 'string', enum: Object.keys(REFUSALS) as RefusalCode[] },
    details: { type: 'array', items: componentRef('schemas', 'ErrorDetail') },
    request_id: { type: 'string' },
  },
  ['status'],
);

const supported = (more: JsonObject = {}): JsonObject =>
  objectOf({ supported: { type: 'boolean' }, ...more }, ['supported']);

const PROVIDER_CONFIG = documentOf(
  'Supported features and their limits (RFC 7643, section 5).',
  {
    patch: supported(),
    bulk: supported({
      maxOperations: integer('Maximum number of operations per request.'),
      maxPayloadSize: integer('Maximum request size in bytes.'),
    }),
    filter: supported({ maxResults: integer('Maximum number of resources per page.') }),
    changePassword: supported(),
    sort: supported(),
    etag: supported(),
    pagination: {
      description: 'Supported pagination methods (RFC 9865, section 4).',
      ...objectOf({
        cursor: { type: 'boolean' },
        index: { type: 'boolean' },
        defaultPaginationMethod: { type: 'string' },
        defaultPageSize: { type: 'integer' },
        maxPageSize: { type: 'integer' },
      }),
    },
    RolesAndEntitlements: {
      description: 'In tenants with `scim.roles` (draft-ietf-scim-roles-entitlements-01).',
      ...objectOf({ roles: supported(), entitlements: supported() }),
    },
    authenticationSchemes: { type: 'array', items: { type: 'object' } },
    meta: { type: 'object' },
  },
  ['patch', 'bulk', 'filter', 'sort', 'etag', 'authenticationSchemes'],
);

const RESOURCE_TYPE = documentOf(
  'A type of resource (RFC 7643, section 6).',
  {
    id: { type: 'string' },
    name: { type: 'string' },
    description: { type: 'string' },
    endpoint: { type: 'string' },
    schema: { type: 'string' },
    schemaExtensions: {
      type: 'array',
      items: objectOf({ schema: { type: 'string' }, required: { type: 'boolean' } }),
    },
    meta: { type: 'object' },
  },
  ['name', 'endpoint', 'schema'],
);

const SCHEMA_DOCUMENT = documentOf(
  'The attributes of a type of resource (RFC 7643, section 7).',
  {
    id: text('URN of the schema.'),
    name: { type: 'string' },
    description: { type: 'string' },
    attributes: { type: 'array', items: { type: 'object' } },
    meta: { type: 'object' },
  },
  ['id', 'attributes'],
);

const USER = { description: USER_SCHEMA_DESCRIPTION, extensions: EXTENSION };
const GROUP = { description: GROUP_SCHEMA_DESCRIPTION };

const ref = (name: string): JsonObject => componentRef('schemas', name);

/**
 * The schemas of the SCIM interface, generated from the attribute descriptions that `/Schemas`
 * returns, so that both agree. A response only has the requested attributes, and always `schemas`
 * and `id` (RFC 7643, section 3.1).
 */
export const scimSchemas = (): Readonly<Record<string, JsonObject>> => ({
  ScimUser: resourceSchema({ ...USER, required: ['id'] }, 'output'),
  ScimUserInput: resourceSchema({ ...USER, required: ['userName'] }, 'input'),
  ScimEnterpriseUser: {
    description: ENTERPRISE_SCHEMA_DESCRIPTION.description,
    ...objectOf(propertiesOf(ENTERPRISE_SCHEMA_DESCRIPTION.attributes, 'output')),
  },
  ScimGroup: resourceSchema({ ...GROUP, required: ['id'] }, 'output'),
  ScimGroupInput: resourceSchema({ ...GROUP, required: ['displayName'] }, 'input'),
  ScimUserList: listOf(ref('ScimUser')),
  ScimGroupList: listOf(ref('ScimGroup')),
  ScimRole: resourceSchema({ description: ROLE_SCHEMA_DESCRIPTION, required: ['id'] }, 'output'),
  ScimRoleList: listOf(ref('ScimRole')),
  ScimResourceList: listOf({ anyOf: [ref('ScimUser'), ref('ScimGroup')] }),
  ScimSearchRequest: SEARCH_REQUEST,
  ScimPatchRequest: PATCH_REQUEST,
  ScimBulkRequest: BULK_REQUEST,
  ScimBulkResponse: BULK_RESPONSE,
  ScimError: SCIM_ERROR,
  ScimServiceProviderConfig: PROVIDER_CONFIG,
  ScimSchema: SCHEMA_DOCUMENT,
  ScimSchemaList: listOf(ref('ScimSchema')),
  ScimResourceType: RESOURCE_TYPE,
  ScimResourceTypeList: listOf(ref('ScimResourceType')),
});
