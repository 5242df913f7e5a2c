import type { GroupReader } from '../api/groups.js';
import type { Group } from '../domain/group.js';
import { cursorsBeside } from './cursor.js';
import type { ListQuery } from './list-query.js';
import { listHead, listResponse, type PagePlace } from './list-response.js';
import { canHold, type GroupAnswer, presentHeld, presentOneByOne } from './present-groups.js';
import type { ScimRequest } from './scim-request.js';
import type { UserPageQuery } from './search-users.js';
import { type JsonPart, primed, withParts } from './streamed-json.js';

export const pageOfGroups = (
  { caller, groups }: ScimRequest,
  { filter, sort, startIndex, count, turn }: UserPageQuery,
): ReturnType<GroupReader['page']> =>
  groups.page(caller.tenant.id, {
    ...(filter && { filter }),
    ...(sort && { sort }),
    ...(turn && { turn }),
    offset: startIndex - 1,
    limit: count,
  });

/** A page with groups on it, in one piece where their members are few. */
export const listOfGroups = async (
  groups: readonly Group[],
  answer: GroupAnswer,
  place: PagePlace,
): Promise<JsonPart> =>
  canHold(groups, answer)
    ? listResponse(await presentHeld(groups, answer), place)
    : primed(
        withParts(listHead(groups.length, place), 'Resources', presentOneByOne(groups, answer)),
      );

/** One page of groups; the same by GET and by POST to `.search` (RFC 7644, 3.4.2 and 3.4.3). */
export const searchGroups = async (request: ScimRequest, query: ListQuery): Promise<JsonPart> => {
  const { startIndex, projection, cursor } = query;
  const { groups, total, ...neighbours } = await pageOfGroups(request, {
    ...query,
    ...(cursor && { turn: cursor.turn }),
  });
  const place = cursor ? cursorsBeside(neighbours, cursor.bond) : { startIndex };
  return listOfGroups(groups, { request, projection }, { total, ...place });
};
