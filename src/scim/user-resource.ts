import { parseUserId, type UserId } from '../domain/ids.js';
import type { JsonObject } from '../domain/json.js';
import { raise } from '../domain/refusals.js';
import type { User } from '../domain/user.js';
import { newId } from '../pipeline/new-id.js';
import { carryOut } from './carry-out.js';
import { groupsOfUsers } from './groups-of-users.js';
import { readAskedPart, readListQuery } from './list-query.js';
import { readPatch } from './patch/read-patch.js';
import { presentUser, userLocation } from './present-user.js';
import { asksFor } from './projection.js';
import { readUser, readUserReplacement } from './read-user.js';
import type { ScimRequest } from './scim-request.js';
import { declareResource, LibraryResource, librarySchema } from './scimmy.js';
import { presentationOf, searchUsers } from './search-users.js';
import type { JsonPart } from './streamed-json.js';
import { USER } from './user-schema.js';

const noSuchUser = (): never => raise('USER_NOT_FOUND', 'No user has this id.');

/** How a single user is answered, whom the request has yet to find, make or change. */
type AnswerUser = (
  id: UserId,
  user: Promise<User | undefined>,
  more?: { readonly isNew: boolean },
) => Promise<JsonObject>;

/**
 * What part is asked for is read at once, before any command: a request that is refused changes
 * nothing. The user's groups are looked up beside him, for no command on a user changes them but his
 * deletion.
 */
const answerTo = (request: ScimRequest): AnswerUser => {
  const projection = readAskedPart(USER, request.parameters);
  const asksForGroups = asksFor(projection, 'groups');
  return async (id, found, { isNew } = { isNew: false }) => {
    const [user = noSuchUser(), groups] = await Promise.all([
      found,
      // Who comes to be is in no group.
      asksForGroups && !isNew ? groupsOfUsers(request, [id]) : undefined,
    ]);
    const isWhole = !asksForGroups;
    const location = userLocation(request.base, id);
    request.tell({ version: user.version, isWhole, location });
    const part = { projection, groups: groups?.get(id) ?? [] };
    return presentUser(user, presentationOf(request), part);
  };
};

const createUser = async (request: ScimRequest, body: unknown): Promise<JsonObject> => {
  const answer = answerTo(request);
  const userId = newId<UserId>();
  const command = { type: 'user.create', userId, profile: readUser(body) } as const;
  const user = carryOut<'user.create'>(request, command);
  return answer(userId, user, { isNew: true });
};

/**
 * Users as the library's router serves them: it chooses the method by verb and path, and nothing
 * else of it is used (scimmy facts, 1). It hands its constructor an id and the query, which the
 * library's own would parse as filters (S1 to S4, S6): here the id alone is kept, and the query is
 * in the request, read by us.
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
    const answer = answerTo(request);
    const id = this.userId();
    return answer(id, request.users.find(request.caller.tenant.id, id));
  }

  async write(body: unknown, request: ScimRequest): Promise<JsonObject> {
    if (this.id === undefined) return createUser(request, body);
    const answer = answerTo(request);
    const target = this.target(request);
    const command = { type: 'user.replace', ...target, ...readUserReplacement(body) } as const;
    return answer(target.userId, carryOut<'user.replace'>(request, command));
  }

  async patch(body: unknown, request: ScimRequest): Promise<JsonObject> {
    const answer = answerTo(request);
    const target = this.target(request);
    const operations = readPatch(USER, body, target.userId);
    const command = { type: 'user.patch', ...target, operations } as const;
    return answer(target.userId, carryOut<'user.patch'>(request, command));
  }

  async dispose(request: ScimRequest): Promise<void> {
    const command = { type: 'user.delete', ...this.target(request) } as const;
    await carryOut<'user.delete'>(request, command);
  }

  /** What is no id of ours is nobody's. */
  private userId(): UserId {
    return parseUserId(this.id ?? '') ?? noSuchUser();
  }

  private target({ ifMatch }: ScimRequest) {
    return { userId: this.userId(), ...(ifMatch !== undefined && { ifMatch }) };
  }
}

/** Has the library's router serve users. Calling it again changes nothing. */
export const declareUsers = (): void => declareResource(UserResource, USER.name);
