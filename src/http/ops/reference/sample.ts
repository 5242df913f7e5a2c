import { isJsonObject, type JsonObject, type JsonValue } from '../../../domain/json.js';
import { textOf } from './text-of.js';

type Schemas = Readonly<Record<string, JsonObject>>;

const REF = '#/components/schemas/';

/** The schema that a `$ref` stands for, or the schema itself. */
export const resolve = (schema: JsonObject, schemas: Schemas): JsonObject => {
  const { $ref } = schema;
  if (typeof $ref !== 'string') return schema;
  return schemas[$ref.slice(REF.length)] ?? {};
};

/** The name of the component that a schema refers to, if it does. */
export const nameOf = ({ $ref }: JsonObject): string | undefined =>
  typeof $ref === 'string' ? $ref.slice(REF.length) : undefined;

const BY_FORMAT: Readonly<Record<string, string>> = {
  uuid: '6f1c2c1e-3b0e-4a58-9d7a-0a4c5b1d2e3f',
  'date-time': '2026-01-31T12:00:00.000Z',
  email: 'ada@example.com',
  uri: 'https://example.com/hook',
};

const firstOf = (value: JsonValue | undefined): JsonValue | undefined =>
  Array.isArray(value) ? (value as readonly JsonValue[])[0] : undefined;

const plain = ({ type, format, minimum }: JsonObject): JsonValue => {
  const kind = Array.isArray(type) ? firstOf(type) : type;
  if (kind === 'integer' || kind === 'number') return typeof minimum === 'number' ? minimum : 1;
  if (kind === 'boolean') return true;
  return BY_FORMAT[textOf(format)] ?? 'text';
};

const ofProperties = (properties: JsonObject, schemas: Schemas): JsonValue =>
  Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [
      name,
      isJsonObject(property) ? sampleOf(property, schemas) : null,
    ]),
  );

/** A value of the schema: its own example where it has one, else one that is made up. */
export const sampleOf = (given: JsonObject, schemas: Schemas): JsonValue => {
  const schema = resolve(given, schemas);
  const { examples, default: usual, const: only, enum: choices, anyOf } = schema;
  const stated = firstOf(examples) ?? usual ?? only ?? firstOf(choices);
  if (stated !== undefined) return stated;
  if (isJsonObject(schema.items)) return [sampleOf(schema.items, schemas)];
  if (isJsonObject(schema.properties)) return ofProperties(schema.properties, schemas);
  const first = firstOf(anyOf);
  return isJsonObject(first) ? sampleOf(first, schemas) : plain(schema);
};
