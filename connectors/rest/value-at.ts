import type { JsonObject, JsonValue } from '../../src/plugin/api.js';

const own = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;

/**
 * The value at a path such as `data.people` or `errors.0.message`; undefined if there is none. As in
 * mappings, a name that contains dots is found first.
 */
export const valueAt = (value: unknown, path: string): unknown => {
  const whole = own(value, path);
  return whole !== undefined ? whole : path.split('.').reduce<unknown>(own, value);
};

/** The text of a value; undefined for objects, lists, null and empty text. */
export const textOf = (value: unknown): string | undefined => {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
};

/** The object with a value at a path of names. */
export const withValueAt = (object: JsonObject, path: string, value: JsonValue): JsonObject => {
  const [name = path, ...rest] = path.split('.');
  const inner = own(object, name);
  return {
    ...object,
    [name]:
      rest.length === 0
        ? value
        : withValueAt(isObject(inner) ? (inner as JsonObject) : {}, rest.join('.'), value),
  };
};

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
