import { isJsonObject, type JsonObject, type JsonValue } from '../domain/json.js';
import type { RefusalDetail } from '../domain/refusals.js';
import { type Attribute, type AttributeTable, isKept } from './attributes.js';
import { faultOfText } from './text-rules.js';

/** A person has a handful of addresses; more than this is a mistake, and every PATCH compares them. */
export const MOST_VALUES = 100;

/** Where a value stands in the request, and where its faults are gathered. */
export interface Place {
  readonly path: string;
  readonly faults: RefusalDetail[];
}

/** A value that was read; null: none. */
export type Read = JsonValue | null;

const fault = ({ path, faults }: Place, message: string): null => {
  faults.push({ path, message });
  return null;
};

const kindOf = (value: unknown): string => {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  return typeof value === 'string' ? 'a text' : `a ${typeof value}`;
};

const wrong = (place: Place, wanted: string, value: unknown): null =>
  fault(place, `must be ${wanted}, not ${kindOf(value)}`);

const REQUIRED = 'is required';

const readText = (attribute: Attribute, value: unknown, place: Place): Read => {
  if (typeof value !== 'string') return wrong(place, 'a text', value);
  const why = attribute.required && value.trim() === '' ? REQUIRED : faultOfText(attribute, value);
  return why === undefined ? value : fault(place, why);
};

/** Entra and SCIM-SDK clients send booleans as texts (facts on identity providers, 2, 22). */
const readBoolean = (value: unknown, place: Place): Read => {
  const given = typeof value === 'string' ? value.toLowerCase() : value;
  if (given === true || given === 'true') return true;
  if (given === false || given === 'false') return false;
  return wrong(place, 'true or false', value);
};

const readNumber = ({ type }: Attribute, value: unknown, place: Place): Read => {
  const fits = type === 'integer' ? Number.isSafeInteger(value) : Number.isFinite(value);
  return fits ? (value as number) : wrong(place, `a number (${type})`, value);
};

const readDateTime = (value: unknown, place: Place): Read => {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? wrong(place, 'a time', value) : new Date(time).toISOString();
};

const readMembers = (table: AttributeTable, given: JsonObject, place: Place): JsonObject => {
  const members: Record<string, JsonValue> = {};
  for (const [key, value] of Object.entries(given)) {
    const attribute = table.get(key.toLowerCase());
    if (!attribute || !isKept(attribute)) continue;
    const inside = { ...place, path: `${place.path}.${attribute.name}` };
    if (Object.hasOwn(members, attribute.name)) fault(inside, 'is named twice');
    members[attribute.name] = readValue(attribute, value, inside);
  }
  return members;
};

/** A bare text is the `value`, as Entra sends managers and members (facts on identity providers, 9). */
const readComplex = (attribute: Attribute, given: unknown, place: Place): Read => {
  const { subAttributes } = attribute;
  if (typeof given === 'string' && subAttributes.has('value')) {
    return readMembers(subAttributes, { value: given }, place);
  }
  return isJsonObject(given)
    ? readMembers(subAttributes, given, place)
    : wrong(place, 'an object', given);
};

const readSingle = (attribute: Attribute, value: unknown, place: Place): Read => {
  switch (attribute.type) {
    case 'string':
    case 'reference':
    case 'binary':
      return readText(attribute, value, place);
    case 'boolean':
      return readBoolean(value, place);
    case 'integer':
    case 'decimal':
      return readNumber(attribute, value, place);
    case 'dateTime':
      return readDateTime(value, place);
    case 'complex':
      return readComplex(attribute, value, place);
  }
};

/** An object without its members that are no value. */
export const withoutNulls = (object: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(object).filter(([, value]) => value !== null && value !== undefined),
  );

/** What says how a value is meant, and is nothing once the value is taken away. */
const ABOUT_VALUE: ReadonlySet<string> = new Set(['type', 'primary']);

/**
 * An element without its members that are no value; undefined where its `value` is taken away (null)
 * and nothing else is left to keep: Entra clears an e-mail so, and OneLogin sends fields that were
 * never filled in. One that never had a value, and has a type alone, stays.
 */
export const withoutEmptied = (element: JsonObject): JsonObject | undefined => {
  const left = withoutNulls(element);
  const isEmptied = element['value'] === null;
  return isEmptied && Object.keys(left).every((name) => ABOUT_VALUE.has(name)) ? undefined : left;
};

const isNoValue = (value: unknown): boolean =>
  value === null || value === undefined || value === '';

const readElement = (attribute: Attribute, value: unknown, place: Place): JsonValue[] => {
  const element = isNoValue(value) ? null : readSingle(attribute, value, place);
  if (element === null) return [];
  const left = isJsonObject(element) ? withoutEmptied(element) : element;
  return left === undefined ? [] : [left];
};

/** One value where a list belongs is a list of one: OneLogin sends `emails` so. */
const readList = (attribute: Attribute, value: unknown, place: Place): Read => {
  const given: readonly unknown[] = Array.isArray(value) ? value : [value];
  // A hundred thousand members go through at once: whoever takes them looks at what is in them.
  if (attribute.isUnbounded) return given as JsonValue[];
  if (given.length > MOST_VALUES) return fault(place, `may have ${MOST_VALUES} values at most`);
  return given.flatMap((each, index) =>
    readElement(attribute, each, { ...place, path: `${place.path}[${index}]` }),
  );
};

/** SCIM-SDK clients put a single value into a list of one (facts on identity providers, 22). */
const unwrapped = (value: unknown): unknown =>
  Array.isArray(value) && value.length === 1 ? (value as unknown[])[0] : value;

/**
 * A value as the attribute's type has it; null where it is none: null, an empty text (RFC 7643,
 * 2.5; Entra clears so), or one that is refused, which is then among the faults. Members of a
 * complex value that are no value are null in it, for a PATCH clears them.
 *
 * Our own reader instead of `definition.coerce` of scimmy: that refuses what IdPs send (canonical
 * values, relative references, booleans as texts), costs 76 µs, and walks dotted keys as
 * properties (scimmy facts, S2 and 9).
 */
export const readValue = (attribute: Attribute, value: unknown, place: Place): Read => {
  if (!attribute.multiValued) return readOne(attribute, value, place);
  return isNoValue(value) ? null : readList(attribute, value, place);
};

/** The same for a value that is not to be a list: a single one, or one element of a list. */
export const readOne = (attribute: Attribute, value: unknown, place: Place): Read => {
  const given = unwrapped(value);
  return isNoValue(given) ? null : readSingle(attribute, given, place);
};
