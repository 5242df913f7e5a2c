import type { JsonObject, JsonValue } from '../domain/kernel/json.js';
import type { Tenant } from '../domain/tenant/tenant.js';
import type { ResourceSchema } from './attributes.js';
import {
  GROUP,
  GROUP_SCHEMA_DESCRIPTION,
  ENTERPRISE_SCHEMA_DESCRIPTION,
  USER_SCHEMA_DESCRIPTION,
} from './schemas.js';
import { DEFAULT_COUNT, MAX_RESULTS } from './list-query.js';
import { listResponse } from './responses.js';
import type { SchemaDescription } from './scimmy.js';
import { ROLE, ROLE_SCHEMA_DESCRIPTION } from './roles.js';
import { describeExtension, userSchemaOf } from './tenant-schema.js';

const URN = 'urn:ietf:params:scim:schemas:core:2.0';

const AUTHENTICATION = {
  type: 'oauthbearertoken',
  name: 'OAuth Bearer Token',
  description: "One of the organisation's API keys, sent as `Authorization: Bearer <API_KEY>`.",
  specUri: 'https://www.rfc-editor.org/info/rfc6750',
  primary: true,
};

const TOKENS = {
  type: 'oauth2',
  name: 'OAuth 2.0 client credentials',
  description:
    'An access token for an hour, from `/v1/{tenant}/oauth2/token`: the client id is the id of an API ' +
    'key, the client secret is the key.',
  specUri: 'https://www.rfc-editor.org/info/rfc6749',
  primary: false,
};

/** draft-ietf-scim-roles-entitlements-01. A user has one role. */
const ROLES = {
  roles: {
    supported: true,
    multipleRolesSupported: false,
    primarySupported: false,
    typeSupported: false,
  },
  entitlements: { supported: false },
};

/** What the documents of a tenant depend on. */
export interface Discovered {
  /** The tenant's canonical SCIM base URL. */
  readonly base: string;
  readonly tenant: Pick<Tenant, 'slug' | 'name' | 'customAttributes' | 'scim'>;
}

interface BulkLimits {
  readonly maxOperations: number;
  /** In bytes. */
  readonly maxPayloadSize: number;
}

/** The supported features (RFC 7643, 5; RFC 9865, 4), with the configured limits. */
export const serviceProviderConfig = (
  { base, tenant: { scim } }: Discovered,
  limits: BulkLimits,
): JsonObject => ({
  schemas: [`${URN}:ServiceProviderConfig`],
  patch: { supported: true },
  bulk: { supported: true, ...limits },
  filter: { supported: true, maxResults: MAX_RESULTS },
  changePassword: { supported: false },
  sort: { supported: true },
  etag: { supported: true },
  pagination: {
    cursor: true,
    index: true,
    defaultPaginationMethod: 'index',
    defaultPageSize: DEFAULT_COUNT,
    maxPageSize: MAX_RESULTS,
  },
  ...(scim.roles && { RolesAndEntitlements: ROLES }),
  authenticationSchemes: [AUTHENTICATION, ...(scim.accessTokens ? [TOKENS] : [])],
  meta: {
    resourceType: 'ServiceProviderConfig',
    location: `${base}/ServiceProviderConfig`,
  },
});

/** The description is plain JSON, but its interfaces have no index signature. */
const asJson = (value: unknown): JsonValue => value as JsonValue;

const schemaDocument = (base: string, description: SchemaDescription): JsonObject => ({
  schemas: [`${URN}:Schema`],
  id: description.id,
  name: description.name,
  description: description.description,
  attributes: asJson(description.attributes),
  meta: { resourceType: 'Schema', location: `${base}/Schemas/${description.id}` },
});

const resourceTypeDocument = (base: string, schema: ResourceSchema): JsonObject => ({
  schemas: [`${URN}:ResourceType`],
  id: schema.name,
  name: schema.name,
  endpoint: schema.endpoint,
  description: `The organisation's ${schema.name.toLowerCase()}s.`,
  schema: schema.urn,
  schemaExtensions: schema.extensions.map(({ urn }) => ({ schema: urn, required: false })),
  meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/${schema.name}` },
});

const schemasOf = ({ tenant }: Discovered): readonly SchemaDescription[] => {
  const extension = describeExtension(tenant);
  return [
    USER_SCHEMA_DESCRIPTION,
    ENTERPRISE_SCHEMA_DESCRIPTION,
    ...(extension ? [extension] : []),
    GROUP_SCHEMA_DESCRIPTION,
    ...(tenant.scim.roles ? [ROLE_SCHEMA_DESCRIPTION] : []),
  ];
};

const resourceTypesOf = ({ tenant }: Discovered): readonly ResourceSchema[] => [
  userSchemaOf(tenant),
  GROUP,
  ...(tenant.scim.roles ? [ROLE] : []),
];

const completeList = (documents: readonly JsonObject[]): JsonObject =>
  listResponse(documents, { total: documents.length, startIndex: 1 });

export const schemaList = (discovered: Discovered): JsonObject =>
  completeList(schemasOf(discovered).map((each) => schemaDocument(discovered.base, each)));

/** The schema with this URN, case-insensitively. */
export const schemaOf = (discovered: Discovered, urn: string): JsonObject | undefined => {
  const found = schemasOf(discovered).find(({ id }) => id.toLowerCase() === urn.toLowerCase());
  return found && schemaDocument(discovered.base, found);
};

export const resourceTypeList = (discovered: Discovered): JsonObject =>
  completeList(
    resourceTypesOf(discovered).map((each) => resourceTypeDocument(discovered.base, each)),
  );

export const resourceTypeOf = (discovered: Discovered, name: string): JsonObject | undefined => {
  const found = resourceTypesOf(discovered).find((each) => each.name === name);
  return found && resourceTypeDocument(discovered.base, found);
};
