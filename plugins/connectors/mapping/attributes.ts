import { fold, type JsonObject, type JsonValue } from '../../../src/plugin/api.js';
import { emailOf, isEmailAddress, type UserProfile } from '../../../src/plugin/connectors-api.js';
import { identifierError, trimIdentifier } from './identifiers.js';

/** Attributes of a user by the name that rules use: each is set, compared and owned by itself. */
const TEXTS = [
  'userName',
  'externalId',
  'displayName',
  'nickName',
  'profileUrl',
  'title',
  'userType',
  'preferredLanguage',
  'locale',
  'timezone',
  'name.formatted',
  'name.givenName',
  'name.familyName',
  'name.middleName',
  'name.honorificPrefix',
  'name.honorificSuffix',
  'enterprise.employeeNumber',
  'enterprise.costCenter',
  'enterprise.organization',
  'enterprise.division',
  'enterprise.department',
] as const;

const LISTS = ['emails', 'phoneNumbers', 'addresses'] as const;

const TYPES: Readonly<Record<string, readonly string[]>> = {
  emails: ['work', 'home', 'other'],
  phoneNumbers: ['work', 'home', 'mobile', 'fax', 'pager', 'other'],
};

export const MANAGER = 'manager';

const ENTRIES = Object.entries(TYPES).flatMap(([list, types]) =>
  types.map((type) => `${list}.${type}`),
);

/** Everything that a mapping can set. */
export const TARGETS: ReadonlySet<string> = new Set([
  ...TEXTS,
  ...LISTS,
  ...ENTRIES,
  'email',
  MANAGER,
]);

/** Before the names of attributes that the tenant declares. */
export const CUSTOM_PREFIX = 'custom.';
const CUSTOM = /^custom\.[A-Za-z][A-Za-z0-9_-]{0,63}$/;
const CUSTOM_URN =
  /^urn:ietf:params:scim:schemas:extension:(?!enterprise:)[a-z0-9-]+:2\.0:User:([A-Za-z0-9_-]+)$/i;

/** `custom.costCenter` for the qualified name of SCIM; other targets as they are. */
export const targetOf = (name: string): string => {
  const [, attribute] = CUSTOM_URN.exec(name) ?? [];
  return attribute === undefined ? name : `${CUSTOM_PREFIX}${attribute}`;
};

/** Whether a mapping can set it. Which `custom.…` a tenant declares is known in a run only. */
export const isTarget = (name: string): boolean => TARGETS.has(name) || CUSTOM.test(targetOf(name));

const IS_TEXT: ReadonlySet<string> = new Set(TEXTS);

/** The values that a mapping has found, by target. */
export type MappedValues = Readonly<Record<string, JsonValue>>;
/** The values of a user, by attribute: those of lists together. */
export type Attributes = Readonly<Record<string, JsonValue>>;

const MAX_TEXT = 1_000;

const CONTROL = /[\u0000-\u001f\u007f]/;
/** What decoders write for bytes that are not in the encoding. */
const LOST = '\ufffd';
/** By attribute: addresses and ids, in which a character that no one sees makes another person. */
const IDENTIFIERS: ReadonlySet<string> = new Set([
  ...['userName', 'externalId', 'emails', 'phoneNumbers', 'enterprise.employeeNumber', MANAGER],
]);

const singleText = (target: string, value: JsonValue): string => {
  const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
  if (typeof text !== 'string') throw new TypeError(`${target} must be text`);
  const isIdentifier = IDENTIFIERS.has(attributeOf(target));
  const trimmed = isIdentifier ? trimIdentifier(text) : text.trim();
  if (trimmed.length > MAX_TEXT)
    throw new TypeError(`${target} has more than ${MAX_TEXT} characters`);
  if (CONTROL.test(trimmed)) throw new TypeError(`${target} contains control characters`);
  if (trimmed.includes(LOST))
    throw new TypeError(`${target} has lost a character (U+FFFD): it was read in another encoding`);
  const error = isIdentifier ? identifierError(trimmed) : undefined;
  if (error !== undefined) throw new TypeError(`${target} ${error}`);
  // The domain of an address in an e-mail has no dot at its end.
  if (attributeOf(target) === 'emails' && (!isEmailAddress(trimmed) || trimmed.endsWith('.')))
    throw new TypeError(`${target} is not an e-mail address`);
  return trimmed;
};

const entry = (target: string, type: string, value: JsonValue): JsonObject => ({
  value: singleText(target, value),
  type,
});

const objectEntry = (target: string, item: JsonObject): JsonObject =>
  item.value === undefined ? item : { ...item, value: singleText(target, item.value) };

const asEntries = (target: string, value: JsonValue): readonly JsonObject[] =>
  (Array.isArray(value) ? (value as readonly JsonValue[]) : [value]).map((item) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? objectEntry(target, item as JsonObject)
      : entry(target, 'work', item),
  );

const listOf = (list: string, values: MappedValues): readonly JsonObject[] => {
  const given = values[list] === undefined ? [] : asEntries(list, values[list]);
  const single = list === 'emails' && values.email !== undefined ? ['email'] : [];
  const typed = [...single, ...(TYPES[list] ?? []).map((type) => `${list}.${type}`)].flatMap(
    (target) => {
      const value = values[target];
      if (value === undefined) return [];
      return [entry(target, target === 'email' ? 'work' : target.slice(list.length + 1), value)];
    },
  );
  const seen = new Set<string>();
  const all = [...typed, ...given].filter((item) => {
    const key = JSON.stringify([item.type, item.value ?? item]);
    return !seen.has(key) && seen.add(key);
  });
  // The native interface shows the primary address.
  const hasPrimary = all.some(({ primary }) => primary === true);
  return list === 'emails' && !hasPrimary
    ? all.map((item, at) => (at === 0 ? { ...item, primary: true } : item))
    : all;
};

/** The attribute that a target belongs to: `emails` for `email` and `emails.work`. */
export const attributeOf = (target: string): string => {
  if (target === 'email') return 'emails';
  const [first = target] = target.split('.');
  return first in TYPES ? first : target;
};

/** Combines the values of entries into lists. Throws a TypeError with a sentence. */
export const attributesOf = (values: MappedValues): Attributes => {
  const attributes: Record<string, JsonValue> = {};
  for (const [target, value] of Object.entries(values)) {
    if (IS_TEXT.has(target)) attributes[target] = singleText(target, value);
    // Typed as the tenant declares it (custom-values.ts).
    else if (target.startsWith(CUSTOM_PREFIX)) attributes[target] = value;
    else if (target === MANAGER) attributes[target] = singleText(target, value);
    else if (!(attributeOf(target) in attributes))
      attributes[attributeOf(target)] = listOf(attributeOf(target), values);
  }
  return attributes;
};

/** The key of the address that a user with these attributes has. */
export const emailIn = ({ userName, emails = [] }: Attributes): string | undefined => {
  const email = emailOf({
    userName: typeof userName === 'string' ? userName : '',
    active: true,
    emails: emails as NonNullable<UserProfile['emails']>,
  });
  return email === null ? undefined : fold(email);
};

/** The value of an attribute in a user's profile. */
export const profileValue = (profile: JsonObject, attribute: string): JsonValue | undefined => {
  if (attribute === MANAGER) return readAt(readAt(profile, 'enterprise'), 'manager');
  const [first = attribute, second] = attribute.split('.');
  return second === undefined ? profile[first] : readAt(profile[first], second);
};

const readAt = (value: JsonValue | undefined, name: string): JsonValue | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as JsonObject)[name]
    : undefined;

/** The attributes as SCIM structures them, and the id of the manager's user. */
export const profileOf = (attributes: Attributes, managerId?: string): JsonObject => {
  const profile: Record<string, JsonValue> = {};
  for (const [attribute, value] of Object.entries(attributes)) {
    const [first = attribute, second] = attribute.split('.');
    if (attribute === MANAGER) continue;
    if (second === undefined) profile[first] = value;
    else profile[first] = { ...(profile[first] as JsonObject | undefined), [second]: value };
  }
  if (managerId !== undefined)
    profile.enterprise = {
      ...(profile.enterprise as JsonObject | undefined),
      manager: { value: managerId },
    };
  return profile;
};

/** The path of an attribute in a profile. */
export const profilePath = (attribute: string): readonly string[] =>
  attribute === MANAGER ? ['enterprise', MANAGER] : attribute.split('.');
