import type { UserPage, UserQuery } from '../api/users.js';
import type { User } from '../domain/user/user.js';
import type { JsonObject } from '../domain/kernel/json.js';
import { createFairSlots } from '../pipeline/fair-slots.js';
import { loopScheduler } from '../pipeline/loop-scheduler.js';
import { pageCursors } from './cursor.js';
import { groupsOfUsers, needsGroups, presentationOf, presentUser } from './present-user.js';
import type { ListQuery } from './list-query.js';
import { listEnvelope, listResponse } from './list-response.js';
import type { Projection } from './projection.js';
import type { ScimRequest } from './scim-request.js';
import { type JsonBody, startStream, withBatches } from './streamed-json.js';

/** Maximum number of users in memory: a page of the default size. Larger pages are streamed. */
export const MAX_BUFFERED_USERS = 100;

/** More users than these take their turn, because many pages may be read at the same time. */
const MAX_AT_ONCE = 10;

/** Large pages that are read at the same time, over all tenants and of one: they occupy the database. */
const largePages = createFairSlots({ overall: 2, perKey: 1 });

/** Presents users. Their groups, unless they are known, are loaded in one query. */
export const presentUsers = async (
  request: ScimRequest,
  { users, groupsByUser }: Pick<UserPage, 'users' | 'groupsByUser'>,
  projection: Projection,
): Promise<readonly JsonObject[]> => {
  const ids = users.map(({ id }) => id);
  const groups = groupsByUser ?? (await groupsOfUsers(request, ids, projection));
  if (users.length > MAX_AT_ONCE) await loopScheduler.entered(request.caller.tenant.id);
  const presentation = presentationOf(request);
  return users.map((user) =>
    presentUser(user, presentation, { projection, groups: groups.get(user.id) ?? [] }),
  );
};

/**
 * Presents users in batches: building a page of a thousand at once would block other requests and
 * take several times its size in memory.
 */
export async function* presentUsersInBatches(
  request: ScimRequest,
  users: readonly User[],
  projection: Projection,
): AsyncGenerator<readonly JsonObject[], void, undefined> {
  for (let at = 0; at < users.length; at += MAX_BUFFERED_USERS)
    yield await presentUsers(
      request,
      { users: users.slice(at, at + MAX_BUFFERED_USERS) },
      projection,
    );
}

/** The part of a query that selects the page. */
export type UserPageQuery = Omit<ListQuery, 'projection' | 'cursor'> &
  Pick<UserQuery, 'cursorRequest' | 'withGroups'>;

export const pageOfUsers = (
  { caller, users }: ScimRequest,
  { filter, sort, startIndex, count, cursorRequest, withGroups }: UserPageQuery,
): Promise<UserPage> => {
  const { id, defaultRole } = caller.tenant;
  const read = () =>
    users.page(id, {
      ...(filter && { filter }),
      ...(sort && { sort }),
      ...(cursorRequest && { cursorRequest }),
      ...(withGroups !== undefined && { withGroups }),
      defaultRole,
      offset: startIndex - 1,
      limit: count,
    });
  return count > MAX_BUFFERED_USERS
    ? largePages.run(id, new AbortController().signal, read)
    : read();
};

/** One page of users, for GET and for POST to `.search` (RFC 7644, 3.4.2 and 3.4.3). */
export const searchUsers = async (request: ScimRequest, query: ListQuery): Promise<JsonBody> => {
  const { startIndex, projection, cursor } = query;
  const { users, total, groupsByUser, ...cursors } = await pageOfUsers(request, {
    ...query,
    ...(cursor && { cursorRequest: cursor.request }),
    withGroups: needsGroups(request, projection),
  });
  const position = cursor ? pageCursors(cursors, cursor.queryHash) : { startIndex };
  const page = { total, ...position };
  if (users.length <= MAX_BUFFERED_USERS) {
    const known = { users, ...(groupsByUser && { groupsByUser }) };
    return listResponse(await presentUsers(request, known, projection), page);
  }
  const batches = presentUsersInBatches(request, users, projection);
  return startStream(withBatches(listEnvelope(users.length, page), 'Resources', batches));
};
