import type { JsonObject, JsonValue } from '../../../src/plugin/api.js';

/** `preferredName | firstName`: the alternatives of a path, in order. */
const alternativesOf = (path: string): readonly string[] =>
  path
    .split('|')
    .map((part) => part.trim())
    .filter((part) => part !== '');

const own = (value: JsonValue | undefined, name: string): JsonValue | undefined =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as JsonObject)[name]
    : undefined;

/** Blank text, null and empty lists count as no value: exports write them for "unknown". */
export const hasValue = (value: JsonValue | undefined): value is JsonValue =>
  value !== undefined &&
  value !== null &&
  !(typeof value === 'string' && value.trim() === '') &&
  !(Array.isArray(value) && value.length === 0);

/** A column may be named `E-Mail (work)` or `a.b`, so the whole path is tried as a name first. */
const readOne = (data: JsonObject, path: string): JsonValue | undefined => {
  const whole = own(data, path);
  if (whole !== undefined || !path.includes('.')) return whole;
  return path.split('.').reduce<JsonValue | undefined>(own, data);
};

/** The first alternative that has a value. */
export const sourceOf = (data: JsonObject, path: string): string | undefined =>
  alternativesOf(path).find((one) => hasValue(readOne(data, one)));

/** The value of the first alternative that has one. */
export const readPath = (data: JsonObject, path: string): JsonValue | undefined => {
  for (const alternative of alternativesOf(path)) {
    const value = readOne(data, alternative);
    if (hasValue(value)) return value;
  }
  return undefined;
};

/** The value as text; undefined for objects and lists. */
export const readText = (data: JsonObject, path: string): string | undefined => {
  const value = readPath(data, path);
  if (typeof value === 'string') return value.trim();
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
};

/** The fields of a record in which a path may end: `a.b | c` may be in `a.b`, `a` and `c`. */
export const fieldsOf = (path: string): readonly string[] =>
  alternativesOf(path).flatMap((part) => {
    const [first = part] = part.split('.');
    return first === part ? [part] : [part, first];
  });

const keysByCase = new WeakMap<object, ReadonlyMap<string, string>>();

/** The key of a table that is this text, in upper or lower case: directories change the case of names. */
export const keyIn = (table: object, text: string): string | undefined => {
  if (Object.hasOwn(table, text)) return text;
  const keys =
    keysByCase.get(table) ?? new Map(Object.keys(table).map((key) => [key.toLowerCase(), key]));
  keysByCase.set(table, keys);
  return keys.get(text.toLowerCase());
};
