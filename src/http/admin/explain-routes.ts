import { z } from 'zod';
import type { ExplainReader } from '../../api/explain.js';
import { operatorRoute, type Route } from '../../api/route.js';
import type { TenantReader } from '../../api/tenants.js';
import { noSuchRoom, noSuchUser } from '../../domain/kernel/not-found.js';
import { raise, type Refusal, RefusalError } from '../../domain/refusals.js';
import { explainRole } from './explain/explain-role.js';
import { explainRoom } from './explain/explain-room.js';
import { cleaned, Explanation } from './explain/explanation.js';
import { SLUG_PARAM, tenantInPath } from './tenant-in-path.js';

export interface ExplainRouteParts {
  readonly tenants: Pick<TenantReader, 'findBySlug'>;
  readonly explain: ExplainReader;
}

const Question = z.strictObject({
  user: z.string().min(1).max(256).describe('Id, e-mail or user name; deleted users by id only.'),
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

const missing = ({ refusal }: { readonly refusal: Refusal }): never => {
  throw new RefusalError(refusal);
};

const refuseQuestion = (): never => {
  const message = 'or room is required, and not both';
  return raise('INVALID_REQUEST', `The query is not valid: role ${message}.`, {
    details: [{ path: 'role', message }],
  });
};

/** Why a user has a role, or is in a room, and what would change that (decisions.md 8). */
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
    query: Question,
    answers: { 200: { description: 'The explanation.', body: Explanation } },
    refusals: ['TENANT_NOT_FOUND', 'USER_NOT_FOUND', 'ROOM_NOT_FOUND'],
    handler: async ({ params: { slug }, query: { user, room: roomText, role } }) => {
      if ((roomText === undefined) === (role === undefined)) refuseQuestion();
      const tenant = await tenantInPath(tenants, slug);
      const found = (await explain.findUser(tenant.id, user)) ?? missing(noSuchUser());
      if (roomText === undefined) {
        const facts = await explain.role(tenant.id, found.user.id);
        return { status: 200, body: cleaned(explainRole({ found, tenant, facts })) };
      }
      const room = (await explain.findRoom(tenant.id, roomText)) ?? missing(noSuchRoom());
      const facts = await explain.room(tenant.id, found.user.id, room);
      return { status: 200, body: cleaned(explainRoom({ found, room, facts })) };
    },
  }),
];
