import { z } from 'zod';
import { identifierField, lineField } from '../../api/fields.js';
import { isEmailAddress, type UserProfile } from '../../domain/user/user.js';

const displayName = lineField(256).describe("The user's name.");

export const NewUser = z
  .strictObject({
    email: identifierField(254)
      .refine(isEmailAddress, 'must be an e-mail address')
      .meta({ format: 'email', description: 'Unique in the tenant, ignoring case.' }),
    display_name: displayName.optional(),
    external_id: identifierField(256).optional().describe("The user's id in your system."),
    active: z.boolean().default(true).describe('Each active user takes a seat.'),
  })
  .meta({
    id: 'NewUser',
    examples: [{ email: 'ada@example.com', display_name: 'Ada Lovelace', external_id: 'HR-1815' }],
  });

export const UserChanges = z
  .strictObject({ display_name: displayName.optional(), active: z.boolean().optional() })
  .refine(
    ({ display_name, active }) => display_name !== undefined || active !== undefined,
    'must contain display_name, active or both',
  )
  .meta({ id: 'UserChanges', minProperties: 1, examples: [{ active: false }] });

/** The profile of a user created over REST (decisions.md 4). */
export const profileOf = ({
  email,
  display_name,
  external_id,
  active,
}: z.output<typeof NewUser>): UserProfile => ({
  userName: email,
  active,
  ...(display_name !== undefined && { displayName: display_name }),
  ...(external_id !== undefined && { externalId: external_id }),
  emails: [{ value: email, type: 'work', primary: true }],
});
