import { fold } from '../domain/fold.js';
import type { TenantId, UserId } from '../domain/ids.js';
import { displayNameOf, emailKey, type User } from '../domain/user.js';
import type { UserDocument } from './documents.js';
import { foldProfile } from './fold-profile.js';

/** Everything of a user's document but its place in the order of creation. */
export const toUserFields = (user: User): Omit<UserDocument, '_id' | 'tenant' | 'n'> => {
  const email = emailKey(user);
  return {
    v: user.version,
    profile: user.profile,
    folded: {
      ...foldProfile(user.profile),
      label: fold(displayNameOf(user.profile)),
      ...(email === null ? {} : { email }),
    },
    email: user.email,
    role: user.role,
    createdAt: user.createdAt,
    updatedAt: user.updatedAt,
  };
};

export const toUserDocument = (user: User, ordinal: number): UserDocument => ({
  _id: user.id,
  tenant: user.tenantId,
  n: ordinal,
  ...toUserFields(user),
});

/** What reads ask for: the shadow is for the database alone. */
export const USER_PROJECTION = { folded: 0 } as const;

export const fromUserDocument = (document: Omit<UserDocument, 'folded'>): User => ({
  id: document._id as UserId,
  tenantId: document.tenant as TenantId,
  version: document.v,
  profile: document.profile,
  email: document.email,
  role: document.role,
  createdAt: document.createdAt,
  updatedAt: document.updatedAt,
});
