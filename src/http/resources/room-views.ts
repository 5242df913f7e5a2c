import { z } from 'zod';
import { idField, instantField, identifierField } from '../../routes/fields.js';
import type { RoomMember } from '../../ports/rooms.js';
import type { MemberCounts, RoomView } from '../../domain/commands.js';
import type { RoomId } from '../../domain/kernel/ids.js';
import type { Membership } from '../../domain/room/room.js';

const ROOM_ID = '1c8e4f0a-5b2d-4c6e-9f70-3a1b2c3d4e5f';
const USER_ID = '6f1c2c1e-3b0e-4a58-9d7a-0a4c5b1d2e3f';

/** Room: the fields of interface.md, then those of decisions.md 5. */
export const NativeRoom = z
  .strictObject({
    id: idField("The room's id."),
    name: z.string().describe('Set by an operator. Unique in the tenant, ignoring case.'),
    display_name: z
      .string()
      .nullable()
      .describe('Display name of the SCIM group mapping; null without a mapping.'),
    external_id: z.string().nullable().describe('External id of the SCIM group mapping, or null.'),
    member_count: z.int().min(0),
    created_at: instantField('When the room was created.'),
    role: z.string().nullable().describe('Role that a role mapping gives to the members, or null.'),
    group_id: idField('Id of the SCIM group; null without a mapping.').nullable(),
  })
  .meta({
    id: 'Room',
    examples: [
      {
        id: ROOM_ID,
        name: 'Dispatch',
        display_name: 'Dispatch',
        external_id: null,
        member_count: 12,
        created_at: '2026-01-31T12:00:00.000Z',
        role: null,
        group_id: '5d0c9b8a-7f6e-4d5c-8b4a-392817065f4e',
      },
    ],
  });

export const presentRoom = ({ room, group, role }: RoomView): z.output<typeof NativeRoom> => ({
  id: room.id,
  name: room.name,
  display_name: group?.displayName ?? null,
  external_id: group?.externalId ?? null,
  member_count: room.memberCount,
  created_at: room.createdAt.toISOString(),
  role,
  group_id: group?.id ?? null,
});

const memberFields = {
  user_id: idField("The user's id."),
  tx_permission: z.boolean().describe('Whether the user may transmit in the room.'),
};

/** An item in the list of members. */
export const ListedMember = z
  .strictObject({
    ...memberFields,
    email: z.string().nullable(),
    display_name: z.string(),
    active: z.boolean().describe('Whether the user is active.'),
    added_at: instantField('When the user was added.'),
  })
  .meta({
    id: 'ListedMember',
    examples: [
      {
        user_id: USER_ID,
        tx_permission: true,
        email: 'ada@example.com',
        display_name: 'Ada Lovelace',
        active: true,
        added_at: '2026-01-31T12:00:00.000Z',
      },
    ],
  });

export const presentListed = (member: RoomMember): z.output<typeof ListedMember> => ({
  user_id: member.userId,
  tx_permission: member.txPermission,
  email: member.email,
  display_name: member.displayName,
  active: member.active,
  added_at: member.addedAt.toISOString(),
});

/** A member in the response to adding or changing it. */
export const RoomMemberView = z
  .strictObject({
    user_id: memberFields.user_id,
    room_id: idField("The room's id."),
    tx_permission: memberFields.tx_permission,
  })
  .meta({
    id: 'RoomMember',
    examples: [{ user_id: USER_ID, room_id: ROOM_ID, tx_permission: false }],
  });

export const presentMember = ({
  userId,
  rosterId,
  txPermission,
}: Membership): z.output<typeof RoomMemberView> => ({
  user_id: userId,
  room_id: rosterId,
  tx_permission: txPermission,
});

/** The response to replacing all members. */
export const MemberSync = z
  .strictObject({
    room_id: idField("The room's id."),
    members_added: z.int().min(0),
    members_updated: z.int().min(0).describe('Members with a changed transmit permission.'),
    members_removed: z.int().min(0),
  })
  .meta({
    id: 'MemberSync',
    examples: [{ room_id: ROOM_ID, members_added: 3, members_updated: 1, members_removed: 2 }],
  });

export const presentSync = (
  roomId: RoomId,
  { added, updated, removed }: MemberCounts,
): z.output<typeof MemberSync> => ({
  room_id: roomId,
  members_added: added,
  members_updated: updated,
  members_removed: removed,
});

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
const userId = () =>
  z.string().min(1).max(64).meta({ format: 'uuid', description: "The user's id." });

export const NewMember = z
  .strictObject({
    user_id: userId(),
    tx_permission: z.boolean().default(false).describe('Whether the user may transmit.'),
  })
  .meta({ id: 'RoomMemberInput', examples: [{ user_id: USER_ID, tx_permission: true }] });

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
