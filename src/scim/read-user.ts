import type { ReplaceUser } from '../domain/commands.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../domain/json.js';
import type { RefusalDetail } from '../domain/refusals.js';
import type { UserProfile } from '../domain/user.js';
import { type Attribute, findAttribute, isKept, type ResourceSchema } from './attributes.js';
import { type Elements, isPrimary, tidy } from './element-list.js';
import { readValue, withoutNulls } from './read-value.js';
import { refuseSyntax, refuseValues } from './refuse-input.js';
import { USER } from './user-schema.js';
import { withValueAt } from './value-at.js';

/** A part of a list's elements is of no one element: `"emails.value": …` says nothing here. */
const isNamed = (attribute: Attribute | undefined): attribute is Attribute =>
  attribute !== undefined && !attribute.inList && isKept(attribute);

/** A complex value without members that are no value; undefined where nothing is left. */
const withoutEmptyParts = (value: JsonObject): JsonObject | undefined => {
  const left = withoutNulls(
    Object.fromEntries(
      Object.entries(value).map(([name, each]) => [
        name,
        isJsonObject(each) ? (withoutEmptyParts(each) ?? null) : each,
      ]),
    ),
  );
  return Object.keys(left).length > 0 ? left : undefined;
};

const readList = (
  attribute: Attribute,
  list: Elements,
  faults: RefusalDetail[],
): Elements | undefined => {
  if (list.filter(isPrimary).length > 1) {
    faults.push({ path: attribute.name, message: 'may have one primary value' });
  }
  const left = tidy(attribute, list);
  return left.length > 0 ? left : undefined;
};

const readAttribute = (
  attribute: Attribute,
  given: unknown,
  faults: RefusalDetail[],
): JsonValue | undefined => {
  const value = readValue(attribute, given, { path: attribute.reference.path.join('.'), faults });
  if (attribute.isUnbounded) return value ?? [];
  if (Array.isArray(value)) return readList(attribute, value as Elements, faults);
  return isJsonObject(value) ? withoutEmptyParts(value) : (value ?? undefined);
};

/** The kept attributes that a body names, each once, in whatever way it names them. */
const attributesIn = (
  schema: ResourceSchema,
  body: JsonObject,
  faults: RefusalDetail[],
): ReadonlyMap<Attribute, unknown> => {
  const found = new Map<Attribute, unknown>();
  for (const [key, value] of Object.entries(body)) {
    const attribute = findAttribute(schema, key);
    if (!isNamed(attribute)) continue;
    if (found.has(attribute)) faults.push({ path: attribute.name, message: 'is named twice' });
    found.set(attribute, value);
  }
  return found;
};

const requireAll = (
  { attributes, defaulted }: ResourceSchema,
  read: JsonObject,
  faults: RefusalDetail[],
): void => {
  for (const { name, required, mutability } of attributes.values()) {
    if (!required || defaulted.has(name) || mutability === 'readOnly') continue;
    if (faults.some(({ path }) => path === name)) continue;
    const value = read[name];
    const isBlank = typeof value === 'string' && value.trim() === '';
    if (value === undefined || isBlank) faults.push({ path: name, message: 'is required' });
  }
};

/**
 * The kept attributes of a whole resource as POST and PUT send it. Lenient where RFC 7643 and 7644
 * ask for it: names in any case, unknown attributes and URNs passed over, read-only ones dropped;
 * and where identity providers need it (facts on identity providers). What cannot be kept refuses
 * the whole: 400 invalidValue with every fault in `details`.
 */
export const readResource = (schema: ResourceSchema, body: unknown): JsonObject => {
  if (!isJsonObject(body)) return refuseSyntax('The body must be a JSON object.');
  const faults: RefusalDetail[] = [];
  let read: JsonObject = {};
  for (const [attribute, given] of attributesIn(schema, body, faults)) {
    const value = readAttribute(attribute, given, faults);
    if (value !== undefined) read = withValueAt(read, attribute.reference.path, value);
  }
  requireAll(schema, read, faults);
  return faults.length > 0 ? refuseValues(faults) : read;
};

// Every attribute was read by its type, and userName was required.
const profileOf = (read: JsonObject): UserProfile =>
  ({ active: true, ...read }) as unknown as UserProfile;

/** The profile in the body of a POST. Who does not say whether a user is active means yes. */
export const readUser = (body: unknown): UserProfile => profileOf(readResource(USER, body));

/**
 * The profile in the body of a PUT. One that does not say whether the user is active leaves that as
 * it is: who has left must not come back because somebody's title was corrected (RFC 7644, 3.5.1
 * leaves it open what becomes of attributes that are not there).
 */
export const readUserReplacement = (
  body: unknown,
): Pick<ReplaceUser, 'profile' | 'keepsActive'> => {
  const read = readResource(USER, body);
  const profile = profileOf(read);
  return read['active'] === undefined ? { profile, keepsActive: true } : { profile };
};
