import type { ReplaceUser } from '../domain/commands.js';
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  withValueAt,
} from '../domain/kernel/json.js';
import { type RefusalDetail, refuseSyntax, refuseValues } from '../domain/kernel/refusals.js';
import type { UserProfile } from '../domain/user/user.js';
import { type Attribute, findAttribute, isStored, type ResourceSchema } from './attributes.js';
import {
  type Elements,
  isPrimary,
  withoutDuplicates,
  withoutNulls,
} from '../domain/user/profile-lists.js';
import { readValue } from './read-value.js';
import { USER } from './schemas.js';

/**
 * A sub-attribute of a list, such as `"emails.value": …`, names no single element, so it is
 * ignored.
 */
const isReadable = (attribute: Attribute | undefined): attribute is Attribute =>
  attribute !== undefined && !attribute.inList && isStored(attribute);

/** A complex value without its empty members; undefined if none is left. */
const withoutEmptyValues = (value: JsonObject): JsonObject | undefined => {
  const left = withoutNulls(
    Object.fromEntries(
      Object.entries(value).map(([name, each]) => [
        name,
        isJsonObject(each) ? (withoutEmptyValues(each) ?? null) : each,
      ]),
    ),
  );
  return Object.keys(left).length > 0 ? left : undefined;
};

const readList = (
  attribute: Attribute,
  list: readonly JsonValue[],
  details: RefusalDetail[],
): readonly JsonValue[] | undefined => {
  // The decider removes duplicates (custom-attributes.ts).
  if (attribute.type !== 'complex') return list.length > 0 ? list : undefined;
  return readElements(attribute, list as Elements, details);
};

const readElements = (
  attribute: Attribute,
  list: Elements,
  details: RefusalDetail[],
): Elements | undefined => {
  if (list.filter(isPrimary).length > 1) {
    details.push({ path: attribute.name, message: 'must have at most one primary value' });
  }
  const left = withoutDuplicates(attribute.name, list);
  return left.length > 0 ? left : undefined;
};

const readAttribute = (
  attribute: Attribute,
  given: unknown,
  details: RefusalDetail[],
): JsonValue | undefined => {
  const value = readValue(attribute, given, { path: attribute.reference.path.join('.'), details });
  if (attribute.isUnbounded) return value ?? [];
  if (Array.isArray(value)) return readList(attribute, value as readonly JsonValue[], details);
  return isJsonObject(value) ? withoutEmptyValues(value) : (value ?? undefined);
};

/** The stored attributes in a body, by any spelling of their names. */
const storedAttributesIn = (
  schema: ResourceSchema,
  body: JsonObject,
  details: RefusalDetail[],
): ReadonlyMap<Attribute, unknown> => {
  const found = new Map<Attribute, unknown>();
  for (const [key, value] of Object.entries(body)) {
    const attribute = findAttribute(schema, key);
    if (!isReadable(attribute)) continue;
    if (found.has(attribute)) details.push({ path: attribute.name, message: 'appears twice' });
    found.set(attribute, value);
  }
  return found;
};

const checkRequired = (
  { attributes, optionalOnWrite }: ResourceSchema,
  read: JsonObject,
  details: RefusalDetail[],
): void => {
  for (const { name, required, mutability } of attributes.values()) {
    if (!required || optionalOnWrite.has(name) || mutability === 'readOnly') continue;
    if (details.some(({ path }) => path === name)) continue;
    const value = read[name];
    const isBlank = typeof value === 'string' && value.trim() === '';
    if (value === undefined || isBlank) details.push({ path: name, message: 'is required' });
  }
};

/**
 * Reads the stored attributes of a resource in the body of a POST or PUT. Lenient where RFC 7643
 * and 7644 require it (names in any case; unknown and read-only attributes are ignored) and where
 * identity providers need it (facts on identity providers). An invalid value refuses the whole
 * body: 400 invalidValue with every error in `details`.
 */
export const readResource = (schema: ResourceSchema, body: unknown): JsonObject => {
  if (!isJsonObject(body)) return refuseSyntax('The body must be a JSON object.');
  const details: RefusalDetail[] = [];
  let read: JsonObject = {};
  for (const [attribute, given] of storedAttributesIn(schema, body, details)) {
    const value = readAttribute(attribute, given, details);
    if (value !== undefined) read = withValueAt(read, attribute.reference.path, value);
  }
  checkRequired(schema, read, details);
  return details.length > 0 ? refuseValues(details) : read;
};

// Every attribute was read by its type, and userName is required.
const profileOf = (read: JsonObject): UserProfile =>
  ({ active: true, ...read }) as unknown as UserProfile;

/** The profile in the body of a POST. `active` defaults to true. */
export const readUser = (body: unknown, schema: ResourceSchema = USER): UserProfile =>
  profileOf(readResource(schema, body));

/**
 * The profile in the body of a PUT. If `active` is absent, it keeps its value: a deactivated user
 * must not be reactivated by a corrected title (RFC 7644, 3.5.1 does not define absent attributes).
 */
export const readUserReplacement = (
  body: unknown,
  schema: ResourceSchema = USER,
): Pick<ReplaceUser, 'profile' | 'keepsActive'> => {
  const read = readResource(schema, body);
  const profile = profileOf(read);
  return read['active'] === undefined ? { profile, keepsActive: true } : { profile };
};
