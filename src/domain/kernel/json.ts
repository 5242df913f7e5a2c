/** JSON data of bodies, commands and records. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue | undefined };

/** A JSON object. */
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined;
}

/** Whether a value is a JSON object. */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value at a path of objects. */
export const valueAt = (object: JsonObject, path: readonly string[]): JsonValue | undefined =>
  path.reduce<JsonValue | undefined>(
    (value, name) => (isJsonObject(value) ? value[name] : undefined),
    object,
  );

const withMember = (object: JsonObject, name: string, value: JsonValue | undefined): JsonObject => {
  if (value !== undefined) return { ...object, [name]: value };
  if (!Object.hasOwn(object, name)) return object;
  const { [name]: _, ...rest } = object;
  return rest;
};

/** A copy with this value at the path; undefined removes it, and objects that become empty. */
export const withValueAt = (
  object: JsonObject,
  path: readonly string[],
  value: JsonValue | undefined,
): JsonObject => {
  const [name, ...rest] = path;
  if (name === undefined) return object;
  if (rest.length === 0) return withMember(object, name, value);
  const inner = object[name];
  const changed = withValueAt(isJsonObject(inner) ? inner : {}, rest, value);
  return withMember(object, name, Object.keys(changed).length > 0 ? changed : undefined);
};

const definedEntries = (value: object): [string, unknown][] =>
  Object.entries(value).filter(([, member]) => member !== undefined);

/** Deep equality of plain data and dates. Undefined members and the order of keys do not matter. */
export const isSame = (one: unknown, other: unknown): boolean => {
  if (one === other) return true;
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((item, at) => isSame(item, other[at]));
  if (one instanceof Date && other instanceof Date) return one.getTime() === other.getTime();
  if (!isJsonObject(one) || !isJsonObject(other)) return false;
  const members = definedEntries(one);
  return (
    members.length === definedEntries(other).length &&
    members.every(([key, member]) => Object.hasOwn(other, key) && isSame(member, other[key]))
  );
};
