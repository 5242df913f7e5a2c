import { parseUserId, type UserId } from '../domain/ids.js';
import type { JsonObject } from '../domain/json.js';
import { raise } from '../domain/refusals.js';
import type { User } from '../domain/user.js';
import { newId } from '../pipeline/new-id.js';
import { submitCommand } from './submit-command.js';
import { groupsOfUsers } from './groups-of-users.js';
import { projectionFrom, readListQuery } from './list-query.js';
import { readPatch } from './patch/read-patch.js';
import { presentUser, userLocation } from './present-user.js';
import { includesAttribute } from './projection.js';
import { readUser, readUserReplacement } from './read-user.js';
import type { ScimRequest } from './scim-request.js';
import { declareResource, LibraryResource, librarySchema } from './scimmy.js';
import { presentationOf, searchUsers } from './search-users.js';
import type { JsonPart } from './streamed-json.js';
import { USER } from './user-schema.js';

const raiseUserNotFound = (): never => raise('USER_NOT_FOUND', 'No user has this id.');

/** Responds with a user once the request has found, created or changed it. */
type RespondWithUser = (
  id: UserId,
  user: Promise<User | undefined>,
  options?: { readonly isNew: boolean },
) => Promise<JsonObject>;

/**
 * Reads the requested attributes before any command runs, so that a refused request changes
 * nothing. The user's groups are read in parallel: among the commands on a user only deletion
 * changes them.
 */
const userResponder = (request: ScimRequest): RespondWithUser => {
  const projection = projectionFrom(USER, request.parameters);
  const includesGroups = includesAttribute(projection, 'groups');
  return async (id, found, { isNew } = { isNew: false }) => {
    const [user = raiseUserNotFound(), groups] = await Promise.all([
      found,
      // A new user is in no group.
      includesGroups && !isNew ? groupsOfUsers(request, [id]) : undefined,
    ]);
    const isWhole = !includesGroups;
    const location = userLocation(request.base, id);
    request.tell({ version: user.version, isWhole, location });
    const view = { projection, groups: groups?.get(id) ?? [] };
    return presentUser(user, presentationOf(request), view);
  };
};

const createUser = async (request: ScimRequest, body: unknown): Promise<JsonObject> => {
  const respond = userResponder(request);
  const userId = newId<UserId>();
  const command = { type: 'user.create', userId, profile: readUser(body) } as const;
  const user = submitCommand<'user.create'>(request, command);
  return respond(userId, user, { isNew: true });
};

/**
 * Users, as scimmy's router serves them. The router only picks the method by verb and path (scimmy
 * facts, 1). It passes the id and the query to the constructor, where scimmy would parse the query
 * as a filter (S1 to S4, S6); this class keeps only the id, and reads the query from the request.
 */
class UserResource extends LibraryResource {
  static get endpoint(): string {
    return USER.endpoint;
  }

  static get schema(): unknown {
    return librarySchema('User');
  }

  constructor(id?: unknown) {
    super();
    if (typeof id === 'string') this.id = id;
  }

  async read(request: ScimRequest): Promise<JsonPart> {
    if (this.id === undefined) {
      return searchUsers(request, readListQuery(USER, request.parameters));
    }
    const respond = userResponder(request);
    const id = this.userId();
    return respond(id, request.users.find(request.caller.tenant.id, id));
  }

  async write(body: unknown, request: ScimRequest): Promise<JsonObject> {
    if (this.id === undefined) return createUser(request, body);
    const respond = userResponder(request);
    const target = this.target(request);
    const command = { type: 'user.replace', ...target, ...readUserReplacement(body) } as const;
    return respond(target.userId, submitCommand<'user.replace'>(request, command));
  }

  async patch(body: unknown, request: ScimRequest): Promise<JsonObject> {
    const respond = userResponder(request);
    const target = this.target(request);
    const operations = readPatch(USER, body, target.userId);
    const command = { type: 'user.patch', ...target, operations } as const;
    return respond(target.userId, submitCommand<'user.patch'>(request, command));
  }

  async dispose(request: ScimRequest): Promise<void> {
    const command = { type: 'user.delete', ...this.target(request) } as const;
    await submitCommand<'user.delete'>(request, command);
  }

  /** Throws USER_NOT_FOUND if the id is malformed. */
  private userId(): UserId {
    return parseUserId(this.id ?? '') ?? raiseUserNotFound();
  }

  private target({ ifMatch }: ScimRequest) {
    return { userId: this.userId(), ...(ifMatch !== undefined && { ifMatch }) };
  }
}

/** Registers users with scimmy's router. Idempotent. */
export const declareUsers = (): void => declareResource(UserResource, USER.name);
