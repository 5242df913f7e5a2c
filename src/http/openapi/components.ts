import { DryRunView } from '../../api/present-preview.js';
import type { Route } from '../../api/route.js';
import type { JsonObject, JsonValue } from '../../domain/json.js';
import { type RefusalCode, REFUSALS } from '../../domain/refusals.js';
import { componentRef, headerRefs } from './component-ref.js';
import { EXAMPLE_MESSAGES } from './example-messages.js';
import { codesOfAll, sharedResponses } from './refusal-responses.js';
import type { SchemaCatalogue } from './schema-catalogue.js';
import { scimResponses } from './scim-operations.js';
import { scimSchemas } from './scim-schemas.js';

const CODES = Object.keys(REFUSALS) as RefusalCode[];

const ERROR_DETAIL: JsonObject = {
  type: 'object',
  description: 'One fault: its place in the request, and what is wrong there.',
  properties: { path: { type: 'string' }, message: { type: 'string' } },
  required: ['path', 'message'],
  additionalProperties: false,
};

const ERROR: JsonObject = {
  type: 'object',
  description: 'A refusal: the same shape everywhere.',
  properties: {
    error: { type: 'string', enum: CODES, description: 'Stable, for programs.' },
    message: { type: 'string', description: 'For people: what to do. May change.' },
    details: { type: 'array', items: componentRef('schemas', 'ErrorDetail') },
    request_id: { type: 'string', description: 'Name it when you ask for help.' },
  },
  required: ['error', 'message', 'request_id'],
  additionalProperties: false,
};

const exampleOf = (code: RefusalCode): JsonObject => ({
  value: { error: code, message: EXAMPLE_MESSAGES[code], request_id: '3f6c1d2e-8f3b-4a57-9f0e' },
});

const header = (description: string, type = 'string'): JsonObject => ({
  description,
  schema: { type },
});

const HEADERS: JsonObject = {
  'X-Request-Id': header('The X-Request-Id of the request where it is sane, else a new one.'),
  'RateLimit-Limit': header('Requests that the key has in each minute.', 'integer'),
  'RateLimit-Remaining': header('How many of them are left.', 'integer'),
  'RateLimit-Reset': header('Seconds until all of them are there again.', 'integer'),
  'Retry-After': header('Seconds after which asking again makes sense.', 'integer'),
  'WWW-Authenticate': header(
    '`Bearer`, with `error="invalid_token"` if a token was sent, or with ' +
      '`error="insufficient_scope"` and the `scope` that is missing (RFC 6750).',
  ),
  'Preference-Applied': header('`dry-run`, where Prefer asked for one.'),
  Location: header('Address of the resource.'),
  'Rollgate-Job': header('Id of the job that completes the change, if that takes over 20 s.'),
  'Idempotent-Replayed': header('`true` if the first response to the Idempotency-Key is returned.'),
  ETag: header('The version of what is in the body, for If-Match and If-None-Match.'),
};

const parameter = (name: string, place: 'path' | 'header', description: string): JsonObject => ({
  name,
  in: place,
  ...(place === 'path' && { required: true }),
  description,
  schema: { type: 'string' },
});

const PARAMETERS: JsonObject = {
  tenantSlug: parameter('tenantSlug', 'path', "The tenant's slug."),
  idempotencyKey: parameter(
    'Idempotency-Key',
    'header',
    'Repeat the request with the same key, and it is done once: the first answer comes again.',
  ),
  ifMatch: parameter('If-Match', 'header', 'Versions of which it must have one, else 412.'),
  unlessMatch: parameter(
    'If-None-Match',
    'header',
    'Versions of which it must have none, else 412.',
  ),
  dryRun: {
    name: 'dry_run',
    in: 'query',
    description: 'Only tell what the request would come to: 200 with a `DryRun`. Nothing is done.',
    schema: { type: 'boolean', default: false },
  },
  prefer: {
    ...parameter('Prefer', 'header', '`dry-run` asks for a dry run, like `dry_run=true`.'),
    example: 'dry-run',
  },
  ifNoneMatch: parameter('If-None-Match', 'header', 'The version that you hold, for a 304.'),
};

const SECURITY: JsonObject = {
  apiKey: { type: 'http', scheme: 'bearer', description: 'An API key of the tenant.' },
  adminToken: {
    type: 'http',
    scheme: 'bearer',
    description: "The operators' ROLLGATE_ADMIN_TOKEN.",
  },
  webhookSignature: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Service-Signature',
    description:
      '`sha256=` and the HMAC-SHA256 of the raw body in hexadecimal, keyed with the secret of the ' +
      'registration. Verify it before you trust the body.',
  },
};

const dryRunResponse = (catalogue: SchemaCatalogue): JsonObject => ({
  description: 'The preview of a dry run; nothing was applied.',
  headers: headerRefs('X-Request-Id', 'Preference-Applied'),
  content: { 'application/json': { schema: catalogue.add(DryRunView, 'output') } },
});

const sorted = (schemas: Readonly<Record<string, JsonObject>>): Record<string, JsonObject> =>
  Object.fromEntries(Object.entries(schemas).sort(([one], [other]) => one.localeCompare(other)));

export const makeComponents = (
  catalogue: SchemaCatalogue,
  routes: readonly Route[],
): JsonObject & { readonly schemas: Readonly<Record<string, JsonObject>> } => {
  // Before the schemas are listed: it names one.
  const DryRun = dryRunResponse(catalogue);
  return {
    schemas: sorted({
      Error: ERROR,
      ErrorDetail: ERROR_DETAIL,
      ...catalogue.named(),
      ...scimSchemas(),
    }),
    headers: HEADERS,
    responses: { ...sharedResponses(routes), ...scimResponses(), DryRun },
    parameters: PARAMETERS,
    examples: Object.fromEntries(
      codesOfAll(routes).map((code): [string, JsonValue] => [code, exampleOf(code)]),
    ),
    securitySchemes: SECURITY,
  };
};
