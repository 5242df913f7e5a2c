import { type Facts, requireEach } from '../kernel/decider.js';
import { fold } from '../kernel/names.js';
import { isJsonObject, isSame, type JsonObject, type JsonValue } from '../kernel/json.js';
import { raise } from '../kernel/refusals.js';
import { isAnother } from '../kernel/requirements.js';
import type { Change, Lookup } from '../tables.js';
import { CUSTOM, shownCustom, storedCustom } from '../tenant/custom-attributes.js';
import type { Tenant } from '../tenant/tenant.js';
import { displayNameOf, emailOf, type User, type UserProfile } from './user.js';
import { TEXT_PATHS } from './user-texts.js';
import type { UserId } from '../kernel/ids.js';
import { each, type Chunked } from '../kernel/chunked.js';
import type { Membership } from '../room/room.js';

/** The lookups of a profile's unique keys. */
export const lookupsOfProfile = (profile: UserProfile): readonly Lookup[] => {
  const email = emailOf(profile);
  return [
    { table: 'users', index: 'userName', key: fold(profile.userName) },
    ...(email === null ? [] : [{ table: 'users', index: 'email', key: fold(email) } as const]),
  ];
};

/**
 * E-mail and user name are unique per tenant, ignoring case and width (decisions.md 4 and 5). Unchanged
 * ones need no check: users that an earlier version distinguished can still be changed.
 */
export const requireUniqueKeys = (user: User, facts: Facts, before?: User): void => {
  const { id, email, profile } = user;
  const { userName } = profile;
  const isNewEmail = email !== null && email !== before?.email;
  if (isNewEmail && isAnother(facts.find('users', 'email', fold(email)), id))
    raise('EMAIL_TAKEN', `Another user has the e-mail address ${email}.`, {
      logMessage: 'Another user has this e-mail address.',
    });
  const isNewName = userName !== before?.profile.userName;
  if (isNewName && isAnother(facts.find('users', 'userName', fold(userName)), id))
    raise('USERNAME_TAKEN', `Another user has the user name ${userName}.`, {
      logMessage: 'Another user has this user name.',
    });
};

const withCustom = (profile: UserProfile, custom: JsonObject | undefined): UserProfile => {
  if (profile.custom === custom) return profile;
  const { custom: _, ...rest } = profile;
  return custom === undefined ? rest : { ...rest, custom };
};

type Declaring = Pick<Tenant, 'customAttributes'>;

/** The profile without values that the tenant does not declare (custom-attributes.ts). */
export const shownProfile = ({ customAttributes }: Declaring, profile: UserProfile): UserProfile =>
  withCustom(profile, shownCustom(customAttributes, profile.custom));

/**
 * The profile as it is stored. Throws RefusalError if it breaks the tenant's declaration. `before` is
 * the shown profile that it replaces; null for a new user.
 */
export const settleProfile = (
  { customAttributes }: Declaring,
  profile: UserProfile,
  before: UserProfile | null,
): UserProfile =>
  withCustom(
    profile,
    storedCustom(customAttributes, profile.custom, before === null ? null : before.custom),
  );

/** Every active user takes a seat (decisions.md 4). */
export const requireSeat = ({ seatCapacity, seatsProvisioned }: Tenant): void => {
  if (seatCapacity === null || seatsProvisioned < seatCapacity) return;
  const taken = seatCapacity === 1 ? 'The only seat is' : `All ${seatCapacity} seats are`;
  raise(
    'SEAT_CAPACITY_REACHED',
    `${taken} taken. Deactivate a user or ask your operator for more seats.`,
  );
};

/** The tenant's counts after a user was created, changed or deleted. */
export const adjustUserCounts = (
  tenant: Tenant,
  before: User | null,
  after: User | null,
): readonly Change[] => {
  const seats = Number(after?.profile.active ?? false) - Number(before?.profile.active ?? false);
  const users = Number(after !== null) - Number(before !== null);
  if (seats === 0 && users === 0) return [];
  const adjusted = {
    ...tenant,
    seatsProvisioned: tenant.seatsProvisioned + seats,
    userCount: tenant.userCount + users,
  };
  return [{ table: 'tenant', before: tenant, after: adjusted }];
};

const NATIVE_NAMES: ReadonlyMap<string, string> = new Map([
  ['displayName', 'display_name'],
  ['userName', 'user_name'],
  ...TEXT_PATHS,
]);

const differing = (before: object, after: object): readonly string[] => {
  const [one, other] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  return [...new Set([...one.keys(), ...other.keys()])].filter(
    (key) => !isSame(one.get(key), other.get(key)),
  );
};

/** Members of a profile that hold the attributes of an extension. */
const isExtension = (name: string): boolean => name === 'enterprise' || name === CUSTOM;

const membersOf = (value: JsonValue | undefined): JsonObject => (isJsonObject(value) ? value : {});

/** The attributes that differ: `emails`, `enterprise.department`. */
export const changedPaths = (before: UserProfile, after: UserProfile): readonly string[] =>
  differing(before, after).flatMap((name) =>
    isExtension(name)
      ? differing(membersOf(before[name]), membersOf(after[name])).map((part) => `${name}.${part}`)
      : [name],
  );

/**
 * Names of the changed attributes for `user.updated`: the native name, or SCIM's if there is none;
 * `enterprise.department` for an extension. `active` has its own events.
 */
export const changedAttributes = (before: User, after: User): readonly string[] => {
  const names = changedPaths(before.profile, after.profile).map(
    (path) => NATIVE_NAMES.get(path) ?? path,
  );
  if (before.email !== after.email) names.push('email');
  if (displayNameOf(before.profile) !== displayNameOf(after.profile)) names.push('display_name');
  return [...new Set(names)].filter((name) => name !== 'active').sort();
};

/** Of more users only the ids are loaded, to save memory. */
const MAX_WHOLE = 1_000;

const wholeUser = (key: UserId): Lookup => ({ table: 'users', index: 'id', key });

/** The lookups of `findMissingUsers`, if they are known in advance. */
export const lookupsOfUsers = (wanted: readonly UserId[]): readonly Lookup[] =>
  wanted.length <= MAX_WHOLE ? wanted.map(wholeUser) : [];

interface Wanted {
  readonly wanted: readonly UserId[];
  /** Loaded memberships: their users exist. */
  readonly present?: readonly Membership[];
}

/** The ids that belong to no user. */
export const findMissingUsers = function* (
  facts: Facts,
  { wanted, present = [] }: Wanted,
): Chunked<ReadonlySet<UserId>> {
  const [members, unchecked, missing] = [new Set<UserId>(), new Set<UserId>(), new Set<UserId>()];
  yield* each(present, ({ userId }) => members.add(userId));
  yield* each(wanted, (id) => {
    if (!members.has(id)) unchecked.add(id);
  });
  if (unchecked.size <= MAX_WHOLE) {
    facts.require([...unchecked].map(wholeUser));
    return new Set([...unchecked].filter((id) => !facts.find('users', 'id', id)));
  }
  // Users that this commit creates or deletes are found in `users` only.
  const tableOf = (id: UserId) => (facts.isLoaded(wholeUser(id)) ? 'users' : 'userIds');
  yield* requireEach(facts, unchecked, (key) => ({ table: tableOf(key), index: 'id', key }));
  yield* each(unchecked, (id) => {
    if (!facts.find(tableOf(id), 'id', id)) missing.add(id);
  });
  return missing;
};
