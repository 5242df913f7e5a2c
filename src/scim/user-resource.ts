import type { CommandOf, CommandType, Results } from '../domain/commands.js';
import { parseUserId, type UserId } from '../domain/ids.js';
import type { JsonObject } from '../domain/json.js';
import { raise } from '../domain/refusals.js';
import type { User } from '../domain/user.js';
import { newId } from '../pipeline/new-id.js';
import { resultOf } from '../pipeline/submit.js';
import { type ListQuery, readAskedPart, readListQuery } from './list-query.js';
import { listResponse } from './list-response.js';
import { asksFor } from './projection.js';
import { readPatch } from './patch/read-patch.js';
import { type Presentation, presentUser, userLocation } from './present-user.js';
import { readUser } from './read-user.js';
import type { ScimRequest } from './scim-request.js';
import { declareResource, LibraryResource, librarySchema } from './scimmy.js';
import { USER } from './user-schema.js';

const presentationOf = ({ base, caller }: ScimRequest): Presentation => ({
  base,
  defaultRole: caller.tenant.defaultRole,
});

const noSuchUser = (): never => raise('USER_NOT_FOUND', 'No user has this id.');

/** Carries out a command on behalf of the caller. */
const carryOut = async <Type extends CommandType>(
  { caller, requestId, submit }: ScimRequest,
  command: CommandOf<Type>,
): Promise<Results[Type]> =>
  resultOf(
    await submit<Type>({
      tenantId: caller.tenant.id,
      command,
      actor: caller.actor,
      source: 'scim',
      requestId,
    }),
  );

/**
 * How a single user is answered. What part is asked for is read at once, before any command: a
 * request that is refused changes nothing.
 */
const answerTo = (request: ScimRequest): ((user: User, created?: string) => JsonObject) => {
  const asked = readAskedPart(USER, request.parameters);
  const isWhole = !asksFor(asked, 'groups');
  return (user, created) => {
    request.tell({ version: user.version, isWhole, ...(created !== undefined && { created }) });
    return presentUser(user, presentationOf(request), asked);
  };
};

const createUser = async (request: ScimRequest, body: unknown): Promise<JsonObject> => {
  const answer = answerTo(request);
  const profile = readUser(body);
  const command = { type: 'user.create', userId: newId<UserId>(), profile } as const;
  const user = await carryOut<'user.create'>(request, command);
  return answer(user, userLocation(request.base, user.id));
};

/** One page of users; the same by GET and by POST to `.search` (RFC 7644, 3.4.2 and 3.4.3). */
export const searchUsers = async (request: ScimRequest, query: ListQuery): Promise<JsonObject> => {
  const { caller, users } = request;
  const presentation = presentationOf(request);
  const { filter, sort, startIndex, count, projection } = query;
  const page = await users.page(caller.tenant.id, {
    ...(filter && { filter }),
    ...(sort && { sort }),
    defaultRole: presentation.defaultRole,
    offset: startIndex - 1,
    limit: count,
  });
  const resources = page.users.map((user) => presentUser(user, presentation, projection));
  return listResponse(resources, { total: page.total, startIndex });
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

  async read(request: ScimRequest): Promise<JsonObject> {
    if (this.id === undefined) {
      return searchUsers(request, readListQuery(USER, request.parameters));
    }
    const answer = answerTo(request);
    const user = await request.users.find(request.caller.tenant.id, this.userId());
    return answer(user ?? noSuchUser());
  }

  async write(body: unknown, request: ScimRequest): Promise<JsonObject> {
    if (this.id === undefined) return createUser(request, body);
    const answer = answerTo(request);
    const target = this.target(request);
    const command = { type: 'user.replace', ...target, profile: readUser(body) } as const;
    return answer(await carryOut<'user.replace'>(request, command));
  }

  async patch(body: unknown, request: ScimRequest): Promise<JsonObject> {
    const answer = answerTo(request);
    const target = this.target(request);
    const operations = readPatch(USER, body, target.userId);
    const command = { type: 'user.patch', ...target, operations } as const;
    return answer(await carryOut<'user.patch'>(request, command));
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
