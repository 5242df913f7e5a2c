import type { JsonObject } from '../../domain/json.js';
import { type RefusalCode, REFUSALS } from '../../domain/refusals.js';
import { GROUP_SCHEMA_DESCRIPTION } from '../../scim/group-schema.js';
import {
  type AttributeDescription,
  describeCommonAttributes,
  MESSAGE_URNS,
  type SchemaDescription,
} from '../../scim/scimmy.js';
import { ENTERPRISE_SCHEMA_DESCRIPTION, USER_SCHEMA_DESCRIPTION } from '../../scim/user-schema.js';
import { componentRef } from './component-ref.js';

/** What a client sends (`input`) has no read-only attributes; what it receives has no write-only. */
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
    ? { type: 'object', properties: propertiesOf(attribute.subAttributes ?? [], direction) }
    : { ...TYPES[attribute.type] };

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
  description: 'URNs of the schemas of this document.',
};

const EXTENSION: JsonObject = {
  [ENTERPRISE_SCHEMA_DESCRIPTION.id]: componentRef('schemas', 'ScimEnterpriseUser'),
};

interface ResourceParts {
  readonly description: SchemaDescription;
  readonly required: readonly string[];
  readonly extensions?: JsonObject;
}

const resourceSchema = (
  { description, required, extensions = {} }: ResourceParts,
  direction: Direction,
): JsonObject => ({
  type: 'object',
  description: description.description,
  properties: {
    ...propertiesOf(describeCommonAttributes(), direction),
    schemas: SCHEMA_URNS,
    ...propertiesOf(description.attributes, direction),
    ...extensions,
  },
  required: ['schemas', ...required],
});

const listOf = (items: JsonObject): JsonObject => ({
  type: 'object',
  description: 'A page of resources (RFC 7644, section 3.4.2).',
  properties: {
    schemas: SCHEMA_URNS,
    totalResults: { type: 'integer', description: 'Number of matching resources.' },
    itemsPerPage: { type: 'integer', description: 'Number of resources on this page.' },
    startIndex: { type: 'integer', description: 'Position of the first one, counted from 1.' },
    nextCursor: { type: 'string', description: 'With cursor pagination (RFC 9865).' },
    previousCursor: { type: 'string', description: 'With cursor pagination (RFC 9865).' },
    Resources: { type: 'array', items },
  },
  required: ['schemas', 'totalResults', 'itemsPerPage', 'Resources'],
});

const strings = (description: string): JsonObject => ({
  type: 'array',
  items: { type: 'string' },
  description,
});

const ANY_JSON: JsonObject = { description: 'Any JSON value.' };

const SEARCH_REQUEST: JsonObject = {
  type: 'object',
  description: 'A query in a body (RFC 7644, section 3.4.3).',
  properties: {
    schemas: SCHEMA_URNS,
    filter: { type: 'string', description: 'RFC 7644, section 3.4.2.2.' },
    startIndex: { type: 'integer', description: 'From 1.' },
    count: { type: 'integer', description: 'Maximum number of resources on the page.' },
    cursor: { type: 'string', description: 'An empty string begins cursor pagination.' },
    sortBy: { type: 'string' },
    sortOrder: { type: 'string', enum: ['ascending', 'descending'] },
    attributes: strings('Return only these attributes.'),
    excludedAttributes: strings('Leave these attributes out.'),
  },
  required: ['schemas'],
  example: { schemas: [MESSAGE_URNS.search], filter: 'userName eq "ada@example.com"' },
};

const PATCH_REQUEST: JsonObject = {
  type: 'object',
  description: 'Changes to a resource, applied in order (RFC 7644, section 3.5.2).',
  properties: {
    schemas: SCHEMA_URNS,
    Operations: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          op: { type: 'string', description: '`add`, `remove` or `replace`, in any case.' },
          path: { type: 'string', description: 'RFC 7644, figure 1.' },
          value: ANY_JSON,
        },
        required: ['op'],
      },
    },
  },
  required: ['schemas', 'Operations'],
  example: {
    schemas: [MESSAGE_URNS.patch],
    Operations: [{ op: 'replace', path: 'active', value: false }],
  },
};

const BULK_REQUEST: JsonObject = {
  type: 'object',
  description: 'Several changes in one request (RFC 7644, section 3.7).',
  properties: {
    schemas: SCHEMA_URNS,
    failOnErrors: { type: 'integer', description: 'Stop after this number of errors.' },
    Operations: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          method: { type: 'string', description: '`POST`, `PUT`, `PATCH` or `DELETE`.' },
          path: { type: 'string', description: 'Relative to the SCIM base: `/Users/{id}`.' },
          bulkId: { type: 'string', description: 'Other operations refer to it: `bulkId:…`.' },
          version: { type: 'string', description: 'Like If-Match.' },
          data: { type: 'object', description: 'The body of the single request.' },
        },
        required: ['method', 'path'],
      },
    },
  },
  required: ['schemas', 'Operations'],
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

const BULK_RESPONSE: JsonObject = {
  type: 'object',
  description: 'Results in the order of the request (RFC 7644, section 3.7.3).',
  properties: {
    schemas: SCHEMA_URNS,
    Operations: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          method: { type: 'string' },
          bulkId: { type: 'string' },
          location: { type: 'string' },
          version: { type: 'string' },
          status: { type: 'string', description: 'HTTP status as a string.' },
          response: componentRef('schemas', 'ScimError'),
        },
        required: ['method', 'status'],
      },
    },
  },
  required: ['schemas', 'Operations'],
};

const SCIM_ERROR: JsonObject = {
  type: 'object',
  description:
    'The error body of RFC 7644, section 3.12, with the code and the request id of native errors ' +
    '(both absent in tenants with `scim.strict_errors`).',
  properties: {
    schemas: SCHEMA_URNS,
    status: { type: 'string', description: 'HTTP status as a string.' },
    scimType: { type: 'string', description: 'RFC 7644, table 9.' },
    detail: { type: 'string', description: 'What is wrong and what to do.' },
    error: { type: 'string', enum: Object.keys(REFUSALS) as RefusalCode[] },
    details: {
      type: 'array',
      items: {
        type: 'object',
        properties: { path: { type: 'string' }, message: { type: 'string' } },
        required: ['path', 'message'],
      },
    },
    request_id: { type: 'string' },
  },
  required: ['schemas', 'status'],
};

const supported = (more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties: { supported: { type: 'boolean' }, ...more },
  required: ['supported'],
});

const count = (description: string): JsonObject => ({ type: 'integer', description });

const PROVIDER_CONFIG: JsonObject = {
  type: 'object',
  description: 'Supported features and their limits (RFC 7643, section 5).',
  properties: {
    schemas: SCHEMA_URNS,
    patch: supported(),
    bulk: supported({
      maxOperations: count('Operations in one request.'),
      maxPayloadSize: count('Bytes in one request.'),
    }),
    filter: supported({ maxResults: count('Resources on one page.') }),
    changePassword: supported(),
    sort: supported(),
    etag: supported(),
    pagination: {
      type: 'object',
      description: 'RFC 9865, section 4.',
      properties: {
        cursor: { type: 'boolean' },
        index: { type: 'boolean' },
        defaultPaginationMethod: { type: 'string' },
        defaultPageSize: { type: 'integer' },
        maxPageSize: { type: 'integer' },
      },
    },
    authenticationSchemes: { type: 'array', items: { type: 'object' } },
    meta: { type: 'object' },
  },
  required: ['schemas', 'patch', 'bulk', 'filter', 'sort', 'etag', 'authenticationSchemes'],
};

const RESOURCE_TYPE: JsonObject = {
  type: 'object',
  description: 'A type of resource (RFC 7643, section 6).',
  properties: {
    schemas: SCHEMA_URNS,
    id: { type: 'string' },
    name: { type: 'string' },
    description: { type: 'string' },
    endpoint: { type: 'string' },
    schema: { type: 'string' },
    schemaExtensions: {
      type: 'array',
      items: {
        type: 'object',
        properties: { schema: { type: 'string' }, required: { type: 'boolean' } },
      },
    },
    meta: { type: 'object' },
  },
  required: ['schemas', 'name', 'endpoint', 'schema'],
};

const SCHEMA_DOCUMENT: JsonObject = {
  type: 'object',
  description: 'The attributes of a type of resource (RFC 7643, section 7).',
  properties: {
    schemas: SCHEMA_URNS,
    id: { type: 'string', description: 'URN.' },
    name: { type: 'string' },
    description: { type: 'string' },
    attributes: { type: 'array', items: { type: 'object' } },
    meta: { type: 'object' },
  },
  required: ['schemas', 'id', 'attributes'],
};

const USER = { description: USER_SCHEMA_DESCRIPTION, extensions: EXTENSION };
const GROUP = { description: GROUP_SCHEMA_DESCRIPTION };

const ref = (name: string): JsonObject => componentRef('schemas', name);

/**
 * The schemas of the SCIM interface by name, made from the attribute descriptions that `/Schemas`
 * serves, so that both documents always agree. A response holds only the attributes that the request
 * asked for; `schemas` and `id` are always among them (RFC 7643, section 3.1).
 */
export const scimSchemas = (): Readonly<Record<string, JsonObject>> => ({
  ScimUser: resourceSchema({ ...USER, required: ['id'] }, 'output'),
  ScimUserInput: resourceSchema({ ...USER, required: ['userName'] }, 'input'),
  ScimEnterpriseUser: {
    type: 'object',
    description: ENTERPRISE_SCHEMA_DESCRIPTION.description,
    properties: propertiesOf(ENTERPRISE_SCHEMA_DESCRIPTION.attributes, 'output'),
  },
  ScimGroup: resourceSchema({ ...GROUP, required: ['id'] }, 'output'),
  ScimGroupInput: resourceSchema({ ...GROUP, required: ['displayName'] }, 'input'),
  ScimUserList: listOf(ref('ScimUser')),
  ScimGroupList: listOf(ref('ScimGroup')),
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
