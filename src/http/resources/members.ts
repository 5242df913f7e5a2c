import { z } from 'zod';
import { idField, COMPLETE_LIST_FIELDS, pageOf } from '../../routes/fields.js';
import { readRoute, type Route, writeRoute, runCommand } from '../../routes/route.js';
import { respondWithList } from '../routing/complete-list.js';
import { memberNotFound, userNotFound } from '../../domain/kernel/refusals.js';
import { parseUserId, type UserId } from '../../domain/kernel/ids.js';
import { precondition } from '../conditional.js';
import { throwRefusal } from '../errors.js';
import { LONG_BODY_LIMIT } from '../json/read-json.js';
import {
  ListedMember,
  MemberSync,
  presentListed,
  presentMember,
  presentSync,
  RoomMemberView,
  MemberChanges,
  MemberList,
  NewMember,
} from './room-views.js';
import { raiseRoomNotFound, ROOM_PARAM, roomIdFrom, type RoomRouteParts } from './rooms.js';

const tag = 'Room members';
const path = '/rooms/{id}/members';
const params = z.object(ROOM_PARAM);
const ofMember = {
  path: '/rooms/{id}/members/{userId}',
  params: z.object({ ...ROOM_PARAM, userId: idField("The user's id.") }),
};

const ETAG_OF_ROOM = "If-Match takes the room's ETag, which changes whenever its members change.";

const listMembers = ({ rooms }: RoomRouteParts): Route =>
  readRoute({
    path,
    scope: 'api:rooms:read',
    operationId: 'listRoomMembers',
    tag,
    summary: 'List the members of a room',
    description: 'Ordered by user id. Without `limit`, returns all members.',
    params,
    query: z.strictObject(COMPLETE_LIST_FIELDS),
    responses: {
      200: { description: 'The members.', body: pageOf('members', ListedMember, 'RoomMemberList') },
    },
    refusals: ['ROOM_NOT_FOUND'],
    handler: async ({ caller: { tenant }, params: { id }, query: { limit, offset } }) => {
      const roomId = roomIdFrom(id);
      if (limit === undefined) {
        const all = (await rooms.allMembers(tenant.id, roomId, { offset })) ?? raiseRoomNotFound();
        return respondWithList(all, { name: 'members', offset, present: presentListed });
      }
      const page = await rooms.memberPage(tenant.id, roomId, { limit, offset });
      const { members, total } = page ?? raiseRoomNotFound();
      return { status: 200, body: { members: members.map(presentListed), total, limit, offset } };
    },
  });

const addMember = (): Route =>
  writeRoute({
    method: 'POST',
    path,
    scope: 'api:rooms:write',
    role: 'operator',
    operationId: 'addRoomMember',
    tag,
    summary: 'Add a user to a room',
    command: 'member.add',
    description: `Emits \`room.member_added\`. ${ETAG_OF_ROOM}`,
    params,
    body: NewMember,
    responses: { 201: { description: 'The member.', body: RoomMemberView, tagged: false } },
    refusals: ['ROOM_NOT_FOUND', 'USER_NOT_FOUND', 'MEMBER_EXISTS', 'PRECONDITION_FAILED'],
    handler: async (request) => {
      const { user_id, tx_permission } = request.body;
      const member = await runCommand(request, request.caller.tenant.id, {
        type: 'member.add',
        roomId: roomIdFrom(request.params.id),
        userId: parseUserId(user_id) ?? throwRefusal(userNotFound()),
        txPermission: tx_permission,
        ...precondition(request.ifMatch),
      });
      const location = `/rooms/${request.params.id}/members/${member.userId}`;
      return { status: 201, body: presentMember(member), location };
    },
  });

const syncMembers = (): Route =>
  writeRoute({
    method: 'PUT',
    path,
    scope: 'api:rooms:write',
    role: 'operator',
    operationId: 'replaceRoomMembers',
    tag,
    summary: 'Replace all members of a room',
    command: 'member.sync',
    description:
      'Users in the body are added or updated; all other members are removed. Duplicate or unknown ' +
      'users are listed in `details`, and nothing is changed. Emits `room.member_added`, ' +
      '`room.member_updated` or `room.member_removed` per user. Unchanged members are not counted. ' +
      ETAG_OF_ROOM,
    params,
    body: MemberList,
    bodyLimit: LONG_BODY_LIMIT,
    longList: 'members',
    responses: { 200: { description: 'The number of changes.', body: MemberSync, tagged: false } },
    refusals: ['ROOM_NOT_FOUND', 'PRECONDITION_FAILED'],
    handler: async (request) => {
      const roomId = roomIdFrom(request.params.id);
      const counts = await runCommand(request, request.caller.tenant.id, {
        type: 'member.sync',
        roomId,
        members: request.body.members.map(({ user_id, tx_permission }) => ({
          // The decider reports malformed ids together with all other invalid entries (decisions.md
          // 5).
          userId: parseUserId(user_id) ?? (user_id as UserId),
          ...(tx_permission !== undefined && { txPermission: tx_permission }),
        })),
        ...precondition(request.ifMatch),
      });
      return { status: 200, body: presentSync(roomId, counts) };
    },
  });

const updateMember = (): Route =>
  writeRoute({
    ...ofMember,
    method: 'PATCH',
    scope: 'api:rooms:write',
    role: 'operator',
    operationId: 'updateRoomMember',
    tag,
    summary: "Change a member's transmit permission",
    command: 'member.update',
    description: `Emits \`room.member_updated\` if the permission changes. ${ETAG_OF_ROOM}`,
    body: MemberChanges,
    responses: { 200: { description: 'The member.', body: RoomMemberView, tagged: false } },
    refusals: ['ROOM_NOT_FOUND', 'MEMBER_NOT_FOUND', 'PRECONDITION_FAILED'],
    handler: async (request) => {
      const { id, userId } = request.params;
      const member = await runCommand(request, request.caller.tenant.id, {
        type: 'member.update',
        roomId: roomIdFrom(id),
        userId: parseUserId(userId) ?? throwRefusal(memberNotFound()),
        txPermission: request.body.tx_permission,
        ...precondition(request.ifMatch),
      });
      return { status: 200, body: presentMember(member) };
    },
  });

const removeMember = (): Route =>
  writeRoute({
    ...ofMember,
    method: 'DELETE',
    scope: 'api:rooms:write',
    role: 'operator',
    operationId: 'removeRoomMember',
    tag,
    summary: 'Remove a user from a room',
    command: 'member.remove',
    description: `Emits \`room.member_removed\`. ${ETAG_OF_ROOM}`,
    responses: { 204: { description: 'The user was removed from the room.' } },
    refusals: ['ROOM_NOT_FOUND', 'MEMBER_NOT_FOUND', 'PRECONDITION_FAILED'],
    handler: async (request) => {
      const { id, userId } = request.params;
      await runCommand(request, request.caller.tenant.id, {
        type: 'member.remove',
        roomId: roomIdFrom(id),
        userId: parseUserId(userId) ?? throwRefusal(memberNotFound()),
        ...precondition(request.ifMatch),
      });
      return { status: 204 };
    },
  });

/** Room members (interface.md, Room members; decisions.md 5). */
export const memberRoutes = (parts: RoomRouteParts): readonly Route[] =>
  [listMembers, addMember, syncMembers, updateMember, removeMember].map((declare) =>
    declare(parts),
  );
