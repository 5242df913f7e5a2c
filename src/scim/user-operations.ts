import { parseUserId, type UserId } from '../domain/kernel/ids.js';
import { raise } from '../domain/kernel/refusals.js';
import type { User } from '../domain/user/user.js';
import { newId } from '../pipeline/new-id.js';
import { groupsOfUsers } from './groups-of-users.js';
import { projectionFrom, readListQuery } from './list-query.js';
import { readPatch } from './patch/read-patch.js';
import { presentUser, userLocation } from './present-user.js';
import { includesAttribute } from './projection.js';
import { readUser, readUserReplacement } from './read-user.js';
import type { ResourceOperations, ScimResponse } from './scim-operation.js';
import type { ScimRequest } from './scim-request.js';
import { presentationOf, searchUsers } from './search-users.js';
import { submitCommand } from './submit-command.js';
import { USER } from './user-schema.js';

const raiseUserNotFound = (): never => raise('USER_NOT_FOUND', 'No user has this id.');

/** Responds with a user once the request has found, created or changed it. */
type RespondWithUser = (
  id: UserId,
  user: Promise<User | undefined>,
  options?: { readonly created: true },
) => Promise<ScimResponse>;

/**
 * Reads the requested attributes before any command runs, so that a refused request changes nothing.
 * The user's groups are read in parallel: among the commands on a user only deletion changes them.
 */
const userResponder = (request: ScimRequest): RespondWithUser => {
  const projection = projectionFrom(USER, request.parameters);
  const includesGroups = includesAttribute(projection, 'groups');
  return async (id, found, options) => {
    const [user = raiseUserNotFound(), groups] = await Promise.all([
      found,
      // A new user is in no group.
      includesGroups && !options ? groupsOfUsers(request, [id]) : undefined,
    ]);
    const view = { projection, groups: groups?.get(id) ?? [] };
    return {
      ...options,
      body: () => presentUser(user, presentationOf(request), view),
      version: user.version,
      isVolatile: includesGroups,
      location: userLocation(request.base, id),
    };
  };
};

/** The user in the path. A malformed id gets the same 404 as an unknown one. */
const userIdFrom = ({ resourceId = '' }: ScimRequest): UserId =>
  parseUserId(resourceId) ?? raiseUserNotFound();

const targetOf = (request: ScimRequest) => ({
  userId: userIdFrom(request),
  ...(request.ifMatch !== undefined && { ifMatch: request.ifMatch }),
});

export const USER_OPERATIONS: ResourceOperations = {
  list: (request) =>
    Promise.resolve({ body: () => searchUsers(request, readListQuery(USER, request.parameters)) }),

  create: (request) => {
    const respond = userResponder(request);
    const userId = newId<UserId>();
    const command = { type: 'user.create', userId, profile: readUser(request.body) } as const;
    return respond(userId, submitCommand<'user.create'>(request, command), { created: true });
  },

  read: (request) => {
    const respond = userResponder(request);
    const id = userIdFrom(request);
    return respond(id, request.users.find(request.caller.tenant.id, id));
  },

  replace: (request) => {
    const respond = userResponder(request);
    const target = targetOf(request);
    const change = readUserReplacement(request.body);
    const command = { type: 'user.replace', ...target, ...change } as const;
    return respond(target.userId, submitCommand<'user.replace'>(request, command));
  },

  patch: (request) => {
    const respond = userResponder(request);
    const target = targetOf(request);
    const operations = readPatch(USER, request.body, target.userId);
    const command = { type: 'user.patch', ...target, operations } as const;
    return respond(target.userId, submitCommand<'user.patch'>(request, command));
  },

  delete: async (request) => {
    await submitCommand<'user.delete'>(request, { type: 'user.delete', ...targetOf(request) });
    return {};
  },
};
