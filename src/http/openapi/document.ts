import { type Extensions, NO_EXTENSIONS } from '../../routes/extensions.js';
import type { Route } from '../../routes/route.js';
import type { JsonObject } from '../../domain/kernel/json.js';
import { createComponents } from './components.js';
import {
  type Operation,
  operationOf,
  postedOperations,
  type PostedOperation,
} from './operation.js';
import { createSchemaCatalogue, type SchemaCatalogue } from './schema-catalogue.js';
import { scimPaths } from './scim-operations.js';
import { TOKEN_PATHS } from './token-operation.js';

/** An OpenAPI 3.1 document, as far as the reference page and tests use it. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly description: string;
    readonly contact: { readonly name: string };
    readonly license: { readonly name: string; readonly identifier: string };
  };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks?: Readonly<Record<string, { readonly post: PostedOperation }>>;
  readonly components: JsonObject & { readonly schemas: Readonly<Record<string, JsonObject>> };
}

export interface DocumentParts {
  readonly version: string;
  /** All routes, including those of plugins. */
  readonly routes: readonly Route[];
  readonly extensions?: Extensions;
}

const DESCRIPTION = [
  'Rollgate provisions the organisations of a push-to-talk voice service: their users, their rooms',
  'and who may transmit. Identity providers push over SCIM 2.0, integrators use the native API, and',
  'every change is recorded as an event.',
  '',
  'The tenant APIs are under `/v1/{tenantSlug}` and need an API key of that tenant; SCIM 2.0 is',
  "under `/v1/{tenantSlug}/scim/v2`. The operators' API is under `/admin/v1` and needs the admin",
  'token, or the session of a signed-in operator.',
  '',
  '**Dry runs.** Add `Prefer: dry-run` (or `dry_run=true`) to any operation that lists it, and the',
  'result is previewed without being applied: the response is 200 with a `DryRun` and',
  '`Preference-Applied: dry-run`, in place of the responses listed for the operation.',
  '',
  '**Errors.** Every response carries `X-Request-Id`. Every error has a stable code in `error`.',
  '',
  '**Keys.** An API key has the form `rg_[0-9A-Za-z]{8}_[0-9A-Za-z]{38}`. Its last six characters',
  'are the CRC32 of the rest in base62 (digits, upper case, lower case), so that secret scanners can',
  'detect leaked keys.',
].join('\n');

const TAGS: Readonly<Record<string, string>> = {
  SCIM: 'For identity providers: SCIM 2.0 (RFC 7643, RFC 7644), also served at the tenant root.',
  'Key and capacity': 'The API key in use, and seat usage.',
  Users: "The tenant's users.",
  Rooms: "The tenant's voice rooms and their SCIM group mappings.",
  'Room members': 'Members of a room, and whether each may transmit.',
  'SMS lists': 'Recipient lists for text messages, with validity windows.',
  Tenants: 'For operators: the organisations that this gateway serves.',
  Overview: 'For operators: a tenant at a glance, and one search over all it has.',
  System: 'For operators: the gateways, the database and their state.',
  'API keys': "For operators: a tenant's API keys.",
  Connections: 'For operators: the health of the clients that use a tenant, by API key.',
  'Rooms of a tenant': 'For operators: create, rename, map and delete rooms.',
  'Users of a tenant': "For operators: a tenant's users.",
  'Room members of a tenant': "For operators: the members of a tenant's rooms.",
  'Groups of a tenant': "For operators: a tenant's SCIM groups, with their rooms and roles.",
  'SMS lists of a tenant': "For operators: a tenant's SMS lists; phone numbers are masked.",
  'Events of a tenant': "For operators: the tenant's event log.",
  'Schema extension': "For operators: a tenant's own attributes of users.",
  'Role mappings': 'For operators: the roles that SCIM groups give to their members.',
  Jobs: 'Large changes that continue in the background.',
  'Captured requests': 'For operators: what an identity provider really sent, masked, for a day.',
  'Provisioning log': 'For operators: every command with its actor, outcome and changes.',
  'Admin token': 'For operators: replace the admin token.',
  'Sign-in': 'For operators: sign in with a browser, and out.',
  'Setup links': 'For operators: let the administrator of a customer connect their provider.',
  Operators: 'For owners: the people who operate this gateway, and their sessions.',
  Plugins: 'For operators: the plugins of this gateway and their health.',
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

const tagsOf = (routes: readonly Route[], { tags, posts }: Extensions): OpenApiDocument['tags'] => [
  ...[...new Set(['SCIM', ...routes.map(({ tag }) => tag)])].map((name) => {
    const description = TAGS[name] ?? tags[name];
    return description === undefined ? { name } : { name, description };
  }),
  ...posts.map(({ tag }) => tag),
];

/**
 * The OpenAPI document of these routes. Throws if two different schemas have the same name, since
 * one of them would be missing in generated clients.
 */
export const createOpenApi = ({
  version,
  routes,
  extensions = NO_EXTENSIONS,
}: DocumentParts): OpenApiDocument => {
  const catalogue = createSchemaCatalogue();
  const paths = pathsOf(routes, catalogue);
  const posted = extensions.posts.flatMap((posts) => postedOperations(posts, catalogue));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Rollgate',
      version,
      description: DESCRIPTION,
      contact: { name: 'Rollgate' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: tagsOf(routes, extensions),
    paths: { ...scimPaths(), ...TOKEN_PATHS, ...paths },
    ...(posted.length > 0 && { webhooks: Object.fromEntries(posted) }),
    components: createComponents(catalogue, routes, extensions),
  };
};
