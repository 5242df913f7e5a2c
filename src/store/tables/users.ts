import { fold } from '../../domain/kernel/names.js';
import type { JsonObject, JsonValue } from '../../domain/kernel/json.js';
import { type UserProfile, displayNameOf, emailKey, type User } from '../../domain/user/user.js';
import type { TenantId, UserId } from '../../domain/kernel/ids.js';
import { parseRosterPageKey } from '../../domain/room/room.js';
import { defineTenantCollection, type DocumentOf, uniqueWhereSet, whereSet } from './collection.js';
import { nullable, optional, typed } from './fields.js';
import { defineTable } from './table.js';
import { nameWords } from '../../domain/kernel/name-words.js';

/** Texts that are compared exactly (RFC 7643, 2.2). */
const CASE_EXACT: ReadonlySet<string> = new Set(['x509Certificates.value']);

const foldObject = (object: JsonObject, path: string): JsonObject =>
  Object.fromEntries(
    Object.entries(object).map(([name, value]) => [name, foldValue(value, `${path}.${name}`)]),
  );

const isList = (value: JsonValue): value is readonly JsonValue[] => Array.isArray(value);

const foldValue = (value: JsonValue | undefined, path: string): JsonValue | undefined => {
  if (typeof value === 'string') return CASE_EXACT.has(path) ? value : fold(value);
  if (typeof value !== 'object' || value === null) return value;
  if (isList(value)) return value.map((element) => foldValue(element, path) ?? null);
  return foldObject(value, path);
};

/**
 * A copy of a profile with every text in lower case, for case-insensitive queries. Elements of
 * lists keep their other fields, so that one element can be queried by all of them (`emails[type eq
 * "work" and primary eq true]`). Exact fields outside of lists are left out and queried in the
 * profile itself.
 *
 * @internal
 */
export const foldProfile = ({ active: _, externalId: __, ...profile }: UserProfile): JsonObject =>
  Object.fromEntries(
    Object.entries(profile)
      .filter(([, value]) => typeof value === 'string' || typeof value === 'object')
      .map(([name, value]) => [name, foldValue(value as JsonValue | undefined, name)]),
  );

/** The field of `folded` with the entries of the tenant's own attributes (customEntry). */
export const CUSTOM_ENTRIES = 'customEntries';

const MAX_ENTRY = 128;

/** The start of a text in an entry; comparisons of whole texts check the value as well. */
export const customEntry = (name: string, value: JsonValue): string =>
  `${name}:${(typeof value === 'string' ? fold(value) : JSON.stringify(value)).slice(0, MAX_ENTRY)}`;

/**
 * An entry for each of the tenant's own attributes with a single value: one index serves them all, and
 * users without such values are not in it. Lists are left out: they would multiply its size.
 */
const customEntries = ({ custom = {} }: UserProfile): readonly string[] =>
  Object.entries(custom).flatMap(([name, value]) =>
    value === undefined || Array.isArray(value) ? [] : [customEntry(name, value)],
  );

const FIELDS = {
  /** The user's number in the order of creation, counted from 0 and never reused. */
  n: Number,
  v: Number,
  profile: typed<UserProfile>(Object),
  email: nullable(String),
  role: nullable(String),
  deactivatedBy: optional(nullable(String)),
  createdAt: Date,
  updatedAt: Date,
};

const users = defineTenantCollection({
  name: 'users',
  fields: {
    ...FIELDS,
    /** The texts of the profile in lower case, with `email`, `label`, `words` and `customEntries`, for lookups. */
    folded: typed<JsonObject>(Object),
  },
  indexes: [
    { key: { tenant: 1, 'folded.userName': 1 }, ...uniqueWhereSet('folded.userName') },
    { key: { tenant: 1, 'folded.email': 1 }, ...uniqueWhereSet('folded.email') },
    { key: { tenant: 1, n: 1 }, unique: true },
    { key: { tenant: 1, 'folded.emails.value': 1 } },
    { key: { tenant: 1, 'folded.label': 1, n: 1 } },
    { key: { tenant: 1, 'folded.words': 1 } },
    {
      key: { tenant: 1, [`folded.${CUSTOM_ENTRIES}`]: 1 },
      ...whereSet(`folded.${CUSTOM_ENTRIES}`),
    },
    { key: { tenant: 1, 'profile.externalId': 1 } },
    { key: { tenant: 1, updatedAt: 1, n: 1 } },
    { key: { tenant: 1, role: 1, _id: 1 } },
    { key: { tenant: 1, 'profile.active': 1, n: 1 } },
    { key: { tenant: 1, role: 1, 'profile.active': 1, n: 1 } },
  ],
});

export type UserDocument = DocumentOf<typeof users>;

/** Deleted users, kept for the audit trail and returned by no interface (decisions.md 4). */
export const deletedUsers = defineTenantCollection({
  // The first releases' name: gateways of two versions may share a database.
  name: 'departed_users',
  fields: { ...FIELDS, departedAt: Date },
  indexes: [{ key: { tenant: 1, departedAt: 1 } }],
});

/** Everything of a user's document but its identity and its number. */
export const toUserFields = (user: User): Omit<UserDocument, '_id' | 'tenant' | 'n'> => {
  const email = emailKey(user);
  const entries = user.profile.custom ? customEntries(user.profile) : [];
  return {
    v: user.version,
    profile: user.profile,
    folded: {
      ...foldProfile(user.profile),
      label: fold(displayNameOf(user.profile)),
      ...(email === null ? {} : { email }),
      words: userWords(user),
      ...(entries.length > 0 && { [CUSTOM_ENTRIES]: entries }),
    },
    email: user.email,
    role: user.role,
    ...(user.deactivatedBy !== undefined && { deactivatedBy: user.deactivatedBy }),
    createdAt: user.createdAt,
    updatedAt: user.updatedAt,
  };
};

const beforeAt = (address: string): string => address.split('@')[0] ?? address;

/** Everything by which people know a user. A domain would find everyone. */
export const namesOfUser = (profile: UserProfile): readonly string[] => {
  const { userName, name, enterprise, emails = [] } = profile;
  const number = enterprise?.employeeNumber;
  const label = displayNameOf(profile);
  return [
    label === userName ? '' : label,
    name?.familyName ?? '',
    name?.givenName ?? '',
    typeof number === 'string' ? number : '',
    beforeAt(userName),
    ...emails.map(({ value }) => beforeAt(value ?? '')),
  ];
};

/**
 * The entries of `folded.words`.
 *
 * @internal
 */
export const userWords = ({ profile, email }: Pick<User, 'profile' | 'email'>) =>
  nameWords(
    namesOfUser(profile),
    [displayNameOf(profile), profile.userName, email ?? ''].map(fold),
  );

export const toUserDocument = (user: User, ordinal: number): UserDocument => ({
  _id: user.id,
  tenant: user.tenantId,
  n: ordinal,
  ...toUserFields(user),
});

/** `folded` is for queries only. */
export const USER_PROJECTION = { folded: 0 } as const;

export const fromUserDocument = (document: Omit<UserDocument, 'folded'>): User => ({
  id: document._id as UserId,
  tenantId: document.tenant as TenantId,
  version: document.v,
  profile: document.profile,
  email: document.email,
  role: document.role,
  ...(document.deactivatedBy !== undefined && { deactivatedBy: document.deactivatedBy }),
  createdAt: document.createdAt,
  updatedAt: document.updatedAt,
});

export const userTable = defineTable('users', users, {
  keys: { id: '_id', userName: 'folded.userName', email: 'folded.email' },
  pages: {
    withDefaultRole: (key) => {
      const { after, limit } = parseRosterPageKey(key);
      return { conditions: { role: null, _id: { $gt: after } }, sort: { _id: 1 }, limit };
    },
  },
  fromDocument: fromUserDocument,
  projection: USER_PROJECTION,
});

export const userIdTable = defineTable('userIds', users, {
  keys: { id: '_id' },
  fromDocument: ({ _id }) => ({ id: _id as UserId }),
  projection: { _id: 1 },
});
