import { parseInstant } from '../kernel/instants.js';
import { isSame, type JsonObject, type JsonValue } from '../kernel/json.js';
import { fold } from '../kernel/names.js';
import { type RefusalDetail, refuseValues } from '../kernel/refusals.js';

export const CUSTOM_TYPES = [
  'string',
  'boolean',
  'integer',
  'decimal',
  'dateTime',
  'reference',
] as const;

/** An attribute of users that the operator of a tenant declares (RFC 7643, 7). */
export interface CustomAttribute {
  readonly name: string;
  readonly type: (typeof CUSTOM_TYPES)[number];
  readonly multiValued: boolean;
  /** Whether a new user must have a value. Users who exist without one stay valid. */
  readonly required: boolean;
  readonly caseExact: boolean;
  readonly description: string;
  /** The only values that are accepted; null: any. */
  readonly canonicalValues: readonly string[] | null;
}

/** The member of a user's profile that holds the values, by the names of the attributes. */
export const CUSTOM = 'custom';

/** Maximum number of attributes that a tenant declares. */
export const MAX_CUSTOM_ATTRIBUTES = 50;
/** Maximum size of the value of an attribute, in bytes: a list as a whole. */
const MAX_CUSTOM_BYTES = 4_096;
const MAX_CUSTOM_VALUES = 100;

/** As the URN of the schema extension names it (RFC 7643, 10.2.1). */
export const customUrn = (slug: string): string =>
  `urn:ietf:params:scim:schemas:extension:${slug}:2.0:User`;

const INSTANT = /^[+-]?\d{4,6}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const isText = (value: JsonValue): boolean => typeof value === 'string';

const HAS_TYPE: Readonly<Record<CustomAttribute['type'], (value: JsonValue) => boolean>> = {
  string: isText,
  reference: isText,
  boolean: (value) => typeof value === 'boolean',
  integer: Number.isSafeInteger,
  decimal: Number.isFinite,
  dateTime: (value) => typeof value === 'string' && INSTANT.test(value),
};

const valuesOf = (value: JsonValue): readonly JsonValue[] =>
  Array.isArray(value) ? (value as readonly JsonValue[]) : [value];

const fits = ({ type, multiValued }: CustomAttribute, value: JsonValue): boolean =>
  Array.isArray(value) === multiValued && valuesOf(value).every(HAS_TYPE[type]);

/** The attributes are immutable, and looked up for every user of a page. */
const byName = new WeakMap<readonly CustomAttribute[], ReadonlyMap<string, CustomAttribute>>();

const attributesByName = (
  declared: readonly CustomAttribute[],
): ReadonlyMap<string, CustomAttribute> => {
  const known = byName.get(declared);
  if (known) return known;
  const attributes = new Map(declared.map((attribute) => [attribute.name, attribute]));
  byName.set(declared, attributes);
  return attributes;
};

/**
 * The values that a tenant's interfaces show: those of declared attributes that have the declared
 * type. Stored values of attributes that were removed, or declared again with another type, are
 * hidden. Undefined if none is left; the same object if all are shown.
 */
export const shownCustom = (
  declared: readonly CustomAttribute[],
  custom: JsonObject | undefined,
): JsonObject | undefined => {
  if (custom === undefined || declared.length === 0) return undefined;
  const attributes = attributesByName(declared);
  const all = Object.entries(custom);
  const shown = all.filter(([name, value]) => {
    const attribute = attributes.get(name);
    return attribute !== undefined && value !== undefined && fits(attribute, value);
  });
  if (shown.length === all.length) return all.length > 0 ? custom : undefined;
  return shown.length > 0 ? Object.fromEntries(shown) : undefined;
};

const comparable = ({ caseExact }: CustomAttribute, value: JsonValue): JsonValue =>
  typeof value === 'string' && !caseExact ? fold(value) : value;

/** A list has each value once (RFC 7643, 2.4), in the spelling that came first. */
const withoutDuplicates = (attribute: CustomAttribute, value: JsonValue): JsonValue => {
  if (!Array.isArray(value)) return value;
  const kept = new Map<JsonValue, JsonValue>();
  for (const each of value as readonly JsonValue[]) {
    const key = comparable(attribute, each);
    if (!kept.has(key)) kept.set(key, each);
  }
  return [...kept.values()];
};

const byteLength = (value: JsonValue): number =>
  new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value)).length;

const errorOf = (attribute: CustomAttribute, value: JsonValue): string | undefined => {
  const { canonicalValues } = attribute;
  const values = valuesOf(value);
  if (values.length > MAX_CUSTOM_VALUES) return `must have at most ${MAX_CUSTOM_VALUES} values`;
  if (byteLength(value) > MAX_CUSTOM_BYTES) return `must have at most ${MAX_CUSTOM_BYTES} bytes`;
  const allowed = canonicalValues?.map((each) => comparable(attribute, each));
  const isAllowed = (each: JsonValue) => allowed?.includes(comparable(attribute, each)) ?? true;
  return values.every(isAllowed) ? undefined : `must be one of ${canonicalValues?.join(', ')}`;
};

/** An empty list is no value (RFC 7643, 2.5). */
const hasValue = (value: JsonValue): boolean => !Array.isArray(value) || value.length > 0;

/**
 * The values of a user as they are stored after a write: without those that are not shown, without
 * duplicates and empty lists. Values that the write changes are checked against the declaration;
 * those from before a stricter declaration stay. Decided in the lane, so that no change of the
 * declaration can come in between. Throws RefusalError INVALID_REQUEST. `before`: null for a new user.
 */
export const storedCustom = (
  declared: readonly CustomAttribute[],
  after: JsonObject | undefined,
  before: JsonObject | undefined | null,
): JsonObject | undefined => {
  if (declared.length === 0) return undefined;
  const details: RefusalDetail[] = [];
  const values: Record<string, JsonValue> = {};
  const shown = shownCustom(declared, after) ?? {};
  for (const attribute of declared) {
    const { name, required } = attribute;
    const path = `${CUSTOM}.${name}`;
    const given = Object.hasOwn(shown, name) ? shown[name] : undefined;
    const value = given === undefined ? undefined : withoutDuplicates(attribute, given);
    if (value === undefined || !hasValue(value)) {
      if (required && before === null) details.push({ path, message: 'is required for new users' });
      continue;
    }
    const error = isSame(before?.[name], value) ? undefined : errorOf(attribute, value);
    if (error !== undefined) details.push({ path, message: error });
    values[name] = value;
  }
  if (details.length > 0) refuseValues(details);
  return Object.keys(values).length > 0 ? values : undefined;
};

const NUMBER = /^[+-]?\d+(?:\.\d+)?$/;

const numberOf = (value: JsonValue): JsonValue =>
  typeof value === 'string' && NUMBER.test(value) ? Number(value) : value;

const textOf = (value: JsonValue): JsonValue =>
  typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;

const booleanOf = (value: JsonValue): JsonValue => {
  const text = typeof value === 'string' ? value.toLowerCase() : value;
  return text === 'true' || text === 'false' ? text === 'true' : value;
};

const instantOf = (value: JsonValue): JsonValue =>
  (typeof value === 'string' ? parseInstant(value) : undefined) ?? value;

const CONVERSIONS: Readonly<Record<CustomAttribute['type'], (value: JsonValue) => JsonValue>> = {
  string: textOf,
  reference: textOf,
  boolean: booleanOf,
  integer: numberOf,
  decimal: numberOf,
  dateTime: instantOf,
};

const convert = ({ type, multiValued }: CustomAttribute, value: JsonValue): JsonValue => {
  const converted = valuesOf(value).map((each) =>
    CONVERSIONS[type](typeof each === 'string' ? each.trim() : each),
  );
  return multiValued ? converted : (converted[0] ?? null);
};

/**
 * Values from a source that may have texts only, such as a CSV file, as users store them. Names are
 * case-insensitive; attributes that are not declared are left out. Throws RefusalError INVALID_REQUEST
 * if a value does not fit its declaration.
 */
export const customValues = (
  declared: readonly CustomAttribute[],
  given: JsonObject,
): JsonObject => {
  const byKey = new Map(declared.map((each) => [each.name.toLowerCase(), each]));
  const details: RefusalDetail[] = [];
  const values: Record<string, JsonValue> = {};
  for (const [key, value] of Object.entries(given)) {
    const attribute = byKey.get(key.toLowerCase());
    if (!attribute || value === undefined || value === null) continue;
    const converted = convert(attribute, value);
    const isSingle = attribute.multiValued || valuesOf(value).length === 1;
    if (isSingle && fits(attribute, converted)) values[attribute.name] = converted;
    else {
      const kind = `${attribute.multiValued ? 'a list of type' : 'one value of type'} ${attribute.type}`;
      details.push({ path: `${CUSTOM}.${attribute.name}`, message: `must be ${kind}` });
    }
  }
  if (details.length > 0) refuseValues(details);
  return storedCustom(declared, values, {}) ?? {};
};
