import { z } from 'zod';
import { raise } from '../../domain/kernel/refusals.js';
import { idField, instantField, COMPLETE_LIST_FIELDS, pageOf } from '../../routes/fields.js';
import { readRoute, type Route, writeRoute, runCommand } from '../../routes/route.js';
import { toWire } from '../../routes/wire.js';
import { respondWithList } from '../routing/complete-list.js';
import { parseUserId, type RoomId, type UserId } from '../../domain/kernel/ids.js';
import { LONG_BODY_LIMIT } from '../json/read-json.js';
import { room } from './rooms.js';
import type { RoomMember } from '../../ports/rooms.js';
import type { MemberCounts } from '../../domain/commands.js';
import type { Membership } from '../../domain/room/room.js';
import type { RouteParts } from './route-parts.js';

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
  .meta({ id: 'ListedMember' });

export const presentListed = (member: RoomMember) => toWire(ListedMember, member);

/** A member in the response to adding or changing it. */
const RoomMemberView = z
  .strictObject({
    user_id: memberFields.user_id,
    room_id: idField("The room's id."),
    tx_permission: memberFields.tx_permission,
  })
  .meta({ id: 'RoomMember' });

const presentMember = (member: Membership) =>
  toWire(RoomMemberView, { ...member, roomId: member.rosterId });

/** The response to replacing all members. */
const MemberSync = z
  .strictObject({
    room_id: idField("The room's id."),
    members_added: z.int().min(0),
    members_updated: z.int().min(0).describe('Members with a changed transmit permission.'),
    members_removed: z.int().min(0),
  })
  .meta({ id: 'MemberSync' });

const presentSync = (
  roomId: RoomId,
  { added, updated, removed }: MemberCounts,
): z.output<typeof MemberSync> => ({
  room_id: roomId,
  members_added: added,
  members_updated: updated,
  members_removed: removed,
});

/** Malformed ids are accepted here and reported like unknown ones. */
const userId = () =>
  z.string().min(1).max(64).meta({ format: 'uuid', description: "The user's id." });

const NewMember = z
  .strictObject({
    user_id: userId(),
    tx_permission: z.boolean().default(false).describe('Whether the user may transmit.'),
  })
  .meta({ id: 'RoomMemberInput' });

const MemberChanges = z
  .strictObject({ tx_permission: z.boolean() })
  .meta({ id: 'RoomMemberChanges', examples: [{ tx_permission: true }] });

const MemberList = z
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
  .meta({ id: 'ReplaceRoomMembers' });

const tag = 'Room members';
const path = '/rooms/{id}/members';
const { params } = room.ofOne;
const READ = { scope: 'api:rooms:read', tag, params } as const;
const WRITE = { scope: 'api:rooms:write', role: 'operator', tag, params } as const;
const ofMember = {
  ...WRITE,
  path: '/rooms/{id}/members/{userId}',
  params: params.extend({ userId: idField("The user's id.") }),
};

const ETAG_OF_ROOM = "If-Match takes the room's ETag, which changes whenever its members change.";

const listMembers = ({ rooms }: RouteParts): Route =>
  readRoute({
    ...READ,
    path,
    operationId: 'listRoomMembers',
    forCustomers: {
      fields:
        'total limit offset members(user_id tx_permission email display_name active added_at)',
    },
    summary: 'List the members of a room',
    description: 'Ordered by user id. Without `limit`, returns all members.',
    query: z.strictObject(COMPLETE_LIST_FIELDS),
    responses: {
      200: { description: 'The members.', body: pageOf('members', ListedMember, 'RoomMemberList') },
    },
    refusals: ['ROOM_NOT_FOUND'],
    handler: async ({ caller: { tenant }, params: { id }, query: { limit, offset } }) => {
      const roomId = room.idFrom(id);
      if (limit === undefined) {
        const all =
          (await rooms.allMembers(tenant.id, roomId, { offset })) ?? raise('ROOM_NOT_FOUND');
        return respondWithList(all, { name: 'members', offset, present: presentListed });
      }
      const page = await rooms.memberPage(tenant.id, roomId, { limit, offset });
      const { items, total } = page ?? raise('ROOM_NOT_FOUND');
      return { status: 200, body: { members: items.map(presentListed), total, limit, offset } };
    },
  });

const addMember = (): Route =>
  writeRoute({
    ...WRITE,
    method: 'POST',
    path,
    operationId: 'addRoomMember',
    summary: 'Add a user to a room',
    command: 'member.add',
    description: `Emits \`room.member_added\`. ${ETAG_OF_ROOM}`,
    body: NewMember,
    responses: { 201: { description: 'The member.', body: RoomMemberView, tagged: false } },
    refusals: ['ROOM_NOT_FOUND', 'USER_NOT_FOUND', 'MEMBER_EXISTS', 'PRECONDITION_FAILED'],
    handler: async (request) => {
      const { user_id, tx_permission } = request.body;
      const member = await runCommand(request, request.caller.tenant.id, {
        type: 'member.add',
        ...room.targetOf(request),
        userId: parseUserId(user_id) ?? raise('USER_NOT_FOUND'),
        txPermission: tx_permission,
      });
      const location = `/rooms/${request.params.id}/members/${member.userId}`;
      return { status: 201, body: presentMember(member), location };
    },
  });

const syncMembers = (): Route =>
  writeRoute({
    ...WRITE,
    method: 'PUT',
    path,
    operationId: 'replaceRoomMembers',
    summary: 'Replace all members of a room',
    command: 'member.sync',
    description:
      'Users in the body are added or updated; all other members are removed. Duplicate or unknown ' +
      'users are listed in `details`, and nothing is changed. Emits `room.member_added`, ' +
      '`room.member_updated` or `room.member_removed` per user. Unchanged members are not counted. ' +
      ETAG_OF_ROOM,
    body: MemberList,
    bodyLimit: LONG_BODY_LIMIT,
    longList: 'members',
    responses: { 200: { description: 'The number of changes.', body: MemberSync, tagged: false } },
    refusals: ['ROOM_NOT_FOUND', 'PRECONDITION_FAILED'],
    handler: async (request) => {
      const target = room.targetOf(request);
      const counts = await runCommand(request, request.caller.tenant.id, {
        type: 'member.sync',
        ...target,
        members: request.body.members.map(({ user_id, tx_permission }) => ({
          // The decider reports malformed ids together with all other invalid entries (decisions.md
          // 5).
          userId: parseUserId(user_id) ?? (user_id as UserId),
          ...(tx_permission !== undefined && { txPermission: tx_permission }),
        })),
      });
      return { status: 200, body: presentSync(target.roomId, counts) };
    },
  });

const updateMember = (): Route =>
  writeRoute({
    ...ofMember,
    method: 'PATCH',
    operationId: 'updateRoomMember',
    summary: "Change a member's transmit permission",
    command: 'member.update',
    description: `Emits \`room.member_updated\` if the permission changes. ${ETAG_OF_ROOM}`,
    body: MemberChanges,
    responses: { 200: { description: 'The member.', body: RoomMemberView, tagged: false } },
    refusals: ['ROOM_NOT_FOUND', 'MEMBER_NOT_FOUND', 'PRECONDITION_FAILED'],
    handler: async (request) => {
      const { userId } = request.params;
      const member = await runCommand(request, request.caller.tenant.id, {
        type: 'member.update',
        ...room.targetOf(request),
        userId: parseUserId(userId) ?? raise('MEMBER_NOT_FOUND'),
        txPermission: request.body.tx_permission,
      });
      return { status: 200, body: presentMember(member) };
    },
  });

const removeMember = (): Route =>
  writeRoute({
    ...ofMember,
    method: 'DELETE',
    operationId: 'removeRoomMember',
    summary: 'Remove a user from a room',
    command: 'member.remove',
    description: `Emits \`room.member_removed\`. ${ETAG_OF_ROOM}`,
    responses: { 204: { description: 'The user was removed from the room.' } },
    refusals: ['ROOM_NOT_FOUND', 'MEMBER_NOT_FOUND', 'PRECONDITION_FAILED'],
    handler: async (request) => {
      const { userId } = request.params;
      await runCommand(request, request.caller.tenant.id, {
        type: 'member.remove',
        ...room.targetOf(request),
        userId: parseUserId(userId) ?? raise('MEMBER_NOT_FOUND'),
      });
      return { status: 204 };
    },
  });

/** Room members (interface.md, Room members; decisions.md 5). */
export const memberRoutes = (parts: RouteParts): readonly Route[] =>
  [listMembers, addMember, syncMembers, updateMember, removeMember].map((declare) =>
    declare(parts),
  );
