import type { Route } from '../../api/route.js';
import type { WebhookShape } from '../../api/webhook-shape.js';
import type { JsonObject } from '../../domain/json.js';
import { makeComponents } from './components.js';
import { type Operation, operationOf } from './operation.js';
import { catalogueSchemas, type SchemaCatalogue } from './schema-catalogue.js';
import { webhookOf } from './webhook.js';

/** An OpenAPI 3.1 document, as far as the reference page and the tests look into it. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly description: string;
    readonly license: { readonly name: string; readonly identifier: string };
  };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks?: JsonObject;
  readonly components: JsonObject & { readonly schemas: Readonly<Record<string, JsonObject>> };
}

export interface DocumentParts {
  readonly version: string;
  /** Every route of every API, plugins' too. */
  readonly routes: readonly Route[];
  readonly webhooks?: readonly WebhookShape[];
}

const DESCRIPTION = [
  'Rollgate provisions users from identity providers, HR systems and your own tools, and tells',
  'webhooks what happened.',
  '',
  'The tenant API is under `/v1/{tenantSlug}` and needs an API key of that tenant; the',
  "operators' API is under `/admin/v1` and needs the admin token. SCIM 2.0 is served under",
  '`/v1/{tenantSlug}/scim/v2` and describes itself at `/ServiceProviderConfig`, `/Schemas` and',
  '`/ResourceTypes`.',
  '',
  'A write with `dry_run=true` or `Prefer: dry-run` is only tried out: the answer tells what it would',
  'come to, and nothing is done.',
  '',
  'Every answer carries `X-Request-Id`. Every refusal is an `Error` with a stable code in `error`.',
  'An API key has the form `rg_[0-9A-Za-z]{8}_[0-9A-Za-z]{38}`; its last six characters are the',
  'CRC32 of all before them in base62 (digits, capitals, small letters), so that a scanner can',
  'tell a leaked key from a look-alike.',
].join('\n');

const TAGS: Readonly<Record<string, string>> = {
  'Key and capacity': 'What the key that you hold is, and how many seats are left.',
  Users: 'The people of the tenant.',
  Events: 'What happened, for those who would rather ask than be told.',
  Rooms: 'The voice rooms of the tenant and their SCIM group mappings.',
  'Room members': 'Who is in a room, and who of them may transmit.',
  Webhooks: 'Addresses that are told what happens, as it happens.',
  Tenants: 'For operators: the organisations that this gateway serves.',
  'API keys': "For operators: a tenant's keys.",
  'Rooms of a tenant': 'For operators: rooms are made, renamed and removed here.',
  'Role mappings': 'For operators: which SCIM group gives its members which role.',
  Jobs: 'For operators: large changes that go on after their answer.',
  'Provisioning log': 'For operators: who asked for what, and what came of it.',
  Plugins: 'For operators: what runs in this gateway.',
};

const pathOf = ({ api, path }: Route): string =>
  (api === 'native' ? '/v1/{tenantSlug}' : '/admin/v1') + path;

const pathsOf = (
  routes: readonly Route[],
  catalogue: SchemaCatalogue,
): OpenApiDocument['paths'] => {
  const paths: Record<string, Record<string, Operation>> = {};
  for (const route of routes) {
    const operations = (paths[pathOf(route)] ??= {});
    operations[route.method.toLowerCase()] = operationOf(route, catalogue);
  }
  return paths;
};

const tagsOf = (routes: readonly Route[]): OpenApiDocument['tags'] =>
  [...new Set(routes.map(({ tag }) => tag))].map((name) => {
    const description = TAGS[name];
    return description === undefined ? { name } : { name, description };
  });

/**
 * The OpenAPI document of a route table. Throws where two different schemas go by one name, which
 * would make one of them disappear from generated clients.
 */
export const makeOpenApi = ({ version, routes, webhooks = [] }: DocumentParts): OpenApiDocument => {
  const catalogue = catalogueSchemas();
  const paths = pathsOf(routes, catalogue);
  const posted = webhooks.map((shape) => [shape.name, webhookOf(shape, catalogue)] as const);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Rollgate',
      version,
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: tagsOf(routes),
    paths,
    ...(posted.length > 0 && { webhooks: Object.fromEntries(posted) }),
    components: makeComponents(catalogue, routes),
  };
};
