import { isJsonObject, type JsonObject, type JsonValue } from '../domain/kernel/json.js';
import { nameError } from '../domain/kernel/names.js';
import { CUSTOM } from '../domain/tenant/custom-attributes.js';
import { type RefusalDetail, refuseValues } from '../domain/kernel/refusals.js';
import { MAX_VALUES, withoutClearedValue } from '../domain/user/profile-lists.js';
import { type Attribute, type AttributeTable, isStored } from './attributes.js';
import { parseInstant } from '../domain/kernel/instants.js';

/** Maximum length of a value in UTF-16 code units; 1,024 if not listed. */
const MAX_LENGTHS: ReadonlyMap<string, number> = new Map([
  ['userName', 256],
  ['addresses.formatted', 4096],
  ['addresses.streetAddress', 4096],
  ['profileUrl', 4096],
  ['photos.value', 4096],
  ['x509Certificates.value', 16_384],
]);
const DEFAULT_MAX_LENGTH = 1024;

/** By the decider, in bytes (custom-attributes.ts). */
const isLimitedElsewhere = ([first]: readonly string[]): boolean => first === CUSTOM;

/** Free text that may contain line breaks (RFC 7643, 4.1.2; decisions.md 2). */
const MULTI_LINE: ReadonlySet<string> = new Set(['addresses.formatted', 'addresses.streetAddress']);

/** These identify a user, so no two may look alike. */
const IDENTIFIERS: ReadonlySet<string> = new Set(['userName', 'externalId', 'emails.value']);

const CONTROL = /\p{Cc}/u;
const CONTROL_EXCEPT_LINES = /[^\P{Cc}\t\n\r]/u;

/** An object or a list that a client has encoded twice. */
const JSON_TEXT = /^\s*(?:\{\s*"|\[\s*[{"])/;
const IS_JSON = 'must not be a JSON text; send the value itself';

/** Why a text is not valid for an attribute; undefined if it is (decisions.md 2). */
const textError = ({ reference }: Attribute, text: string): string | undefined => {
  const path = reference.path.join('.');
  const maxLength = MAX_LENGTHS.get(path) ?? DEFAULT_MAX_LENGTH;
  if (text.length > maxLength && !isLimitedElsewhere(reference.path))
    return `must have at most ${maxLength} characters`;
  if (!text.isWellFormed()) return 'must not contain a lone surrogate';
  const control = MULTI_LINE.has(path) ? CONTROL_EXCEPT_LINES : CONTROL;
  if (control.test(text)) return 'must not contain control characters';
  if (!IDENTIFIERS.has(path)) return undefined;
  return JSON_TEXT.test(text) ? IS_JSON : nameError(text);
};

const MAX_NAME_LENGTH = 256;

/**
 * Why a text is not valid as a group name; undefined if it is. Names select rooms and role
 * mappings, so no two may look alike.
 */
export const groupNameError = (name: string): string | undefined => {
  if (name.trim() === '') return 'is required';
  if (name.length > MAX_NAME_LENGTH) return `must have at most ${MAX_NAME_LENGTH} characters`;
  return nameError(name);
};

/**
 * Picks the members with these names, which are case-insensitive (RFC 7643, 2.1): ignoring the
 * `Value` of a remove would remove every member. A name that appears in two spellings is refused as
 * ambiguous. `pathPrefix` precedes the name in the error.
 */
export const pickIgnoringCase = <Name extends string>(
  object: JsonObject,
  names: readonly Name[],
  pathPrefix = '',
): { readonly [Known in Name]?: JsonValue } => {
  const found: { [Known in Name]?: JsonValue } = {};
  for (const [key, value] of Object.entries(object)) {
    const folded = key.toLowerCase();
    const name = names.find((each) => each.toLowerCase() === folded);
    if (name === undefined || value === undefined) continue;
    if (Object.hasOwn(found, name))
      refuseValues([{ path: `${pathPrefix}${name}`, message: 'appears twice' }]);
    found[name] = value;
  }
  return found;
};

/** The path of a value in the request, and the list that collects errors. */
export interface ReadContext {
  readonly path: string;
  readonly details: RefusalDetail[];
}

/** The value, or null if there is none. */
export type ReadResult = JsonValue | null;

const addError = ({ path, details }: ReadContext, message: string): null => {
  details.push({ path, message });
  return null;
};

const jsonTypeOf = (value: unknown): string => {
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'an object';
  return typeof value === 'string' ? 'a string' : `a ${typeof value}`;
};

const addTypeError = (context: ReadContext, expected: string, value: unknown): null =>
  addError(context, `must be ${expected}, not ${jsonTypeOf(value)}`);

const REQUIRED = 'is required';

/** A whole number is read as a text, as texts are read as booleans: JSON encoders write ids so. */
const readText = (attribute: Attribute, given: unknown, context: ReadContext): ReadResult => {
  const value = Number.isSafeInteger(given) ? String(given) : given;
  if (typeof value !== 'string') return addTypeError(context, 'a string', value);
  const error = attribute.required && value.trim() === '' ? REQUIRED : textError(attribute, value);
  return error === undefined ? value : addError(context, error);
};

/** Entra and SCIM-SDK clients send booleans as strings (facts on identity providers, 2, 22). */
const readBoolean = (value: unknown, context: ReadContext): ReadResult => {
  const given = typeof value === 'string' ? value.toLowerCase() : value;
  if (given === true || given === 'true') return true;
  if (given === false || given === 'false') return false;
  return addTypeError(context, 'true or false', value);
};

const readNumber = ({ type }: Attribute, value: unknown, context: ReadContext): ReadResult => {
  const fits = type === 'integer' ? Number.isSafeInteger(value) : Number.isFinite(value);
  return fits
    ? (value as number)
    : addTypeError(context, type === 'integer' ? 'an integer' : 'a number', value);
};

const readDateTime = (value: unknown, context: ReadContext): ReadResult => {
  const instant = typeof value === 'string' ? parseInstant(value) : undefined;
  return instant ?? addError(context, 'must be an ISO 8601 date and time');
};

const readSubAttributes = (
  table: AttributeTable,
  given: JsonObject,
  context: ReadContext,
): JsonObject => {
  const read: Record<string, JsonValue> = {};
  for (const [key, value] of Object.entries(given)) {
    const attribute = table.get(key.toLowerCase());
    if (!attribute || !isStored(attribute)) continue;
    const inner = { ...context, path: `${context.path}.${attribute.name}` };
    if (Object.hasOwn(read, attribute.name)) addError(inner, 'appears twice');
    read[attribute.name] = readValue(attribute, value, inner);
  }
  return read;
};

/**
 * A bare string is the `value`: Entra sends managers and members so (facts on identity providers,
 * 9).
 */
const readComplex = (attribute: Attribute, given: unknown, context: ReadContext): ReadResult => {
  const { subAttributes } = attribute;
  if (typeof given === 'string' && subAttributes.has('value')) {
    if (JSON_TEXT.test(given)) return addError(context, IS_JSON);
    return readSubAttributes(subAttributes, { value: given }, context);
  }
  return isJsonObject(given)
    ? readSubAttributes(subAttributes, given, context)
    : addTypeError(context, 'an object', given);
};

const readSingle = (attribute: Attribute, value: unknown, context: ReadContext): ReadResult => {
  switch (attribute.type) {
    case 'string':
    case 'reference':
    case 'binary':
      return readText(attribute, value, context);
    case 'boolean':
      return readBoolean(value, context);
    case 'integer':
    case 'decimal':
      return readNumber(attribute, value, context);
    case 'dateTime':
      return readDateTime(value, context);
    case 'complex':
      return readComplex(attribute, value, context);
  }
};

const isEmpty = (value: unknown): boolean => value === null || value === undefined || value === '';

/** Whether an element names what it is: its value, also a cleared one, or its type. */
const isNamed = ({ subAttributes }: Attribute, element: JsonObject): boolean =>
  Object.keys(element).some((name) => !subAttributes.has('value') || /^(?:value|type)$/.test(name));

/** An element with an empty text is no element: OneLogin sends fields that were never filled in. */
const readElement = (attribute: Attribute, value: unknown, context: ReadContext): JsonValue[] => {
  if (value === null || value === undefined) addError(context, 'must have a value');
  if (isEmpty(value)) return [];
  const element = readSingle(attribute, value, context);
  if (element === null) return [];
  if (!isJsonObject(element)) return [element];
  if (!isNamed(attribute, element)) addError(context, 'must have a value');
  const left = withoutClearedValue(element);
  return left === undefined ? [] : [left];
};

/** A single value instead of a list is read as a list of one: OneLogin sends `emails` so. */
const readList = (attribute: Attribute, value: unknown, context: ReadContext): ReadResult => {
  const given: readonly unknown[] = Array.isArray(value) ? value : [value];
  // Up to 100,000 members: the caller checks the elements.
  if (attribute.isUnbounded) return given as JsonValue[];
  if (given.length > MAX_VALUES) return addError(context, `must have at most ${MAX_VALUES} values`);
  return given.flatMap((each, index) =>
    readElement(attribute, each, { ...context, path: `${context.path}[${index}]` }),
  );
};

/** SCIM-SDK clients send a single value as a list of one (facts on identity providers, 22). */
const unwrap = (value: unknown): unknown =>
  Array.isArray(value) && value.length === 1 ? (value as unknown[])[0] : value;

/**
 * Reads a value by the attribute's type. Returns null if there is none: null, an empty string
 * (RFC 7643, 2.5; Entra clears values so), or an invalid value, whose error is added to the
 * context. Empty members of a complex value are null in the result, because a PATCH clears them.
 *
 * Not scimmy's `definition.coerce`: it refuses what IdPs send (canonical values, relative
 * references, booleans as strings), takes 76 µs, and follows dotted keys as properties (scimmy
 * facts, S2 and 9).
 */
export const readValue = (
  attribute: Attribute,
  value: unknown,
  context: ReadContext,
): ReadResult => {
  if (!attribute.multiValued) return readOne(attribute, value, context);
  // Entra clears a user's attribute by an empty text. A group's members are too many for that.
  const isCleared = attribute.isUnbounded ? value === null || value === undefined : isEmpty(value);
  return isCleared ? null : readList(attribute, value, context);
};

/** The elements to remove from a list; null for all of them. A value that names none is an error. */
export const readListToRemove = (
  attribute: Attribute,
  value: unknown,
  context: ReadContext,
): ReadResult => {
  const read = readValue(attribute, value === '' ? [value] : value, context);
  const isNothing = Array.isArray(read) && read.length === 0;
  const isEmptyList = Array.isArray(value) && value.length === 0;
  return isNothing && !isEmptyList ? addError(context, 'names no value to remove') : read;
};

/** Reads a single value, or one element of a list. */
export const readOne = (attribute: Attribute, value: unknown, context: ReadContext): ReadResult => {
  const given = unwrap(value);
  return isEmpty(given) ? null : readSingle(attribute, given, context);
};
