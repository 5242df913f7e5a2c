import { z } from 'zod';
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
  textFilter,
  textLike,
} from '../../routes/fields.js';
import { readRoute, type Route, tenantRoute, writeRoute, runCommand } from '../../routes/route.js';
import { fromWire, toWire } from '../../routes/wire.js';
import type { RoomView } from '../../domain/commands.js';
import { parseRoomId, type RoomId, type GroupId } from '../../domain/kernel/ids.js';
import { respondWithList } from '../routing/complete-list.js';
import { newId } from '../../pipeline/submit.js';
import { resourceRoutes } from '../routing/resource-routes.js';
import type { RouteParts } from './route-parts.js';

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

const ROOM_FOR_CUSTOMERS = 'id name external_id created_at group_id display_name member_count role';

const presentRoom = ({ room, group, role }: RoomView) =>
  toWire(NativeRoom, {
    ...room,
    displayName: group?.displayName ?? null,
    externalId: group?.externalId ?? null,
    role,
    groupId: group?.id ?? null,
  });

export const room = resourceRoutes({
  noun: 'room',
  path: '/rooms',
  view: NativeRoom,
  present: presentRoom,
  versionOf: ({ room: { version } }: RoomView) => version,
  parse: parseRoomId,
  missing: 'ROOM_NOT_FOUND',
  target: (roomId) => ({ roomId }),
  commands: { create: 'room.create', update: 'room.rename', delete: 'room.delete' },
});

const tag = 'Rooms';
const TENANT_TAG = 'Rooms of a tenant';
const READ = { scope: 'api:rooms:read', tag } as const;
/** Operators have these at another path; at `/rooms/{id}` they rename and delete the room itself. */
const MAPPING = {
  path: '/rooms/{id}',
  params: room.ofOne.params,
  scope: 'api:rooms:write',
  tag,
  operators: { path: '/rooms/{id}/mapping' },
} as const;

const RoomFilters = z.strictObject({
  ...COMPLETE_LIST_FIELDS,
  name: textFilter('The room with this name, ignoring case.'),
  mapped: flagField().optional().describe('Only rooms with (or without) a SCIM group mapping.'),
});

const SORTED_BY = { created_at: 'created', name: 'name' } as const;

/** Operators get pages. */
const RoomPage = RoomFilters.extend({
  ...PAGE_FIELDS,
  search: textFilter('Rooms with a word in their name that starts with this.'),
  role: textFilter('Rooms whose group gives this role to their members.'),
  sort: sortField(SORTED_BY),
});

const filtersOf = ({
  sort,
  ...filters
}: z.output<typeof RoomFilters> &
  Partial<Pick<z.output<typeof RoomPage>, 'search' | 'role' | 'sort'>>) => ({
  ...fromWire(filters),
  ...(sort && { sort: parseSort(SORTED_BY, sort) }),
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
    ...READ,
    path: '/rooms',
    operationId: 'listRooms',
    forCustomers: { fields: `total limit offset rooms(${ROOM_FOR_CUSTOMERS})` },
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

const mapRoom = (): Route =>
  writeRoute({
    ...MAPPING,
    method: 'PATCH',
    operationId: 'mapRoom',
    summary: "Update a room's SCIM group mapping",
    command: 'room.map',
    description:
      'If the room has no mapping, creates one (`display_name` defaults to the name of the room) and ' +
      'emits `group.created`; a body with only `external_id: null` is 404 `GROUP_NOT_FOUND` then. ' +
      "Changing a mapping emits `group.updated`. The room's own name does not change.",
    body: MappingChanges,
    responses: { 200: { description: 'The updated room.', body: NativeRoom } },
    refusals: ['ROOM_NOT_FOUND', 'GROUP_NOT_FOUND', 'GROUP_EXISTS', 'PRECONDITION_FAILED'],
    handler: async (request) => {
      const { tenant } = request.caller;
      const view = await runCommand(request, tenant.id, {
        type: 'room.map',
        groupId: newId<GroupId>(),
        ...room.targetOf(request),
        ...fromWire(request.body),
      });
      return room.respond(200, view, tenant);
    },
  });

const unmapRoom = (): Route =>
  writeRoute({
    ...MAPPING,
    method: 'DELETE',
    operationId: 'unmapRoom',
    summary: "Remove a room's SCIM group mapping",
    command: 'room.unmap',
    description: 'The room and its members stay. Emits `group.deleted`.',
    responses: { 204: { description: 'The mapping was removed.' } },
    refusals: ['ROOM_NOT_FOUND', 'GROUP_NOT_FOUND', 'PRECONDITION_FAILED'],
    handler: async (request) => {
      const { id } = request.caller.tenant;
      await runCommand(request, id, { type: 'room.unmap', ...room.targetOf(request) });
      return { status: 204 };
    },
  });

const RoomName = z
  .strictObject({
    name: identifierField(256).describe('Unique in the tenant, ignoring case.'),
  })
  .meta({ id: 'RoomName' });

/** Operators create, rename and delete the room itself (decisions.md 8). */
const ofOperators = (): readonly Route[] => [
  tenantRoute({
    ...room.create({
      body: RoomName,
      fields: (body) => ({ roomId: newId<RoomId>(), ...body }),
      refusals: ['NAME_TAKEN'],
      tagged: true,
    }),
    operationId: 'createRoom',
    tag: TENANT_TAG,
    summary: 'Create a room',
  }),
  tenantRoute({
    ...room.update({
      body: RoomName,
      fields: (target, body) => ({ ...target, ...body }),
      refusals: ['NAME_TAKEN'],
    }),
    operationId: 'renameRoom',
    tag: TENANT_TAG,
    summary: 'Rename a room',
    description: 'The display name of its SCIM group mapping does not change.',
    responses: { 200: { description: 'The renamed room.', body: NativeRoom } },
  }),
  tenantRoute({
    ...room.delete(),
    operationId: 'deleteRoom',
    tag: TENANT_TAG,
    summary: 'Delete a room',
    description:
      'Removes the memberships (`room.member_removed` for each) and the SCIM group ' +
      '(`group.deleted`). A large room is completed by a job.',
  }),
];

/** Rooms and their SCIM group mappings (interface.md, Rooms; decisions.md 5 and 8). */
export const roomRoutes = (parts: RouteParts): readonly Route[] => [
  listRooms(parts),
  readRoute({
    ...READ,
    ...room.get(parts.rooms),
    operationId: 'getRoom',
    forCustomers: { fields: ROOM_FOR_CUSTOMERS },
    summary: 'Get a room',
    description: 'Includes its SCIM group mapping, if any.',
  }),
  mapRoom(),
  unmapRoom(),
  ...ofOperators(),
];
