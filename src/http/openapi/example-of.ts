import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/kernel/json.js';

type Schemas = Readonly<Record<string, JsonObject>>;

export const EXAMPLE_ID = '6f1c2c1e-3b0e-4a58-9d7a-0a4c5b1d2e3f';

/** What fields of these names have in examples. A field of another meaning states `examples`. */
const BY_NAME: Readonly<Record<string, JsonValue>> = {
  access_tokens: false,
  action: null,
  address: '203.0.113.7',
  admin_token: 'rgadm_…',
  available: 2,
  capacity: 50,
  changed: 'display_name',
  client: 'Okta',
  code: 'SEATS_NEARLY_FULL',
  csrf_token: 'h3hq0cY0xq8m1cY2nX0J8nqjzTt0o2bqS3qvE8yq3xk',
  default_country: 'DE',
  default_role: 'member',
  description: 'Okta',
  disabled_at: null,
  display_name: 'Ada Lovelace',
  email: 'ada@example.com',
  error: null,
  event: 'user.created',
  expires_at: '2026-02-03T12:00:00.000Z',
  external_id: 'HR-1815',
  finished_at: null,
  group_display_name: 'Dispatch',
  group_id: '5d0c9b8a-7f6e-4d5c-8b4a-392817065f4e',
  group_name: 'Dispatch',
  has_more: false,
  host: 'gateway-1',
  id: EXAMPLE_ID,
  integrations: false,
  is_unused: false,
  key: `rg_4fJx09Qa_${'•'.repeat(38)}`,
  key_id: '0b9f6d3e-5a3c-4b8e-8a55-6d1d2c3b4a59',
  key_prefix: 'rg_4fJx09Qa',
  kind: 'user',
  last_error: null,
  limit: 100,
  link: 'users',
  list_id: '8d0f2b1c-4a5e-4f6d-9c7b-2e1d0c9b8a7f',
  log_position: false,
  max_removals_per_hour: null,
  member_count: 12,
  members_added: 3,
  members_removed: 2,
  members_updated: 1,
  message: null,
  name: 'Dispatch',
  next: null,
  obstacle: null,
  oidc: null,
  passkey_host: 'gateway.example.com',
  phone_number: '+4915123456789',
  phone_numbers: '+4915123456789',
  prefix: 'rg_4fJx09Qa',
  priority: 100,
  problem: null,
  provider: 'okta',
  provisioned: 48,
  replica_set: 'rs0',
  request_id: 'b3f0c2d1a9e84c57',
  role: 'member',
  roles: false,
  room_id: '1c8e4f0a-5b2d-4c6e-9f70-3a1b2c3d4e5f',
  scope: null,
  seat_capacity: 50,
  seats_available: 2,
  seats_provisioned: 48,
  setup: null,
  setup_open: false,
  setup_pending: false,
  sign_out_url: null,
  slug: 'acme',
  status: 200,
  strict_errors: false,
  tenant: 'acme',
  tenant_id: '9d2b7f6a-1c3d-4e5f-8a9b-0c1d2e3f4a5b',
  tenant_name: 'Acme',
  tenant_slug: 'acme',
  tenants: null,
  token_url: null,
  total: 100,
  unavailable: null,
  url: 'https://hooks.example.com/rollgate',
  user_agent: 'Okta SCIM Client 1.0.0',
  user_name: 'ada@example.com',
  valid_from: null,
  version: '0.1.0',
};

const BY_FORMAT: Readonly<Record<string, string>> = {
  uuid: EXAMPLE_ID,
  'date-time': '2026-01-31T12:00:00.000Z',
  email: 'ada@example.com',
  uri: 'https://example.com/hook',
};

const firstOf = (value: JsonValue | undefined): JsonValue | undefined =>
  Array.isArray(value) ? (value as readonly JsonValue[])[0] : undefined;

/** The schema's own example, if it has one. */
export const statedExample = ({ examples, example }: JsonObject): JsonValue | undefined =>
  firstOf(examples) ?? example;

/** The type of a schema that has one, without null. */
const typeOf = ({ type }: JsonObject): JsonValue | undefined =>
  Array.isArray(type) ? firstOf(type) : type;

/** The example of a field with this name, if its schema accepts it. */
const exampleByName = (name: string, schema: JsonObject): JsonValue | undefined => {
  const value = BY_NAME[name];
  if (value === null) return [schema['type']].flat().includes('null') ? null : undefined;
  const type = typeOf(schema);
  return typeof value === (type === 'integer' ? 'number' : type) ? value : undefined;
};

const primitive = (schema: JsonObject): JsonValue => {
  const { format, minimum } = schema;
  switch (typeOf(schema)) {
    case 'integer':
    case 'number':
      return typeof minimum === 'number' ? minimum : 1;
    case 'boolean':
      return true;
    case 'string':
      return BY_FORMAT[typeof format === 'string' ? format : ''] ?? 'text';
    case 'object':
      return {};
    default:
      return null;
  }
};

/** Name of the component that a schema refers to, if any. */
export const refNameOf = ({ $ref }: JsonObject): string | undefined =>
  typeof $ref === 'string' ? $ref.slice($ref.lastIndexOf('/') + 1) : undefined;

/** The fields that are always present, with an example of each. */
const exampleOfFields = (
  properties: JsonObject,
  required: JsonValue | undefined,
  schemas: Schemas,
): JsonObject => {
  const names: readonly JsonValue[] = Array.isArray(required) ? required : [];
  const entries = Object.entries(properties)
    .filter(([name]) => names.includes(name))
    .map(([name, field]): [string, JsonValue] => [
      name,
      isJsonObject(field) ? exampleOf(field, schemas, name) : null,
    ]);
  return Object.fromEntries(entries);
};

/** An example of a schema: the stated one, else one composed of those of its fields. */
export const exampleOf = (given: JsonObject, schemas: Schemas, name = ''): JsonValue => {
  const schema = schemas[refNameOf(given) ?? ''] ?? given;
  const { const: only, enum: choices, items, properties, anyOf, oneOf } = schema;
  const stated = statedExample(schema) ?? schema['default'] ?? only ?? firstOf(choices);
  const example = stated ?? exampleByName(name, schema);
  if (example !== undefined) return example;
  if (isJsonObject(items)) return [exampleOf(items, schemas, name)];
  if (isJsonObject(properties)) return exampleOfFields(properties, schema['required'], schemas);
  const first = firstOf(anyOf) ?? firstOf(oneOf);
  return isJsonObject(first) ? exampleOf(first, schemas, name) : primitive(schema);
};

/** The schemas, each object with an example. */
export const withExamples = (schemas: Schemas): Schemas =>
  Object.fromEntries(
    Object.entries(schemas).map(([id, schema]) => [
      id,
      isJsonObject(schema['properties']) && statedExample(schema) === undefined
        ? { ...schema, examples: [exampleOf(schema, schemas)] }
        : schema,
    ]),
  );
