import { z } from 'zod';
import { NOT_MODIFIED } from '../../api/accepted-response.js';
import { flagField, idField, PAGE_FIELDS, pageOf } from '../../api/fields.js';
import {
  nativeRoute,
  readRoute,
  type Route,
  type RouteResponse,
  writeRoute,
} from '../../api/route.js';
import { runCommand } from '../../api/run-command.js';
import type { UserQuery, UserReader } from '../../api/users.js';
import { userNotFound } from '../../domain/kernel/refusals.js';
import { parseUserId, type UserId } from '../../domain/kernel/ids.js';
import type { Tenant } from '../../domain/tenant/tenant.js';
import type { User } from '../../domain/user/user.js';
import { newId } from '../../pipeline/submit.js';
import { precondition } from '../conditional.js';
import { NativeUser, presentUser } from './native-user.js';
import { NewUser, profileOf, UserChanges } from './user-bodies.js';
import { throwRefusal } from '../errors.js';

export interface UserRouteParts {
  readonly users: UserReader;
}

const tag = 'Users';
const params = z.object({ id: idField("The user's id.") });
const textFilter = () => z.string().min(1).max(256).optional();

const UserFilters = z.strictObject({
  ...PAGE_FIELDS,
  email: textFilter().describe('Users with this e-mail address, ignoring case.'),
  external_id: textFilter().describe('Users with this external id.'),
  active: flagField().optional().describe('Only active (or only deactivated) users.'),
  role: textFilter().describe('Users with this role.'),
  q: textFilter().describe('Users whose e-mail address or display name starts with this.'),
  search: textFilter().describe(
    'Users whose e-mail address, user name or display name, or a later word of one, starts with ' +
      'this: `lovelace` finds Ada Lovelace.',
  ),
});

const queryOf = (
  { limit, offset, email, external_id, active, role, q, search }: z.output<typeof UserFilters>,
  { defaultRole }: Tenant,
): UserQuery => ({
  limit,
  offset,
  defaultRole,
  ...(email !== undefined && { email }),
  ...(external_id !== undefined && { externalId: external_id }),
  ...(active !== undefined && { active }),
  ...(role !== undefined && { role }),
  ...(q !== undefined && { prefix: q }),
  ...(search !== undefined && { search }),
});

const raiseUserNotFound = (): never => throwRefusal(userNotFound());

const userIdFrom = (text: string): UserId => parseUserId(text) ?? raiseUserNotFound();

const respondWithUser = (status: number, user: User, tenant: Tenant): RouteResponse => ({
  status,
  body: presentUser(user, tenant),
  version: user.version,
});

const listUsers = ({ users }: UserRouteParts): Route =>
  readRoute({
    path: '/users',
    scope: 'api:users:read',
    operationId: 'listUsers',
    tag,
    summary: 'List users',
    description: 'Oldest first. Filters are combined with AND.',
    query: UserFilters,
    responses: {
      200: { description: 'A page of users.', body: pageOf('users', NativeUser, 'UserList') },
    },
    refusals: ['INVALID_FILTER'],
    handler: async ({ caller: { tenant }, query }) => {
      const page = await users.page(tenant.id, queryOf(query, tenant));
      const { limit, offset } = query;
      const views = page.users.map((user) => presentUser(user, tenant));
      return { status: 200, body: { users: views, total: page.total, limit, offset } };
    },
  });

const createUser = (): Route =>
  nativeRoute({
    method: 'POST',
    path: '/users',
    scope: 'api:users:write',
    operationId: 'createUser',
    tag,
    summary: 'Create a user',
    command: 'user.create',
    description: 'Emits `user.created`.',
    body: NewUser,
    responses: { 201: { description: 'The user.', body: NativeUser } },
    refusals: ['EMAIL_TAKEN', 'USERNAME_TAKEN', 'SEAT_CAPACITY_REACHED'],
    handler: async (request) => {
      const { tenant } = request.caller;
      const command = {
        type: 'user.create',
        userId: newId<UserId>(),
        profile: profileOf(request.body),
      } as const;
      const user = await runCommand(request, tenant.id, command);
      return { ...respondWithUser(201, user, tenant), location: `/users/${user.id}` };
    },
  });

const readUser = ({ users }: UserRouteParts): Route =>
  readRoute({
    path: '/users/{id}',
    scope: 'api:users:read',
    operationId: 'getUser',
    tag,
    summary: 'Get a user',
    params,
    responses: {
      200: { description: 'The user.', body: NativeUser },
      304: NOT_MODIFIED,
    },
    refusals: ['USER_NOT_FOUND', 'PRECONDITION_FAILED'],
    handler: async ({ caller: { tenant }, params: { id } }) => {
      const user = (await users.find(tenant.id, userIdFrom(id))) ?? raiseUserNotFound();
      return respondWithUser(200, user, tenant);
    },
  });

const updateUser = (): Route =>
  writeRoute({
    method: 'PATCH',
    path: '/users/{id}',
    scope: 'api:users:write',
    role: 'operator',
    operationId: 'updateUser',
    tag,
    summary: "Update a user's display name or active status",
    command: 'user.update',
    description:
      'Emits `user.updated` if the display name changed, and `user.deactivated` or ' +
      '`user.reactivated` if the active status changed.',
    params,
    body: UserChanges,
    responses: { 200: { description: 'The updated user.', body: NativeUser } },
    refusals: ['USER_NOT_FOUND', 'SEAT_CAPACITY_REACHED', 'PRECONDITION_FAILED'],
    handler: async (request) => {
      const { tenant } = request.caller;
      const { display_name, active } = request.body;
      const command = {
        type: 'user.update',
        userId: userIdFrom(request.params.id),
        ...(display_name !== undefined && { displayName: display_name }),
        ...(active !== undefined && { active }),
        ...precondition(request.ifMatch),
      } as const;
      return respondWithUser(200, await runCommand(request, tenant.id, command), tenant);
    },
  });

const deactivateUser = (): Route =>
  writeRoute({
    method: 'DELETE',
    path: '/users/{id}',
    scope: 'api:users:write',
    role: 'operator',
    operationId: 'deactivateUser',
    tag,
    summary: 'Deactivate a user',
    command: 'user.deactivate',
    description:
      'The record is retained and the seat becomes available. Emits `user.deactivated`, unless the ' +
      'user was already deactivated.',
    params,
    responses: { 204: { description: 'The user was deactivated.' } },

    refusals: ['USER_NOT_FOUND', 'PRECONDITION_FAILED'],
    handler: async (request) => {
      const command = {
        type: 'user.deactivate',
        userId: userIdFrom(request.params.id),
        ...precondition(request.ifMatch),
      } as const;
      await runCommand(request, request.caller.tenant.id, command);
      return { status: 204 };
    },
  });

/** Users (interface.md, Users; decisions.md 4). */
export const userRoutes = (parts: UserRouteParts): readonly Route[] =>
  [listUsers, createUser, readUser, updateUser, deactivateUser].map((declare) => declare(parts));
