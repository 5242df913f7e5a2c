import { DryRunView } from '../dry-run.js';
import type { Extensions } from '../../routes/extensions.js';
import type { Route } from '../../routes/route.js';
import type { JsonObject, JsonValue } from '../../domain/kernel/json.js';
import { codeOf, type DeclaredRefusal, REFUSALS } from '../../domain/kernel/refusals.js';
import { componentRef, headerRefs, type SchemaCatalogue } from './schema-catalogue.js';
import { withExamples } from './example-of.js';
import { EXAMPLE_MESSAGES, refusalsOfAll, sharedResponses } from './refusal-responses.js';
import { scimResponses } from './scim-operations.js';
import { scimSchemas } from './scim-schemas.js';

/** Every code there is, the core's first. */
const codesOf = ({ refusals }: Pick<Extensions, 'refusals'>): readonly string[] => [
  ...Object.keys(REFUSALS),
  ...refusals.map(({ code }) => code),
];

const ERROR_DETAIL: JsonObject = {
  type: 'object',
  description: 'One invalid part of the request: its path, and what is wrong with it.',
  properties: { path: { type: 'string' }, message: { type: 'string' } },
  required: ['path', 'message'],
  additionalProperties: false,
};

const errorOf = (codes: readonly string[]): JsonObject => ({
  type: 'object',
  description: 'The body of every error.',
  properties: {
    error: { type: 'string', enum: codes, description: 'Stable error code.' },
    message: { type: 'string', description: 'Human-readable explanation; the text may change.' },
    details: { type: 'array', items: componentRef('schemas', 'ErrorDetail') },
    request_id: { type: 'string', description: 'Include it when you report a problem.' },
  },
  required: ['error', 'message', 'request_id'],
  additionalProperties: false,
});

const exampleOf = (declared: DeclaredRefusal): JsonObject => ({
  value: {
    error: codeOf(declared),
    message: typeof declared === 'string' ? EXAMPLE_MESSAGES[declared] : declared.example,
    request_id: '3f6c1d2e-8f3b-4a57-9f0e',
  },
});

const header = (description: string, type = 'string'): JsonObject => ({
  description,
  schema: { type },
});

const HEADERS: JsonObject = {
  'X-Request-Id': header(
    "The request's own X-Request-Id if it is a token (RFC 9110, 5.6.2) of at most 128 characters, " +
      'else a generated id.',
  ),
  'RateLimit-Limit': header(
    'Requests allowed per minute for this key, session or admin token.',
    'integer',
  ),
  'RateLimit-Remaining': header('Requests left in the current minute.', 'integer'),
  'RateLimit-Reset': header('Seconds until the limit resets.', 'integer'),
  'Retry-After': header('Seconds to wait before retrying.', 'integer'),
  'WWW-Authenticate': header(
    '`Bearer`, with `error="invalid_token"` if a token was sent, or with ' +
      '`error="insufficient_scope"` and the missing `scope` (RFC 6750).',
  ),
  'Preference-Applied': header('`dry-run` if the request sent `Prefer: dry-run`.'),
  Location: header('URL of the resource.'),
  'Rollgate-Seq': header(
    'Position in the event log before the list was read; only in tenants with `scim.log_position`.',
  ),
  'Rollgate-Job': header('Id of the job that completes the change, if it takes longer than 20 s.'),
  'Idempotent-Replayed': header(
    '`true` if this is the stored response to an earlier request with the same Idempotency-Key.',
  ),
  ETag: header('Version of the resource, for If-Match and If-None-Match.'),
};

const parameter = (name: string, location: 'path' | 'header', description: string): JsonObject => ({
  name,
  in: location,
  ...(location === 'path' && { required: true }),
  description,
  schema: { type: 'string' },
});

const PARAMETERS: JsonObject = {
  tenantSlug: parameter('tenantSlug', 'path', "The tenant's slug."),
  idempotencyKey: {
    ...parameter(
      'Idempotency-Key',
      'header',
      'A unique value, honoured for 24 hours: a retry with the same value returns the first response.',
    ),
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
  },
  ifMatch: parameter('If-Match', 'header', 'ETags; 412 unless one matches.'),
  unlessMatch: parameter('If-None-Match', 'header', 'ETags; 412 if one matches.'),
  dryRunFlag: {
    name: 'dry_run',
    in: 'query',
    description: 'Preview the result without applying it: 200 with a `DryRun`.',
    schema: { type: 'boolean', default: false },
  },
  prefer: {
    ...parameter('Prefer', 'header', '`dry-run` does the same as `dry_run=true`.'),
    example: 'dry-run',
  },
  ifNoneMatch: parameter('If-None-Match', 'header', 'ETags; 304 if one matches.'),
};

const SECURITY: JsonObject = {
  apiKey: { type: 'http', scheme: 'bearer', description: 'An API key of the tenant.' },
  adminToken: {
    type: 'http',
    scheme: 'bearer',
    description: "The operators' admin token (`ROLLGATE_ADMIN_TOKEN`).",
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-rg_sid',
    description:
      'The session of a signed-in operator. Writes also need `X-CSRF-Token`. With the header ' +
      '`X-Rollgate-Session: setup`, the session of a setup link, in the cookie `__Host-rg_setup`.',
  },
};

const dryRunResponse = (catalogue: SchemaCatalogue): JsonObject => ({
  description: 'The preview of a dry run; nothing was applied.',
  headers: headerRefs('X-Request-Id', 'Preference-Applied'),
  content: { 'application/json': { schema: catalogue.add(DryRunView, 'output') } },
});

const sorted = (schemas: Readonly<Record<string, JsonObject>>): Record<string, JsonObject> =>
  Object.fromEntries(Object.entries(schemas).sort(([one], [other]) => one.localeCompare(other)));

export const createComponents = (
  catalogue: SchemaCatalogue,
  routes: readonly Route[],
  extensions: Extensions,
): JsonObject & { readonly schemas: Readonly<Record<string, JsonObject>> } => {
  // First, because it adds a schema.
  const DryRunPreview = dryRunResponse(catalogue);
  return {
    schemas: sorted({
      Error: errorOf(codesOf(extensions)),
      ErrorDetail: ERROR_DETAIL,
      ...withExamples(catalogue.named()),
      ...scimSchemas(),
    }),
    headers: HEADERS,
    responses: { ...sharedResponses(routes), ...scimResponses(), DryRunPreview },
    parameters: PARAMETERS,
    examples: Object.fromEntries(
      refusalsOfAll(routes).map((one): [string, JsonValue] => [codeOf(one), exampleOf(one)]),
    ),
    securitySchemes: {
      ...SECURITY,
      ...Object.fromEntries(
        extensions.posts.map(({ security }) => [security.name, security.scheme]),
      ),
    },
  };
};
