import type { GroupReader } from '../api/groups.js';
import type { Group } from '../domain/group/group.js';
import { pageCursors } from './cursor.js';
import type { ListQuery } from './list-query.js';
import { listEnvelope, listResponse, type PagePosition } from './list-response.js';
import {
  canBuffer,
  type GroupPresentation,
  presentBuffered,
  streamGroups,
} from './present-groups.js';
import type { ScimRequest } from './scim-request.js';
import type { UserPageQuery } from './search-users.js';
import { type JsonBody, startStream, withParts } from './streamed-json.js';

export const pageOfGroups = (
  { caller, groups }: ScimRequest,
  { filter, sort, startIndex, count, cursorRequest }: UserPageQuery,
): ReturnType<GroupReader['page']> =>
  groups.page(caller.tenant.id, {
    ...(filter && { filter }),
    ...(sort && { sort }),
    ...(cursorRequest && { cursorRequest }),
    offset: startIndex - 1,
    limit: count,
  });

/** A page of groups, streamed if their members do not fit in memory. */
const listOfGroups = async (
  groups: readonly Group[],
  presentation: GroupPresentation,
  position: PagePosition,
): Promise<JsonBody> =>
  canBuffer(groups, presentation)
    ? listResponse(await presentBuffered(groups, presentation), position)
    : startStream(
        withParts(
          listEnvelope(groups.length, position),
          'Resources',
          streamGroups(groups, presentation),
        ),
      );

/** One page of groups, for GET and for POST to `.search` (RFC 7644, 3.4.2 and 3.4.3). */
export const searchGroups = async (request: ScimRequest, query: ListQuery): Promise<JsonBody> => {
  const { startIndex, projection, cursor } = query;
  const { groups, total, ...cursors } = await pageOfGroups(request, {
    ...query,
    ...(cursor && { cursorRequest: cursor.request }),
  });
  const position = cursor ? pageCursors(cursors, cursor.queryHash) : { startIndex };
  return listOfGroups(groups, { request, projection }, { total, ...position });
};
