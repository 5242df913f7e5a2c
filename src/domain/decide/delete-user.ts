import { userEvent } from '../events.js';
import type { Membership } from '../membership.js';
import type { User } from '../user.js';
import { leaveAll } from './change-members.js';
import type { Decider, Facts } from './decider.js';
import { inOrder } from './effect.js';
import { holderNeeds, holderOf, isBusy, postponed } from './roster.js';
import { countUser, noSuchUser, requireVersion } from './user-steps.js';

/** Whether a job will tell of one of these memberships: it needs the user for that. */
const isInJob = (facts: Facts, memberships: readonly Membership[]): boolean => {
  facts.require(memberships.flatMap(({ rosterId }) => holderNeeds(rosterId)));
  return memberships.some(({ rosterId }) => isBusy(holderOf(facts, rosterId)));
};

/**
 * Final for the outside: gone everywhere, its e-mail free again, its memberships ended, in this
 * order in the log (decisions.md 4).
 */
export const deleteUser: Decider<'user.delete'> = {
  needs: ({ userId }) => [
    { table: 'users', index: 'id', key: userId },
    { table: 'memberships', index: 'user', key: userId },
  ],
  decide: ({ command: { userId, ifMatch } }, facts) => {
    const user = facts.find('users', 'id', userId);
    if (!user || !facts.tenant) return noSuchUser();
    const refusal = requireVersion(user, ifMatch);
    if (refusal) return { refusal };
    const memberships = facts.list('memberships', 'user', userId);
    if (isInJob(facts, memberships)) return postponed();
    const departed: User = { ...user, profile: { ...user.profile, active: false } };
    const effect = inOrder(facts, [
      (now) => leaveAll(now, memberships),
      ({ tenant }) => ({
        changes: [
          { table: 'users', before: user, after: null },
          ...(tenant ? countUser(tenant, user, null) : []),
        ],
        events: [
          ...(user.profile.active ? [userEvent('user.deactivated', departed)] : []),
          userEvent('user.deleted', departed),
        ],
      }),
    ]);
    return { ...effect, result: null };
  },
  recall: () => null,
};
