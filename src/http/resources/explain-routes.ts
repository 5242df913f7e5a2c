import { z } from 'zod';
import type { ExplainReader } from '../../ports/command-log.js';
import { operatorRoute, type Route } from '../../routes/route.js';
import type { TenantReader } from '../../ports/tenants.js';
import { raise } from '../../domain/kernel/refusals.js';
import { explainRole } from './explain-role.js';
import { explainRoom } from './explain-room.js';
import { maskNumbers, Explanation } from './explain.js';
import { SLUG_PARAM, tenantBySlug } from './operator-versions.js';

export interface ExplainRouteParts {
  readonly tenants: Pick<TenantReader, 'findBySlug'>;
  readonly explain: ExplainReader;
}

const ExplainQuery = z.strictObject({
  user: z
    .string()
    .min(1)
    .max(256)
    .describe(
      'Id, e-mail or user name. A deleted user is found by name while the log has the user.',
    ),
  room: z
    .string()
    .min(1)
    .max(256)
    .optional()
    .describe('Id or name of a room: explains why the user is, or is not, a member.'),
  role: z
    .enum(['', 'true'], 'takes no value')
    .optional()
    .describe("Explains the user's role (`?user=…&role`). Specify either `room` or `role`."),
});

const refuseQuery = (): never => {
  const message = 'or room is required, and not both';
  return raise('INVALID_REQUEST', `The query is not valid: role ${message}.`, {
    details: [{ path: 'role', message }],
  });
};

const raiseUserNotFound = (): never =>
  raise(
    'USER_NOT_FOUND',
    'No user has this id, user name or e-mail address. Find users by GET /tenants/{slug}/search?q=.',
  );

const raiseRoomNotFound = (): never =>
  raise('ROOM_NOT_FOUND', 'No room has this id or name. List them by GET /tenants/{slug}/rooms.');

/** Explains a user's role or membership (decisions.md 8). */
export const explainRoutes = ({ tenants, explain }: ExplainRouteParts): readonly Route[] => [
  operatorRoute({
    method: 'GET',
    path: '/tenants/{slug}/explain',
    operationId: 'explain',
    tag: 'Provisioning log',
    summary: 'Explain a role or a membership',
    description:
      'Explains why a user has a role, or is or is not in a room: the facts that decide it, in ' +
      'order, the last commands that affected it, and what would change the result. Read-only.',
    params: z.object(SLUG_PARAM),
    query: ExplainQuery,
    responses: { 200: { description: 'The explanation.', body: Explanation } },
    refusals: ['TENANT_NOT_FOUND', 'USER_NOT_FOUND', 'ROOM_NOT_FOUND'],
    handler: async ({ params: { slug }, query: { user, room: roomText, role } }) => {
      if ((roomText === undefined) === (role === undefined)) refuseQuery();
      const tenant = await tenantBySlug(tenants, slug);
      const found = (await explain.findUser(tenant.id, user)) ?? raiseUserNotFound();
      if (roomText === undefined) {
        const facts = await explain.role(tenant.id, found.user.id);
        return { status: 200, body: maskNumbers(explainRole({ found, tenant, facts })) };
      }
      const room = (await explain.findRoom(tenant.id, roomText)) ?? raiseRoomNotFound();
      const facts = await explain.room(tenant.id, found.user, room);
      return { status: 200, body: maskNumbers(explainRoom({ slug, found, room, facts })) };
    },
  }),
];
