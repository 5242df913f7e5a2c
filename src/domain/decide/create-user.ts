import { userEvent } from '../events.js';
import { fold } from '../fold.js';
import { refuse } from '../refusals.js';
import type { Need } from '../tables.js';
import { emailOf, type User, type UserProfile } from '../user.js';
import type { Decider } from './decider.js';
import { countUser, requireSeat, requireUniqueKeys } from './user-steps.js';

/** The questions that a profile's unique keys raise. */
export const needsOfProfile = (profile: UserProfile): readonly Need[] => {
  const email = emailOf(profile);
  return [
    { table: 'users', index: 'userName', key: fold(profile.userName) },
    ...(email === null ? [] : [{ table: 'users', index: 'email', key: fold(email) } as const]),
  ];
};

export const createUser: Decider<'user.create'> = {
  needs: ({ profile }) => needsOfProfile(profile),
  decide: ({ tenantId, command: { userId, profile } }, facts) => {
    const { tenant, now } = facts;
    if (!tenant) return { refusal: refuse('TENANT_NOT_FOUND', 'This tenant has been deleted.') };
    const user: User = {
      id: userId,
      tenantId,
      version: 1,
      profile,
      email: emailOf(profile),
      role: null,
      createdAt: now,
      updatedAt: now,
    };
    const refusal =
      requireUniqueKeys(user, facts) ?? (profile.active ? requireSeat(tenant) : undefined);
    if (refusal) return { refusal };
    return {
      changes: [{ table: 'users', before: null, after: user }, ...countUser(tenant, null, user)],
      events: [userEvent('user.created', user)],
      result: user,
    };
  },
  recall: ({ userId }, facts) => facts.find('users', 'id', userId),
};
