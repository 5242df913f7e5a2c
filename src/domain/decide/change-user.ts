import type { DeactivateUser, PatchUser, ReplaceUser, UpdateUser } from '../commands.js';
import type { IfMatch } from '../precondition.js';
import type { UserId } from '../ids.js';
import { refuse, type Refusal, RefusalError } from '../refusals.js';
import type { Need } from '../tables.js';
import type { User, UserProfile } from '../user.js';
import { needsOfProfile } from './create-user.js';
import type { Decider, Facts, Rules, Verdict } from './decider.js';
import { changeProfile, noSuchUser, requireVersion } from './user-steps.js';

interface OnUser {
  readonly userId: UserId;
  readonly ifMatch?: IfMatch;
}

type ProfileAfter<C> = (command: C, before: User, rules: Rules) => UserProfile;

/** A decider for a command that comes to another profile of one user. */
const changeUser = <C extends OnUser>(
  profileAfter: ProfileAfter<C>,
  needs: (command: C) => readonly Need[] = () => [],
) => ({
  needs: (command: C): readonly Need[] => [
    { table: 'users', index: 'id', key: command.userId },
    ...needs(command),
  ],
  decide: ({ command }: { readonly command: C }, facts: Facts, rules: Rules): Verdict<User> => {
    const { tenant } = facts;
    if (!tenant) return { refusal: refuse('TENANT_NOT_FOUND', 'This tenant has been deleted.') };
    const before = facts.find('users', 'id', command.userId);
    if (!before) return noSuchUser();
    const refusal = requireVersion(before, command.ifMatch);
    if (refusal) return { refusal };
    const attempted = attempt(() => profileAfter(command, before, rules));
    return 'refusal' in attempted
      ? { refusal: attempted.refusal }
      : changeProfile(tenant, before, attempted.profile, facts);
  },
  recall: (command: C, facts: Facts): User | undefined => facts.find('users', 'id', command.userId),
});

/** A rule from outside the domain refuses by throwing; inside it is a verdict like any other. */
const attempt = (
  work: () => UserProfile,
): { readonly profile: UserProfile } | { readonly refusal: Refusal } => {
  try {
    return { profile: work() };
  } catch (error) {
    if (error instanceof RefusalError) return { refusal: error.refusal };
    throw error;
  }
};

export const replaceUser: Decider<'user.replace'> = changeUser<ReplaceUser>(
  ({ profile, keepsActive }, before) =>
    keepsActive ? { ...profile, active: before.profile.active } : profile,
  ({ profile }) => needsOfProfile(profile),
);

export const patchUser: Decider<'user.patch'> = changeUser<PatchUser>(
  ({ operations }, before, rules) => rules.applyPatch(before.profile, operations),
);

export const updateUser: Decider<'user.update'> = changeUser<UpdateUser>(
  ({ displayName, active }, { profile }) => ({
    ...profile,
    ...(displayName === undefined ? {} : { displayName }),
    ...(active === undefined ? {} : { active }),
  }),
);

export const deactivateUser: Decider<'user.deactivate'> = changeUser<DeactivateUser>(
  (_command, { profile }) => ({ ...profile, active: false }),
);
