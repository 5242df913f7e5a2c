import type { UserReader } from '../api/users.js';
import type { User } from '../domain/user.js';
import type { JsonObject } from '../domain/json.js';
import { cursorsBeside } from './cursor.js';
import { groupsOfUsers } from './groups-of-users.js';
import type { ListQuery } from './list-query.js';
import { listResponse } from './list-response.js';
import { type Presentation, presentUser } from './present-user.js';
import { asksFor, type Projection } from './projection.js';
import type { ScimRequest } from './scim-request.js';

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
export const searchUsers = async (request: ScimRequest, query: ListQuery): Promise<JsonObject> => {
  const { startIndex, projection, cursor } = query;
  const { users, total, ...neighbours } = await pageOfUsers(request, {
    ...query,
    ...(cursor && { turn: cursor.turn }),
  });
  const resources = await presentUsers(request, users, projection);
  const place = cursor ? cursorsBeside(neighbours, cursor.bond) : { startIndex };
  return listResponse(resources, { total, ...place });
};
