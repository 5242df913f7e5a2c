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
import { raise } from '../kernel/refusals.js';
import { requireEntity, requireTenant } from '../kernel/requirements.js';
import type { Membership } from '../room/room.js';
import { removeFromAllRosters } from '../room/change-members.js';
import { ownerLookups, ownerOf, requireNoJob } from '../room/roster.js';
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
    const { now } = facts;
    const tenant = requireTenant(facts);
    const settled = settleProfile(tenant, profile, null);
    const returning = returningUser(command, facts);
    if (returning) return changeProfile(tenant, returning, settled, { facts, actor });
    const user: User = {
      id: userId,
      tenantId,
      version: 1,
      profile: settled,
      email: emailOf(profile),
      role: null,
      createdAt: now,
      updatedAt: now,
    };
    requireUniqueKeys(user, facts);
    if (profile.active) requireSeat(tenant);
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
  requireUniqueKeys(after, facts, before);
  if (after.profile.active && !before.profile.active) requireSeat(tenant);
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
    const tenant = requireTenant(facts);
    const found = facts.find('users', 'id', command.userId);
    const before = requireEntity(found, 'USER_NOT_FOUND', command.ifMatch);
    return changeProfile(tenant, before, profileAfter(command, before), { facts, actor });
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

/** That no job still changes one of these memberships: it needs the user for its events. */
const requireNoJobs = (facts: Facts, memberships: readonly Membership[]): void => {
  facts.require(memberships.flatMap(({ rosterId }) => ownerLookups(rosterId)));
  for (const { rosterId } of memberships) requireNoJob(ownerOf(facts, rosterId));
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
    const tenant = facts.tenant ?? raise('USER_NOT_FOUND');
    const found = facts.find('users', 'id', userId);
    const user = requireEntity(found, 'USER_NOT_FOUND', ifMatch);
    const memberships = facts.list('memberships', 'user', userId);
    requireNoJobs(facts, memberships);
    const shown = shownProfile(tenant, user.profile);
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
