import type { UserReader } from '../api/users.js';
import type { User } from '../domain/user.js';
import type { JsonObject } from '../domain/json.js';
import { cursorsBeside } from './cursor.js';
import { groupsOfUsers } from './groups-of-users.js';
import type { ListQuery } from './list-query.js';
import { listHead, listResponse } from './list-response.js';
import { type Presentation, presentUser } from './present-user.js';
import { asksFor, type Projection } from './projection.js';
import type { ScimRequest } from './scim-request.js';
import { type JsonPart, primed, withBatches } from './streamed-json.js';

/** Users that are answered in one piece: those of a page of the usual size. */
export const MAX_HELD_USERS = 100;

export const presentationOf = ({ base, caller }: ScimRequest): Presentation => ({
  base,
  defaultRole: caller.tenant.defaultRole,
});

/** Users as they are asked for; their groups by one look-up for all, and only where asked for. */
export const presentUsers = async (
  request: ScimRequest,
  users: readonly User[],
  projection: Projection,
): Promise<readonly JsonObject[]> => {
  const ids = users.map(({ id }) => id);
  const groups = asksFor(projection, 'groups') ? await groupsOfUsers(request, ids) : undefined;
  const presentation = presentationOf(request);
  return users.map((user) =>
    presentUser(user, presentation, { projection, groups: groups?.get(user.id) ?? [] }),
  );
};

/**
 * The same some at a time: a page of a thousand, made in one piece, would keep others waiting and
 * take its memory several times over.
 */
export async function* presentUsersInBatches(
  request: ScimRequest,
  users: readonly User[],
  projection: Projection,
): AsyncGenerator<readonly JsonObject[], void, undefined> {
  for (let at = 0; at < users.length; at += MAX_HELD_USERS)
    yield await presentUsers(request, users.slice(at, at + MAX_HELD_USERS), projection);
}

/** The part of a query that says which users are on the page. */
export type UserPageQuery = Omit<ListQuery, 'projection' | 'cursor'> &
  Pick<Parameters<UserReader['page']>[1], 'turn'>;

export const pageOfUsers = (
  { caller, users }: ScimRequest,
  { filter, sort, startIndex, count, turn }: UserPageQuery,
): ReturnType<UserReader['page']> =>
  users.page(caller.tenant.id, {
    ...(filter && { filter }),
    ...(sort && { sort }),
    ...(turn && { turn }),
    defaultRole: caller.tenant.defaultRole,
    offset: startIndex - 1,
    limit: count,
  });

/** One page of users; the same by GET and by POST to `.search` (RFC 7644, 3.4.2 and 3.4.3). */
export const searchUsers = async (request: ScimRequest, query: ListQuery): Promise<JsonPart> => {
  const { startIndex, projection, cursor } = query;
  const { users, total, ...neighbours } = await pageOfUsers(request, {
    ...query,
    ...(cursor && { turn: cursor.turn }),
  });
  const beside = cursor ? cursorsBeside(neighbours, cursor.bond) : { startIndex };
  const place = { total, ...beside };
  if (users.length <= MAX_HELD_USERS)
    return listResponse(await presentUsers(request, users, projection), place);
  const batches = presentUsersInBatches(request, users, projection);
  return primed(withBatches(listHead(users.length, place), 'Resources', batches));
};
