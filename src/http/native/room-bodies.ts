import { z } from 'zod';
import { identifierField } from '../../api/fields.js';

const USER_ID = '6f1c2c1e-3b0e-4a58-9d7a-0a4c5b1d2e3f';

export const MappingChanges = z
  .strictObject({
    display_name: identifierField(256)
      .optional()
      .describe("Unique among the tenant's groups, ignoring case."),
    external_id: identifierField(256).nullable().optional().describe('Null clears it.'),
  })
  .refine(
    ({ display_name, external_id }) => display_name !== undefined || external_id !== undefined,
    'must contain display_name, external_id or both',
  )
  .meta({
    id: 'RoomMappingChanges',
    minProperties: 1,
    examples: [{ display_name: 'Night dispatch', external_id: '00g1emaKYZTWRYYRRTSK' }],
  });

/** Malformed ids are accepted here and reported like unknown ones. */
const userId = () => z.string().min(1).max(64).meta({ description: "The user's id." });

export const NewMember = z
  .strictObject({
    user_id: userId(),
    tx_permission: z.boolean().default(false).describe('Whether the user may transmit.'),
  })
  .meta({ id: 'NewRoomMember', examples: [{ user_id: USER_ID, tx_permission: true }] });

export const MemberChanges = z
  .strictObject({ tx_permission: z.boolean() })
  .meta({ id: 'RoomMemberChanges', examples: [{ tx_permission: true }] });

export const MemberList = z
  .strictObject({
    members: z.array(
      z.strictObject({
        user_id: userId(),
        tx_permission: z
          .boolean()
          .optional()
          .describe('If omitted: false for a new member, unchanged for an existing one.'),
      }),
    ),
  })
  .meta({
    id: 'ReplaceRoomMembers',
    examples: [{ members: [{ user_id: USER_ID, tx_permission: true }] }],
  });
