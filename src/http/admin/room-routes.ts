import { z } from 'zod';
import { NOT_MODIFIED } from '../../api/accepted-response.js';
import { identifierField, PAGE_FIELDS, pageOf } from '../../api/fields.js';
import { operatorRoute, type Route } from '../../api/route.js';
import { runCommand } from '../../api/run-command.js';
import type { RoomReader } from '../../api/rooms.js';
import type { TenantReader } from '../../api/tenants.js';
import type { RoomId } from '../../domain/kernel/ids.js';
import { newId } from '../../pipeline/submit.js';
import { precondition } from '../conditional.js';
import { NativeRoom, presentRoom } from '../native/native-room.js';
import {
  raiseRoomNotFound,
  respondWithRoom,
  ROOM_FILTERS,
  ROOM_PARAM,
  roomIdFrom,
} from '../native/room-routing.js';
import { SLUG_PARAM, tenantBySlug } from './tenant-by-slug.js';

export interface OperatorRoomParts {
  readonly tenants: Pick<TenantReader, 'findBySlug'>;
  readonly rooms: Pick<RoomReader, 'find' | 'page'>;
}

const routing = { tag: 'Rooms of a tenant' } as const;
const path = '/tenants/{slug}/rooms';
const ofTenant = { ...routing, path, params: z.object(SLUG_PARAM) };
const ofRoom = {
  ...routing,
  path: `${path}/{id}`,
  params: z.object({ ...SLUG_PARAM, ...ROOM_PARAM }),
};

const RoomName = z
  .strictObject({
    name: identifierField(256).describe('Unique in the tenant, ignoring case.'),
  })
  .meta({ id: 'RoomName', examples: [{ name: 'Dispatch' }] });

const createRoom = ({ tenants }: OperatorRoomParts): Route =>
  operatorRoute({
    ...ofTenant,
    method: 'POST',
    operationId: 'createRoom',
    summary: 'Create a room',
    command: 'room.create',
    body: RoomName,
    responses: { 201: { description: 'The room.', body: NativeRoom, tagged: true } },
    refusals: ['TENANT_NOT_FOUND', 'NAME_TAKEN'],
    handler: async (request) => {
      const { id, slug } = await tenantBySlug(tenants, request.params.slug);
      const command = { type: 'room.create', roomId: newId<RoomId>(), ...request.body } as const;
      const created = await runCommand(request, id, command);
      return {
        ...respondWithRoom(201, created),
        location: `/tenants/${slug}/rooms/${created.room.id}`,
      };
    },
  });

const listRooms = ({ tenants, rooms }: OperatorRoomParts): Route =>
  operatorRoute({
    ...ofTenant,
    method: 'GET',
    operationId: 'listTenantRooms',
    summary: "List a tenant's rooms",
    description: 'Oldest first.',
    query: z.strictObject({ ...PAGE_FIELDS, ...ROOM_FILTERS }),
    responses: {
      200: { description: 'A page of rooms.', body: pageOf('rooms', NativeRoom, 'RoomList') },
    },
    refusals: ['TENANT_NOT_FOUND'],
    handler: async ({ params: { slug }, query: { limit, offset, name } }) => {
      const { id } = await tenantBySlug(tenants, slug);
      const roomQuery = { limit, offset, ...(name !== undefined && { name }) };
      const page = await rooms.page(id, roomQuery);
      const views = page.rooms.map(presentRoom);
      return { status: 200, body: { rooms: views, total: page.total, limit, offset } };
    },
  });

const readRoom = ({ tenants, rooms }: OperatorRoomParts): Route =>
  operatorRoute({
    ...ofRoom,
    method: 'GET',
    operationId: 'getTenantRoom',
    summary: 'Get a room',
    responses: {
      200: { description: 'The room.', body: NativeRoom },
      304: NOT_MODIFIED,
    },
    refusals: ['TENANT_NOT_FOUND', 'ROOM_NOT_FOUND', 'PRECONDITION_FAILED'],
    handler: async ({ params }) => {
      const { id } = await tenantBySlug(tenants, params.slug);
      return respondWithRoom(
        200,
        (await rooms.find(id, roomIdFrom(params.id))) ?? raiseRoomNotFound(),
      );
    },
  });

const renameRoom = ({ tenants }: OperatorRoomParts): Route =>
  operatorRoute({
    ...ofRoom,
    method: 'PATCH',
    operationId: 'renameRoom',
    summary: 'Rename a room',
    command: 'room.rename',
    description: 'The display name of its SCIM group mapping does not change.',
    body: RoomName,
    responses: { 200: { description: 'The renamed room.', body: NativeRoom } },
    refusals: ['TENANT_NOT_FOUND', 'ROOM_NOT_FOUND', 'NAME_TAKEN', 'PRECONDITION_FAILED'],
    handler: async (request) => {
      const { id } = await tenantBySlug(tenants, request.params.slug);
      const view = await runCommand(request, id, {
        type: 'room.rename',
        roomId: roomIdFrom(request.params.id),
        ...request.body,
        ...precondition(request.ifMatch),
      });
      return respondWithRoom(200, view);
    },
  });

const deleteRoom = ({ tenants }: OperatorRoomParts): Route =>
  operatorRoute({
    ...ofRoom,
    method: 'DELETE',
    operationId: 'deleteRoom',
    summary: 'Delete a room',
    command: 'room.delete',
    description:
      'Removes the memberships (`room.member_removed` for each) and the SCIM group ' +
      '(`group.deleted`). A large room is completed by a job.',
    responses: { 204: { description: 'The room was deleted.' } },
    refusals: ['TENANT_NOT_FOUND', 'ROOM_NOT_FOUND', 'PRECONDITION_FAILED'],
    handler: async (request) => {
      const { id } = await tenantBySlug(tenants, request.params.slug);
      await runCommand(request, id, {
        type: 'room.delete',
        roomId: roomIdFrom(request.params.id),
        ...precondition(request.ifMatch),
      });
      return { status: 204 };
    },
  });

/** A tenant's rooms: create, rename and delete (decisions.md 8). */
export const operatorRoomRoutes = (parts: OperatorRoomParts): readonly Route[] =>
  [createRoom, listRooms, readRoom, renameRoom, deleteRoom].map((declare) => declare(parts));
