import { isJsonObject, type JsonObject, type JsonValue } from '../domain/kernel/json.js';
import { sameJson } from './same-json.js';

/** The value at a path of single-valued attributes. */
export const valueAt = (resource: JsonObject, path: readonly string[]): JsonValue | undefined =>
  path.reduce<JsonValue | undefined>(
    (value, name) => (isJsonObject(value) ? value[name] : undefined),
    resource,
  );

const without = (object: JsonObject, name: string): JsonObject => {
  if (!Object.hasOwn(object, name)) return object;
  const { [name]: _, ...rest } = object;
  return rest;
};

const withMember = (object: JsonObject, name: string, value: JsonValue | undefined): JsonObject => {
  if (value === undefined) return without(object, name);
  return sameJson(object[name], value) ? object : { ...object, [name]: value };
};

/**
 * A copy with this value at the path; undefined removes it. Returns the same object if nothing
 * changes. A complex attribute that loses its last sub-attribute is removed too.
 */
export const withValueAt = (
  resource: JsonObject,
  path: readonly string[],
  value: JsonValue | undefined,
): JsonObject => {
  const [name, ...rest] = path;
  if (name === undefined) return resource;
  if (rest.length === 0) return withMember(resource, name, value);
  const inner = resource[name];
  const changed = withValueAt(isJsonObject(inner) ? inner : {}, rest, value);
  return withMember(resource, name, Object.keys(changed).length > 0 ? changed : undefined);
};
