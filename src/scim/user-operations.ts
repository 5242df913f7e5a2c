import type { GroupOfUser } from '../api/groups.js';
import { parseUserId, type UserId } from '../domain/kernel/ids.js';
import { raise } from '../domain/kernel/refusals.js';
import type { User } from '../domain/user/user.js';
import { newId } from '../pipeline/submit.js';
import {
  groupsOfUsers,
  needsGroups,
  presentationOf,
  presentUser,
  userLocation,
} from './present-user.js';
import { projectionFrom, readListQuery } from './list-query.js';
import { readUserPatch } from './read-patch.js';
import { includesAttribute, type Projection } from './projection.js';
import { readUser, readUserReplacement } from './read-user.js';
import {
  type ResourceOperations,
  type ScimRequest,
  type ScimResponse,
  submitCommand,
} from './scim-request.js';
import { searchUsers } from './search-users.js';
import { USER } from './user-schema.js';

const raiseUserNotFound = (): never => raise('USER_NOT_FOUND', 'No user has this id.');

/** A user, with their groups if they were read along. */
interface FoundUser {
  readonly user: User;
  readonly groups?: readonly GroupOfUser[];
}

type PresentFound = (found: FoundUser, options?: { readonly created: true }) => ScimResponse;

/** Reads the requested attributes before any command runs, so that a refused request changes nothing. */
const userPresenter = (request: ScimRequest, projection: Projection): PresentFound => {
  const isVolatile = includesAttribute(projection, 'groups');
  return ({ user, groups = [] }, options) => ({
    ...options,
    body: () => presentUser(user, presentationOf(request), { projection, groups }),
    version: user.version,
    isVolatile,
    location: userLocation(request.base, user.id),
  });
};

/**
 * Responds with a changed user. Their groups are read in parallel: among the commands on a user only
 * deletion changes them.
 */
const respondWithChanged = async (
  request: ScimRequest,
  id: UserId,
  submit: () => Promise<User>,
): Promise<ScimResponse> => {
  const projection = projectionFrom(USER, request.parameters);
  const present = userPresenter(request, projection);
  const [user, groups] = await Promise.all([submit(), groupsOfUsers(request, [id], projection)]);
  return present({ user, groups: groups.get(id) ?? [] });
};

const readUserWithGroups = async (request: ScimRequest): Promise<ScimResponse> => {
  const projection = projectionFrom(USER, request.parameters);
  const { users, caller } = request;
  const id = userIdFrom(request);
  const found = needsGroups(request, projection)
    ? await users.findWithGroups(caller.tenant.id, id)
    : await users.find(caller.tenant.id, id).then((user) => user && { user });
  return userPresenter(request, projection)(found ?? raiseUserNotFound());
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

  create: async (request) => {
    const present = userPresenter(request, projectionFrom(USER, request.parameters));
    const userId = newId<UserId>();
    const command = { type: 'user.create', userId, profile: readUser(request.body) } as const;
    // A new user is in no group.
    return present(
      { user: await submitCommand<'user.create'>(request, command) },
      { created: true },
    );
  },

  read: readUserWithGroups,

  replace: (request) => {
    const target = targetOf(request);
    const change = readUserReplacement(request.body);
    const command = { type: 'user.replace', ...target, ...change } as const;
    return respondWithChanged(request, target.userId, () =>
      submitCommand<'user.replace'>(request, command),
    );
  },

  patch: (request) => {
    const target = targetOf(request);
    const changes = readUserPatch(request.body, target.userId);
    const command = { type: 'user.patch', ...target, changes } as const;
    return respondWithChanged(request, target.userId, () =>
      submitCommand<'user.patch'>(request, command),
    );
  },

  delete: async (request) => {
    await submitCommand<'user.delete'>(request, { type: 'user.delete', ...targetOf(request) });
    return {};
  },
};
