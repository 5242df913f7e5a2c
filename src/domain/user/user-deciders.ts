import type { CommandOf, CreateUser } from '../commands.js';
import type { Actor } from '../kernel/actor.js';
import {
  type Decider,
  type Facts,
  unchanged,
  type Decision,
  combineInOrder,
} from '../kernel/decider.js';
import type { NewEvent } from '../events.js';
import { isSame } from '../kernel/json.js';
import { fold } from '../kernel/names.js';
import {
  tenantNotFound,
  userNotFound,
  requireVersion,
  type Refusal,
  RefusalError,
} from '../kernel/refusals.js';
import type { Membership } from '../room/room.js';
import { removeFromAllRosters } from '../room/change-members.js';
import { hasPendingJob, ownerLookups, ownerOf, postponed } from '../room/roster.js';
import type { Lookup } from '../tables.js';
import type { Tenant } from '../tenant/tenant.js';
import { emailOf, type User, type UserProfile, userEvent } from './user.js';
import { withTexts } from './user-texts.js';
import { applyChanges } from './profile-changes.js';
import { withoutNulls } from './profile-lists.js';
import {
  adjustUserCounts,
  changedAttributes,
  lookupsOfProfile,
  requireSeat,
  requireUniqueKeys,
  settleProfile,
  shownProfile,
} from './user-rules.js';

/** The profile of a new user with the values of the tenant's extension checked, or their refusal. */
const settleNewProfile = (
  tenant: Tenant,
  profile: UserProfile,
): { readonly profile: UserProfile } | { readonly refusal: Refusal } => {
  try {
    return { profile: settleProfile(tenant, profile, null) };
  } catch (error) {
    if (error instanceof RefusalError) return { refusal: error.refusal };
    throw error;
  }
};

/**
 * The inactive user that a POST refers to, if the tenant reactivates them: of the same user name and, where
 * both have one, external id. An e-mail address alone would let a newcomer take over an account.
 */
const returningUser = (
  { profile, mayReactivate }: Pick<CreateUser, 'profile' | 'mayReactivate'>,
  facts: Facts,
): User | undefined => {
  if (!mayReactivate || facts.tenant?.scim.postExisting !== 'reactivate' || !profile.active)
    return undefined;
  const found = facts.find('users', 'userName', fold(profile.userName));
  if (!found || found.profile.active) return undefined;
  const [before, given] = [found.profile.externalId, profile.externalId];
  return before && given && before !== given ? undefined : found;
};

export const createUser: Decider<'user.create'> = {
  lookups: ({ profile }) => lookupsOfProfile(profile),
  decide: ({ tenantId, actor, command }, facts) => {
    const { userId, profile } = command;
    const { tenant, now } = facts;
    if (!tenant) return tenantNotFound();
    const settled = settleNewProfile(tenant, profile);
    if ('refusal' in settled) return settled;
    const returning = returningUser(command, facts);
    if (returning) return changeProfile(tenant, returning, settled.profile, { facts, actor });
    const user: User = {
      id: userId,
      tenantId,
      version: 1,
      profile: settled.profile,
      email: emailOf(profile),
      role: null,
      createdAt: now,
      updatedAt: now,
    };
    const refusal =
      requireUniqueKeys(user, facts) ?? (profile.active ? requireSeat(tenant) : undefined);
    if (refusal) return { refusal };
    return {
      changes: [
        { table: 'users', before: null, after: user },
        ...adjustUserCounts(tenant, null, user),
      ],
      events: [userEvent('user.created', user)],
      result: user,
    };
  },
  recall: ({ userId, profile, mayReactivate }, facts) =>
    facts.find('users', 'id', userId) ??
    (mayReactivate ? facts.find('users', 'userName', fold(profile.userName)) : undefined),
};

const changeEvents = (before: User, after: User): readonly NewEvent[] => {
  const changed = changedAttributes(before, after);
  const updated = changed.length > 0 ? [userEvent('user.updated', after, { changed })] : [];
  if (before.profile.active === after.profile.active) return updated;
  return [
    ...updated,
    userEvent(after.profile.active ? 'user.reactivated' : 'user.deactivated', after),
  ];
};

/** Any change of an existing user, whichever interface it came through. */
const changeProfile = (
  tenant: Tenant,
  before: User,
  given: UserProfile,
  { facts, actor }: { readonly facts: Facts; readonly actor: Actor },
): Decision<User> => {
  const shown = shownProfile(tenant, before.profile);
  const profile = settleProfile(tenant, given, shown);
  // Values that are hidden go with the next change, but their removal is none.
  if (isSame(shown, profile)) return unchanged(before);
  const after: User = {
    ...before,
    profile,
    email: emailOf(profile),
    version: before.version + 1,
    ...(profile.active !== before.profile.active && {
      deactivatedBy: !profile.active && actor.kind === 'connector' ? actor.name : null,
    }),
    updatedAt: facts.now,
  };
  const refusal =
    requireUniqueKeys(after, facts, before) ??
    (after.profile.active && !before.profile.active ? requireSeat(tenant) : undefined);
  if (refusal) return { refusal };
  return {
    changes: [{ table: 'users', before, after }, ...adjustUserCounts(tenant, before, after)],
    events: changeEvents({ ...before, profile: shown }, after),
    result: after,
  };
};

type ProfileCommand = CommandOf<'user.replace' | 'user.patch' | 'user.update' | 'user.deactivate'>;

/** A decider for a command that changes one user's profile. */
const changeUser = <C extends ProfileCommand>(
  profileAfter: (command: C, before: User) => UserProfile,
  lookups: (command: C) => readonly Lookup[] = () => [],
) => ({
  lookups: (command: C): readonly Lookup[] => [
    { table: 'users', index: 'id', key: command.userId },
    ...lookups(command),
  ],
  decide: (
    { command, actor }: { readonly command: C; readonly actor: Actor },
    facts: Facts,
  ): Decision<User> => {
    const { tenant } = facts;
    if (!tenant) return tenantNotFound();
    const before = facts.find('users', 'id', command.userId);
    if (!before) return userNotFound();
    const refusal = requireVersion(before, command.ifMatch);
    if (refusal) return { refusal };
    try {
      return changeProfile(tenant, before, profileAfter(command, before), { facts, actor });
    } catch (error) {
      // `applyChanges` refuses by throwing.
      if (error instanceof RefusalError) return { refusal: error.refusal };
      throw error;
    }
  },
  recall: (command: C, facts: Facts): User | undefined => facts.find('users', 'id', command.userId),
});

export const replaceUser: Decider<'user.replace'> = changeUser<CommandOf<'user.replace'>>(
  ({ profile, keepsActive }, before) =>
    keepsActive ? { ...profile, active: before.profile.active } : profile,
  ({ profile }) => lookupsOfProfile(profile),
);

export const patchUser: Decider<'user.patch'> = changeUser<CommandOf<'user.patch'>>(
  ({ changes }, { profile }) => applyChanges(profile, changes),
);

export const updateUser: Decider<'user.update'> = changeUser<CommandOf<'user.update'>>(
  ({ displayName, active, texts = {}, custom }, { profile }) => ({
    ...withTexts(profile, texts),
    ...(displayName === undefined ? {} : { displayName }),
    ...(active === undefined ? {} : { active }),
    ...(custom === undefined ? {} : { custom: withoutNulls({ ...profile.custom, ...custom }) }),
  }),
);

export const deactivateUser: Decider<'user.deactivate'> = changeUser<CommandOf<'user.deactivate'>>(
  (_command, { profile }) => ({ ...profile, active: false }),
);

/** Whether a job still changes one of these memberships: it needs the user for its events. */
const isInJob = (facts: Facts, memberships: readonly Membership[]): boolean => {
  facts.require(memberships.flatMap(({ rosterId }) => ownerLookups(rosterId)));
  return memberships.some(({ rosterId }) => hasPendingJob(ownerOf(facts, rosterId)));
};

/**
 * Final for clients: the user is 404 everywhere, the e-mail address is free again, and the
 * memberships end. The events are in this order in the log (decisions.md 4).
 */
export const deleteUser: Decider<'user.delete'> = {
  lookups: ({ userId }) => [
    { table: 'users', index: 'id', key: userId },
    { table: 'memberships', index: 'user', key: userId },
  ],
  decide: ({ command: { userId, ifMatch } }, facts) => {
    const user = facts.find('users', 'id', userId);
    if (!user || !facts.tenant) return userNotFound();
    const refusal = requireVersion(user, ifMatch);
    if (refusal) return { refusal };
    const memberships = facts.list('memberships', 'user', userId);
    if (isInJob(facts, memberships)) return postponed();
    const shown = shownProfile(facts.tenant, user.profile);
    const deleted: User = { ...user, profile: { ...shown, active: false } };
    const effect = combineInOrder(facts, [
      (current) => removeFromAllRosters(current, memberships),
      ({ tenant }) => ({
        changes: [
          { table: 'users', before: user, after: null },
          ...(tenant ? adjustUserCounts(tenant, user, null) : []),
        ],
        events: [
          ...(user.profile.active ? [userEvent('user.deactivated', deleted)] : []),
          userEvent('user.deleted', deleted),
        ],
      }),
    ]);
    return { ...effect, result: null };
  },
  recall: () => null,
};
