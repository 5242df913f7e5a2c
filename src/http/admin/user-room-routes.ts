import { z } from 'zod';
import { idField, instantField, PAGE_FIELDS, pageOf } from '../../api/fields.js';
import type { RoomReader, UserRoom } from '../../api/rooms.js';
import { operatorRoute, type Route } from '../../api/route.js';
import type { TenantReader } from '../../api/tenants.js';
import type { UserReader } from '../../api/users.js';
import { parseUserId } from '../../domain/kernel/ids.js';
import { userNotFound } from '../../domain/kernel/refusals.js';
import { throwRefusal } from '../errors.js';
import { SLUG_PARAM, tenantBySlug } from './tenant-by-slug.js';

export interface UserRoomRouteParts {
  readonly tenants: Pick<TenantReader, 'findBySlug'>;
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
export const userRoomRoutes = ({ tenants, users, rooms }: UserRoomRouteParts): readonly Route[] => [
  operatorRoute({
    method: 'GET',
    path: '/tenants/{slug}/users/{id}/rooms',
    operationId: 'listRoomsOfUser',
    tag: 'Users of a tenant',
    summary: 'List the rooms of a user',
    description: "By name; of the user's first 1,000 rooms and groups.",
    params: z.object({ ...SLUG_PARAM, id: idField("The user's id.") }),
    query: z.strictObject(PAGE_FIELDS),
    responses: {
      200: { description: 'A page of rooms.', body: pageOf('rooms', UserRoomView, 'UserRoomList') },
    },
    refusals: ['USER_NOT_FOUND', 'TENANT_NOT_FOUND'],
    handler: async ({ params: { slug, id }, query }) => {
      const tenant = await tenantBySlug(tenants, slug);
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
