import { z } from 'zod';
import {
  idField,
  flagField,
  COMPLETE_LIST_FIELDS,
  PAGE_FIELDS,
  pageOf,
} from '../../routes/fields.js';
import {
  type RouteResponse,
  readRoute,
  type Route,
  writeRoute,
  runCommand,
} from '../../routes/route.js';
import type { RoomReader, RoomConditions } from '../../ports/rooms.js';
import type { RoomView } from '../../domain/commands.js';
import { roomNotFound } from '../../domain/kernel/refusals.js';
import { parseRoomId, type RoomId, type GroupId } from '../../domain/kernel/ids.js';
import { presentRoom, NativeRoom, MappingChanges } from './room-views.js';
import { throwRefusal } from '../errors.js';
import { NOT_MODIFIED } from '../../routes/responses.js';
import { respondWithList } from '../routing/complete-list.js';
import { newId } from '../../pipeline/submit.js';
import { precondition } from '../conditional.js';

export interface RoomRouteParts {
  readonly rooms: RoomReader;
}

export const ROOM_PARAM = { id: idField("The room's id.") };

export const raiseRoomNotFound = (): never => throwRefusal(roomNotFound());

export const roomIdFrom = (text: string): RoomId => parseRoomId(text) ?? raiseRoomNotFound();

export const respondWithRoom = (status: number, view: RoomView): RouteResponse => ({
  status,
  body: presentRoom(view),
  version: view.room.version,
});

const tag = 'Rooms';
const params = z.object(ROOM_PARAM);

const RoomFilters = z.strictObject({
  ...COMPLETE_LIST_FIELDS,
  name: z.string().min(1).max(256).optional().describe('The room with this name, ignoring case.'),
  mapped: flagField().optional().describe('Only rooms with (or without) a SCIM group mapping.'),
});

/** Operators get pages. */
const RoomPage = RoomFilters.extend(PAGE_FIELDS);

const filtersOf = ({
  name,
  mapped,
}: Pick<z.output<typeof RoomFilters>, 'name' | 'mapped'>): RoomConditions => ({
  ...(name !== undefined && { name }),
  ...(mapped !== undefined && { mapped }),
});

const listRooms = ({ rooms }: RoomRouteParts): Route =>
  readRoute({
    path: '/rooms',
    scope: 'api:rooms:read',
    operationId: 'listRooms',
    tag,
    summary: 'List rooms',
    description: 'Oldest first.',
    query: RoomFilters,
    operatorQuery: RoomPage,
    responses: {
      200: { description: 'The rooms.', body: pageOf('rooms', NativeRoom, 'RoomList') },
    },
    handler: async ({ caller: { tenant }, query }) => {
      const { limit, offset } = query;
      const roomQuery = { ...filtersOf(query), offset };
      if (limit === undefined) {
        const all = await rooms.all(tenant.id, roomQuery);
        return respondWithList(all, { name: 'rooms', offset, present: presentRoom });
      }
      const page = await rooms.page(tenant.id, { ...roomQuery, limit });
      const views = page.rooms.map(presentRoom);
      return { status: 200, body: { rooms: views, total: page.total, limit, offset } };
    },
  });

const readRoom = ({ rooms }: RoomRouteParts): Route =>
  readRoute({
    path: '/rooms/{id}',
    scope: 'api:rooms:read',
    operationId: 'getRoom',
    tag,
    summary: 'Get a room',
    description: 'Includes its SCIM group mapping, if any.',
    params,
    responses: {
      200: { description: 'The room.', body: NativeRoom },
      304: NOT_MODIFIED,
    },
    refusals: ['ROOM_NOT_FOUND', 'PRECONDITION_FAILED'],
    handler: async ({ caller: { tenant }, params: { id } }) =>
      respondWithRoom(200, (await rooms.find(tenant.id, roomIdFrom(id))) ?? raiseRoomNotFound()),
  });

const mapRoom = (): Route =>
  writeRoute({
    method: 'PATCH',
    path: '/rooms/{id}',
    scope: 'api:rooms:write',
    operatorPath: '/rooms/{id}/mapping',
    operationId: 'mapRoom',
    tag,
    summary: "Update a room's SCIM group mapping",
    command: 'room.map',
    description:
      'If the room has no mapping, creates one (`display_name` defaults to the name of the room) and ' +
      'emits `group.created`; a body with only `external_id: null` is 404 `GROUP_NOT_FOUND` then. ' +
      "Changing a mapping emits `group.updated`. The room's own name does not change.",
    params,
    body: MappingChanges,
    responses: { 200: { description: 'The updated room.', body: NativeRoom } },
    refusals: ['ROOM_NOT_FOUND', 'GROUP_NOT_FOUND', 'GROUP_EXISTS', 'PRECONDITION_FAILED'],
    handler: async (request) => {
      const { display_name, external_id } = request.body;
      const view = await runCommand(request, request.caller.tenant.id, {
        type: 'room.map',
        roomId: roomIdFrom(request.params.id),
        groupId: newId<GroupId>(),
        ...(display_name !== undefined && { displayName: display_name }),
        ...(external_id !== undefined && { externalId: external_id }),
        ...precondition(request.ifMatch),
      });
      return respondWithRoom(200, view);
    },
  });

const unmapRoom = (): Route =>
  writeRoute({
    method: 'DELETE',
    path: '/rooms/{id}',
    scope: 'api:rooms:write',
    operatorPath: '/rooms/{id}/mapping',
    operationId: 'unmapRoom',
    tag,
    summary: "Remove a room's SCIM group mapping",
    command: 'room.unmap',
    description: 'The room and its members stay. Emits `group.deleted`.',
    params,
    responses: { 204: { description: 'The mapping was removed.' } },
    refusals: ['ROOM_NOT_FOUND', 'GROUP_NOT_FOUND', 'PRECONDITION_FAILED'],
    handler: async (request) => {
      await runCommand(request, request.caller.tenant.id, {
        type: 'room.unmap',
        roomId: roomIdFrom(request.params.id),
        ...precondition(request.ifMatch),
      });
      return { status: 204 };
    },
  });

/** Rooms and their SCIM group mappings (interface.md, Rooms; decisions.md 5). */
export const roomRoutes = (parts: RoomRouteParts): readonly Route[] =>
  [listRooms, readRoom, mapRoom, unmapRoom].map((declare) => declare(parts));
