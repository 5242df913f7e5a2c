import { z } from 'zod';
import {
  identifierField,
  PAGE_FIELDS,
  pageOf,
  idField,
  instantField,
} from '../../routes/fields.js';
import { tenantRoute, type Route, runCommand } from '../../routes/route.js';
import type { RoomReader, UserRoom } from '../../ports/rooms.js';
import { type RoomId, parseUserId } from '../../domain/kernel/ids.js';
import { newId } from '../../pipeline/submit.js';
import { precondition } from '../conditional.js';
import { NativeRoom } from './room-views.js';
import { respondWithRoom, ROOM_PARAM, roomIdFrom } from './rooms.js';
import type { UserReader } from '../../ports/users.js';
import { userNotFound } from '../../domain/kernel/refusals.js';
import { throwRefusal } from '../errors.js';

const routing = { tag: 'Rooms of a tenant' } as const;
const path = '/rooms';
const ofTenant = { ...routing, path };
const ofRoom = {
  ...routing,
  path: `${path}/{id}`,
  params: z.object(ROOM_PARAM),
};

const RoomName = z
  .strictObject({
    name: identifierField(256).describe('Unique in the tenant, ignoring case.'),
  })
  .meta({ id: 'RoomName', examples: [{ name: 'Dispatch' }] });

const createRoom = (): Route =>
  tenantRoute({
    ...ofTenant,
    method: 'POST',
    operationId: 'createRoom',
    summary: 'Create a room',
    command: 'room.create',
    body: RoomName,
    responses: { 201: { description: 'The room.', body: NativeRoom, tagged: true } },
    refusals: ['NAME_TAKEN'],
    handler: async (request) => {
      const { id } = request.caller.tenant;
      const command = { type: 'room.create', roomId: newId<RoomId>(), ...request.body } as const;
      const created = await runCommand(request, id, command);
      return { ...respondWithRoom(201, created), location: `/rooms/${created.room.id}` };
    },
  });

const renameRoom = (): Route =>
  tenantRoute({
    ...ofRoom,
    method: 'PATCH',
    operationId: 'renameRoom',
    summary: 'Rename a room',
    command: 'room.rename',
    description: 'The display name of its SCIM group mapping does not change.',
    body: RoomName,
    responses: { 200: { description: 'The renamed room.', body: NativeRoom } },
    refusals: ['ROOM_NOT_FOUND', 'NAME_TAKEN', 'PRECONDITION_FAILED'],
    handler: async (request) => {
      const { id } = request.caller.tenant;
      const view = await runCommand(request, id, {
        type: 'room.rename',
        roomId: roomIdFrom(request.params.id),
        ...request.body,
        ...precondition(request.ifMatch),
      });
      return respondWithRoom(200, view);
    },
  });

const deleteRoom = (): Route =>
  tenantRoute({
    ...ofRoom,
    method: 'DELETE',
    operationId: 'deleteRoom',
    summary: 'Delete a room',
    command: 'room.delete',
    description:
      'Removes the memberships (`room.member_removed` for each) and the SCIM group ' +
      '(`group.deleted`). A large room is completed by a job.',
    responses: { 204: { description: 'The room was deleted.' } },
    refusals: ['ROOM_NOT_FOUND', 'PRECONDITION_FAILED'],
    handler: async (request) => {
      const { id } = request.caller.tenant;
      await runCommand(request, id, {
        type: 'room.delete',
        roomId: roomIdFrom(request.params.id),
        ...precondition(request.ifMatch),
      });
      return { status: 204 };
    },
  });

/** A tenant's rooms: create, rename and delete (decisions.md 8). */
export const operatorRoomRoutes = (): readonly Route[] => [
  createRoom(),
  renameRoom(),
  deleteRoom(),
];

export interface UserRoomRouteParts {
  readonly users: Pick<UserReader, 'find'>;
  readonly rooms: Pick<RoomReader, 'roomsOf'>;
}

const UserRoomView = z
  .strictObject({
    id: idField("The room's id."),
    name: z.string(),
    tx_permission: z.boolean().describe('Whether the user may transmit in the room.'),
    added_at: instantField('When the user was added.'),
  })
  .meta({
    id: 'UserRoom',
    examples: [
      {
        id: '1c8e4f0a-5b2d-4c6e-9f70-3a1b2c3d4e5f',
        name: 'Dispatch',
        tx_permission: true,
        added_at: '2026-01-31T12:00:00.000Z',
      },
    ],
  });

const present = ({ id, name, txPermission, addedAt }: UserRoom): z.output<typeof UserRoomView> => ({
  id,
  name,
  tx_permission: txPermission,
  added_at: addedAt.toISOString(),
});

/** The rooms of a user. */
export const userRoomRoutes = ({ users, rooms }: UserRoomRouteParts): readonly Route[] => [
  tenantRoute({
    method: 'GET',
    path: '/users/{id}/rooms',
    operationId: 'listRoomsOfUser',
    tag: 'Users of a tenant',
    summary: 'List the rooms of a user',
    description: "By name; of the user's first 1,000 rooms and groups.",
    params: z.object({ id: idField("The user's id.") }),
    query: z.strictObject(PAGE_FIELDS),
    responses: {
      200: { description: 'A page of rooms.', body: pageOf('rooms', UserRoomView, 'UserRoomList') },
    },
    refusals: ['USER_NOT_FOUND'],
    handler: async ({ caller: { tenant }, params: { id }, query }) => {
      const userId = parseUserId(id) ?? throwRefusal(userNotFound());
      const [user, page] = await Promise.all([
        users.find(tenant.id, userId),
        rooms.roomsOf(tenant.id, userId, query),
      ]);
      if (!user) throwRefusal(userNotFound());
      return {
        status: 200,
        body: { rooms: page.rooms.map(present), total: page.total, ...query },
      };
    },
  }),
];
