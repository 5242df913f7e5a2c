import { z } from 'zod';
import { raise } from '../../domain/kernel/refusals.js';
import {
  idField,
  instantField,
  identifierField,
  flagField,
  COMPLETE_LIST_FIELDS,
  PAGE_FIELDS,
  pageOf,
  parseSort,
  sortField,
  textLike,
} from '../../routes/fields.js';
import {
  type RouteResponse,
  readRoute,
  type Route,
  tenantRoute,
  writeRoute,
  runCommand,
} from '../../routes/route.js';
import { fromWire, toWire } from '../../routes/wire.js';
import type { RoomView } from '../../domain/commands.js';
import { parseRoomId, type RoomId, type GroupId } from '../../domain/kernel/ids.js';
import { NOT_MODIFIED } from '../../routes/responses.js';
import { respondWithList } from '../routing/complete-list.js';
import { newId } from '../../pipeline/submit.js';
import { precondition } from '../conditional.js';
import type { RouteParts } from './route-parts.js';

export const ROOM_PARAM = { id: idField("The room's id.") };

export const roomIdFrom = (text: string): RoomId => parseRoomId(text) ?? raise('ROOM_NOT_FOUND');

/** Room: the fields of interface.md, then those of decisions.md 5. */
const NativeRoom = z
  .strictObject({
    id: idField("The room's id."),
    name: z.string().describe('Set by an operator. Unique in the tenant, ignoring case.'),
    display_name: textLike('Dispatch')
      .nullable()
      .describe('Display name of the SCIM group mapping; null without a mapping.'),
    external_id: z.string().nullable().describe('External id of the SCIM group mapping, or null.'),
    member_count: z.int().min(0),
    created_at: instantField('When the room was created.'),
    role: z.string().nullable().describe('Role that a role mapping gives to the members, or null.'),
    group_id: idField('Id of the SCIM group; null without a mapping.').nullable(),
  })
  .meta({ id: 'Room' });

const ROOM_FOR_CUSTOMERS = 'id name display_name member_count role';

const presentRoom = ({ room, group, role }: RoomView) =>
  toWire(NativeRoom, {
    ...room,
    displayName: group?.displayName ?? null,
    externalId: group?.externalId ?? null,
    role,
    groupId: group?.id ?? null,
  });

const respondWithRoom = (status: number, view: RoomView): RouteResponse => ({
  status,
  body: presentRoom(view),
  version: view.room.version,
});

const tag = 'Rooms';
const TENANT_TAG = 'Rooms of a tenant';
/** For operators; at `/rooms/{id}` they rename and delete the room itself. */
const MAPPING_PATH = '/rooms/{id}/mapping';
const params = z.object(ROOM_PARAM);

const textFilter = () => z.string().min(1).max(256).optional();

const RoomFilters = z.strictObject({
  ...COMPLETE_LIST_FIELDS,
  name: textFilter().describe('The room with this name, ignoring case.'),
  mapped: flagField().optional().describe('Only rooms with (or without) a SCIM group mapping.'),
});

const SORTED_BY = { created_at: 'created', name: 'name' } as const;
const Sort = sortField(['created_at', 'name']);

const sortOf = (text: z.output<typeof Sort>) => {
  const { by, descending } = parseSort(text);
  return { by: SORTED_BY[by], descending };
};

/** Operators get pages. */
const RoomPage = RoomFilters.extend({
  ...PAGE_FIELDS,
  search: textFilter().describe('Rooms with a word in their name that starts with this.'),
  role: textFilter().describe('Rooms whose group gives this role to their members.'),
  sort: Sort.optional(),
});

const filtersOf = ({
  sort,
  ...filters
}: z.output<typeof RoomFilters> &
  Partial<Pick<z.output<typeof RoomPage>, 'search' | 'role' | 'sort'>>) => ({
  ...fromWire(filters),
  ...(sort && { sort: sortOf(sort) }),
});

const MappingChanges = z
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

const listRooms = ({ rooms }: RouteParts): Route =>
  readRoute({
    path: '/rooms',
    scope: 'api:rooms:read',
    operationId: 'listRooms',
    forCustomers: { fields: `total limit offset rooms(${ROOM_FOR_CUSTOMERS})` },
    tag,
    summary: 'List rooms',
    description: 'Oldest first.',
    query: RoomFilters,
    operators: { query: RoomPage },
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
      const views = page.items.map(presentRoom);
      return { status: 200, body: { rooms: views, total: page.total, limit, offset } };
    },
  });

const readRoom = ({ rooms }: RouteParts): Route =>
  readRoute({
    path: '/rooms/{id}',
    scope: 'api:rooms:read',
    operationId: 'getRoom',
    forCustomers: { fields: ROOM_FOR_CUSTOMERS },
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
      respondWithRoom(
        200,
        (await rooms.find(tenant.id, roomIdFrom(id))) ?? raise('ROOM_NOT_FOUND'),
      ),
  });

const mapRoom = (): Route =>
  writeRoute({
    method: 'PATCH',
    path: '/rooms/{id}',
    scope: 'api:rooms:write',
    operators: { path: MAPPING_PATH },
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
      const view = await runCommand(request, request.caller.tenant.id, {
        type: 'room.map',
        roomId: roomIdFrom(request.params.id),
        groupId: newId<GroupId>(),
        ...fromWire(request.body),
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
    operators: { path: MAPPING_PATH },
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

// Operators create, rename and delete the room itself (decisions.md 8).

const RoomName = z
  .strictObject({
    name: identifierField(256).describe('Unique in the tenant, ignoring case.'),
  })
  .meta({ id: 'RoomName' });

const createRoom = (): Route =>
  tenantRoute({
    method: 'POST',
    path: '/rooms',
    operationId: 'createRoom',
    tag: TENANT_TAG,
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
    method: 'PATCH',
    path: '/rooms/{id}',
    operationId: 'renameRoom',
    tag: TENANT_TAG,
    summary: 'Rename a room',
    command: 'room.rename',
    params,
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
    method: 'DELETE',
    path: '/rooms/{id}',
    operationId: 'deleteRoom',
    tag: TENANT_TAG,
    summary: 'Delete a room',
    command: 'room.delete',
    params,
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

/** Rooms and their SCIM group mappings (interface.md, Rooms; decisions.md 5 and 8). */
export const roomRoutes = (parts: RouteParts): readonly Route[] =>
  [listRooms, readRoom, mapRoom, unmapRoom, createRoom, renameRoom, deleteRoom].map((declare) =>
    declare(parts),
  );
