import { type JsonObject, type JsonValue, z } from '../../src/plugin/api.js';

/** A person as the connector yields them: the requested fields by id, and `text.<id>`. */
export const HiBobRecord = z
  .looseObject({ 'root.id': z.string() })
  .transform((record) => record as JsonObject);

type Person = Readonly<Record<string, unknown>>;

/**
 * The record of a person. A field is its stored value; `text.<id>` is what Bob's pages show if that
 * differs, such as the name of a list item.
 */
export const recordOf = (person: Person, fields: readonly string[]): JsonObject => {
  const shown = person['humanReadable'] as Person | undefined;
  const record: Record<string, JsonValue> = {};
  for (const id of fields) {
    const value = valueOf(person, id);
    record[id] = value ?? null;
    const text = shown && valueOf(shown, id);
    if (text !== undefined && text !== value) record[`text.${id}`] = text;
  }
  return record;
};

/** The name of a field that is sent by its path. */
export const slashed = (id: string): string => `/${id.replaceAll('.', '/')}`;

/**
 * A field of a person. Bob sends `work.title` by its path, with slashes instead of dots, as the value or
 * as `{value}`; or nested, as `work: {title}`, with the fields of `root` at the top.
 */
const valueOf = (person: Person, id: string): JsonValue | undefined => {
  const bySlash = person[slashed(id)];
  if (bySlash !== undefined)
    return isObject(bySlash) && 'value' in bySlash
      ? (bySlash['value'] as JsonValue)
      : (bySlash as JsonValue);
  let value: unknown = person;
  for (const name of id.replace(/^root\./, '').split('.'))
    value = isObject(value) ? value[name] : undefined;
  return value as JsonValue | undefined;
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
