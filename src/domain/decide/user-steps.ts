import { type NewEvent, userEvent } from '../events.js';
import { fold } from '../fold.js';
import { isSame } from '../is-same.js';
import { type IfMatch, meets } from '../precondition.js';
import { type Refusal, refuse } from '../refusals.js';
import type { Change } from '../tables.js';
import type { Tenant } from '../tenant.js';
import { displayNameOf, emailOf, type User, type UserProfile } from '../user.js';
import type { Decision, Facts, Verdict } from './decider.js';

const refused = (refusal: Refusal) => ({ refusal });

export const noSuchUser = (): { readonly refusal: Refusal } =>
  refused(refuse('USER_NOT_FOUND', 'No user has this id.'));

export const noSuchTenant = (): { readonly refusal: Refusal } =>
  refused(refuse('TENANT_NOT_FOUND', 'This tenant has been deleted.'));

/** RFC 9110, 13.1: a change that was meant for another version is refused. */
export const requireVersion = (
  entity: { readonly version: number },
  ifMatch: IfMatch | undefined,
): Refusal | undefined =>
  meets(entity.version, ifMatch)
    ? undefined
    : refuse(
        'PRECONDITION_FAILED',
        'It has changed since you read it. Read it again and repeat the change.',
      );

/** E-mail and user name are unique in a tenant without regard to case (decisions.md 4). */
export const requireUniqueKeys = (user: User, facts: Facts): Refusal | undefined => {
  const { email } = user;
  if (email !== null && isTaken(facts, 'email', email, user))
    return refuse('EMAIL_TAKEN', `Another user has the e-mail address ${email}.`, {
      logMessage: 'Another user has this e-mail address.',
    });
  return isTaken(facts, 'userName', user.profile.userName, user)
    ? refuse('USERNAME_TAKEN', `Another user has the user name ${user.profile.userName}.`, {
        logMessage: 'Another user has this user name.',
      })
    : undefined;
};

const isTaken = (facts: Facts, index: 'email' | 'userName', text: string, user: User): boolean => {
  const holder = facts.find('users', index, fold(text));
  return holder !== undefined && holder.id !== user.id;
};

/** Every active user takes a seat; past the capacity nothing changes (decisions.md 4). */
export const requireSeat = (tenant: Tenant): Refusal | undefined =>
  tenant.seatCapacity !== null && tenant.seatsProvisioned >= tenant.seatCapacity
    ? refuse(
        'SEAT_CAPACITY_REACHED',
        `All ${tenant.seatCapacity} seats are taken. Deactivate a user or ask your operator for more seats.`,
      )
    : undefined;

/** What the tenant counts after a user changed from `before` to `after`; nothing where it stays. */
export const countUser = (
  tenant: Tenant,
  before: User | null,
  after: User | null,
): readonly Change[] => {
  const seats = Number(after?.profile.active ?? false) - Number(before?.profile.active ?? false);
  const users = Number(after !== null) - Number(before !== null);
  if (seats === 0 && users === 0) return [];
  const counted = {
    ...tenant,
    seatsProvisioned: tenant.seatsProvisioned + seats,
    userCount: tenant.userCount + users,
  };
  return [{ table: 'tenant', before: tenant, after: counted }];
};

const NATIVE_NAMES: Readonly<Record<string, string>> = {
  displayName: 'display_name',
  userName: 'user_name',
  externalId: 'external_id',
};

const differing = (before: object, after: object): readonly string[] => {
  const [one, other] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  return [...new Set([...one.keys(), ...other.keys()])].filter(
    (key) => !isSame(one.get(key), other.get(key)),
  );
};

/**
 * Names of what differs, for `user.updated`: the native name where there is one, else SCIM's;
 * `enterprise.department` for the extension. `active` has events of its own.
 */
export const changedNames = (before: User, after: User): readonly string[] => {
  const names = differing(before.profile, after.profile).flatMap((attribute) =>
    attribute === 'enterprise'
      ? differing(before.profile.enterprise ?? {}, after.profile.enterprise ?? {}).map(
          (name) => `enterprise.${name}`,
        )
      : [NATIVE_NAMES[attribute] ?? attribute],
  );
  if (before.email !== after.email) names.push('email');
  if (displayNameOf(before.profile) !== displayNameOf(after.profile)) names.push('display_name');
  return [...new Set(names)].filter((name) => name !== 'active').sort();
};

const eventsOf = (before: User, after: User): readonly NewEvent[] => {
  const changed = changedNames(before, after);
  const updated = changed.length > 0 ? [userEvent('user.updated', after, { changed })] : [];
  if (before.profile.active === after.profile.active) return updated;
  return [
    ...updated,
    userEvent(after.profile.active ? 'user.reactivated' : 'user.deactivated', after),
  ];
};

/** What every change of an existing user comes to, whoever asks for it and in which words. */
export const changeProfile = (
  tenant: Tenant,
  before: User,
  profile: UserProfile,
  facts: Facts,
): Verdict<User> => {
  if (isSame(before.profile, profile)) return unchanged(before);
  const after: User = {
    ...before,
    profile,
    email: emailOf(profile),
    version: before.version + 1,
    updatedAt: facts.now,
  };
  const refusal =
    requireUniqueKeys(after, facts) ??
    (after.profile.active && !before.profile.active ? requireSeat(tenant) : undefined);
  if (refusal) return refused(refusal);
  return {
    changes: [{ table: 'users', before, after }, ...countUser(tenant, before, after)],
    events: eventsOf(before, after),
    result: after,
  };
};

/** Everything is as asked already: no change, no event (decisions.md 4). */
export const unchanged = <Result>(result: Result): Decision<Result> => ({
  changes: [],
  events: [],
  result,
});
