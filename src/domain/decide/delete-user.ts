import { userEvent } from '../events.js';
import type { User } from '../user.js';
import type { Decider } from './decider.js';
import { countUser, noSuchUser, requireVersion } from './user-steps.js';

/** Final for the outside: gone everywhere, its e-mail free again (decisions.md 4). */
export const deleteUser: Decider<'user.delete'> = {
  needs: ({ userId }) => [{ table: 'users', index: 'id', key: userId }],
  decide: ({ command }, facts) => {
    const { tenant } = facts;
    const user = facts.find('users', 'id', command.userId);
    if (!user || !tenant) return noSuchUser();
    const refusal = requireVersion(user, command.ifMatch);
    if (refusal) return { refusal };
    const departed: User = { ...user, profile: { ...user.profile, active: false } };
    return {
      changes: [{ table: 'users', before: user, after: null }, ...countUser(tenant, user, null)],
      events: [
        ...(user.profile.active ? [userEvent('user.deactivated', departed)] : []),
        userEvent('user.deleted', departed),
      ],
      result: null,
    };
  },
  recall: () => null,
};
