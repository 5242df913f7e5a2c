import { isJsonObject, type JsonObject, type JsonValue } from '../../../domain/kernel/json.js';
import type { Operation } from '../../openapi/operation.js';
import { textOf } from './html.js';

type Schemas = Readonly<Record<string, JsonObject>>;

const EXAMPLE_ID = '6f1c2c1e-3b0e-4a58-9d7a-0a4c5b1d2e3f';

/** Name of the component that a schema refers to, if any. */
export const refNameOf = ({ $ref }: JsonObject): string | undefined =>
  typeof $ref === 'string' ? $ref.slice($ref.lastIndexOf('/') + 1) : undefined;

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

const primitive = ({ type, format, minimum }: JsonObject): JsonValue => {
  const kind = Array.isArray(type) ? firstOf(type) : type;
  if (kind === 'integer' || kind === 'number') return typeof minimum === 'number' ? minimum : 1;
  if (kind === 'boolean') return true;
  return BY_FORMAT[textOf(format)] ?? 'text';
};

/** A value of the schema: its own example, else a generated one. */
export const exampleOf = (given: JsonObject, schemas: Schemas): JsonValue => {
  const schema = schemas[refNameOf(given) ?? ''] ?? given;
  const { default: usual, const: only, enum: choices, items, properties, anyOf } = schema;
  const stated = statedExample(schema) ?? usual ?? only ?? firstOf(choices);
  if (stated !== undefined) return stated;
  if (isJsonObject(items)) return [exampleOf(items, schemas)];
  if (isJsonObject(properties)) {
    const entries = Object.entries(properties).map(([name, property]): [string, JsonValue] => [
      name,
      isJsonObject(property) ? exampleOf(property, schemas) : null,
    ]);
    return Object.fromEntries(entries);
  }
  const first = firstOf(anyOf);
  return isJsonObject(first) ? exampleOf(first, schemas) : primitive(schema);
};

/** Path parameters for which the examples use a name; all others are ids. */
const VARIABLES: Readonly<Record<string, string>> = { tenantSlug: 'acme', slug: 'acme' };

/** Quotes an argument for a POSIX shell. */
const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** The curl command for an operation. */
export const curlOf = (
  url: string,
  method: string,
  { security }: Operation,
  body: JsonValue | undefined,
): string => {
  const target = url.replaceAll(
    /\{(\w+)\}/g,
    (_match, name: string) => VARIABLES[name] ?? EXAMPLE_ID,
  );
  const isForOperators = security.some((scheme) => 'adminToken' in scheme);
  const token = isForOperators ? '$ROLLGATE_ADMIN_TOKEN' : '$ROLLGATE_API_KEY';
  const lines = [
    `curl ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}${quote(target)}`,
    `-H "Authorization: Bearer ${token}"`,
    ...(body === undefined
      ? []
      : [`-H 'Content-Type: application/json'`, `-d ${quote(JSON.stringify(body))}`]),
  ];
  return lines.join(' \\\n  ');
};
