import { z } from 'zod';
import { idField, instantField } from '../../api/fields.js';
import type { Tenant } from '../../domain/tenant/tenant.js';
import { displayNameOf, roleOf, type User } from '../../domain/user/user.js';

/** User: the fields of interface.md, then those of decisions.md 4. */
export const NativeUser = z
  .strictObject({
    id: idField("The user's id."),
    email: z.string().nullable().describe('Null for a SCIM user without an e-mail address.'),
    display_name: z.string(),
    active: z.boolean().describe('False after deactivation: the user cannot sign in.'),
    created_at: instantField('When the user was created.'),
    user_name: z.string().describe('The SCIM userName; for users created over REST, the e-mail.'),
    external_id: z.string().nullable().describe("The user's id in the client's system, or null."),
    role: z.string().describe("Role from a role mapping, else the tenant's default role."),
    updated_at: instantField('When the user was last changed.'),
  })
  .meta({
    id: 'User',
    examples: [
      {
        id: '6f1c2c1e-3b0e-4a58-9d7a-0a4c5b1d2e3f',
        email: 'ada@example.com',
        display_name: 'Ada Lovelace',
        active: true,
        created_at: '2026-01-31T12:00:00.000Z',
        user_name: 'ada@example.com',
        external_id: 'HR-1815',
        role: 'member',
        updated_at: '2026-01-31T12:00:00.000Z',
      },
    ],
  });

export type NativeUser = z.output<typeof NativeUser>;

export const presentUser = (user: User, tenant: Pick<Tenant, 'defaultRole'>): NativeUser => ({
  id: user.id,
  email: user.email,
  display_name: displayNameOf(user.profile),
  active: user.profile.active,
  created_at: user.createdAt.toISOString(),
  user_name: user.profile.userName,
  external_id: user.profile.externalId ?? null,
  role: roleOf(user, tenant),
  updated_at: user.updatedAt.toISOString(),
});
