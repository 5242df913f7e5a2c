import type { Position, CursorRequest } from '../ports/users.js';
import type { Group } from '../domain/group/group.js';
import type { User } from '../domain/user/user.js';
import type { ResourceSchema } from './attributes.js';
import {
  pageCursors,
  isDescending,
  type ListQuery,
  projectionFrom,
  readConditions,
  readCursorFor,
  readPage,
  type SearchParameters,
} from './list-query.js';
import { GROUP, USER } from './schemas.js';
import {
  listEnvelope,
  listResponse,
  type PagePosition,
  type JsonBody,
  startStream,
  withParts,
} from './responses.js';
import {
  canBuffer,
  type GroupPresentation,
  presentBuffered,
  streamGroups,
  pageOfGroups,
} from './group-operations.js';
import type { ScimRequest } from './scim-request.js';
import { userSchemaOf } from './tenant-schema.js';
import {
  MAX_BUFFERED_USERS,
  pageOfUsers,
  presentUsers,
  presentUsersInBatches,
  type UserPageQuery,
} from './user-operations.js';

/** Users and groups. */
const NUMBER_OF_TYPES = 2;

/** The query for one resource type. */
interface TypeSearch {
  readonly schema: ResourceSchema;
  readonly conditions: Pick<ListQuery, 'filter' | 'sort'>;
  readonly page: (query: UserPageQuery) => Promise<TypePage>;
}

interface TypePage {
  readonly users?: readonly User[];
  readonly groups?: readonly Group[];
  readonly total: number;
  readonly next?: Position;
}

/** The results of all types together. */
interface SearchResult {
  readonly users: readonly User[];
  readonly groups: readonly Group[];
  readonly total: number;
  /**
   * Index of the type where the next page starts, and the position in it; absent on the last page.
   */
  readonly next?: Position;
}

/**
 * One search per type, in order. Types without the `sortBy` attribute come last, or first if the
 * order is descending (RFC 7644, 3.4.2.3).
 */
const searchesOf = (request: ScimRequest, parameters: SearchParameters): readonly TypeSearch[] => {
  const pages = { [USER.name]: pageOfUsers, [GROUP.name]: pageOfGroups };
  const types = [userSchemaOf(request.caller.tenant), GROUP];
  const searches = types.map((schema): TypeSearch => {
    const otherSchemas = types.filter((other) => other !== schema);
    return {
      schema,
      conditions: readConditions({ schema, otherSchemas }, parameters),
      page: (query) => (pages[schema.name] ?? pageOfUsers)(request, query),
    };
  });
  const isReversed =
    isDescending(parameters) && searches.some(({ conditions }) => conditions.sort === undefined);
  return isReversed ? searches.toReversed() : searches;
};

const append = (found: SearchResult, page: TypePage): SearchResult => ({
  users: [...found.users, ...(page.users ?? [])],
  groups: [...found.groups, ...(page.groups ?? [])],
  total: found.total + page.total,
});

const sizeOf = ({ users, groups }: Pick<SearchResult, 'users' | 'groups'>): number =>
  users.length + groups.length;

const NO_RESULTS: SearchResult = { users: [], groups: [], total: 0 };

/** The page at a start index that counts through all types. */
const findByIndex = async (
  searches: readonly TypeSearch[],
  { startIndex, count }: Pick<ListQuery, 'startIndex' | 'count'>,
): Promise<SearchResult> => {
  let found = NO_RESULTS;
  for (const { conditions, page } of searches) {
    const query = {
      ...conditions,
      startIndex: Math.max(1, startIndex - found.total),
      count: count - sizeOf(found),
    };
    found = append(found, await page(query));
  }
  return found;
};

/** The type in which a page starts, and the position in it. */
const startOf = (
  request: CursorRequest,
): { readonly first: number; readonly request: CursorRequest } => {
  if (request.to === 'first') return { first: 0, request };
  const [first, ...position] = request.position;
  return {
    first: Number(first),
    request: position.length === 0 ? { to: 'first' } : { to: 'after', position },
  };
};

const nextOf = (
  at: number,
  { next, hasSpace }: { readonly next: Position | undefined; readonly hasSpace: boolean },
): Position | undefined => {
  if (next) return [at, ...next];
  return hasSpace || at + 1 >= NUMBER_OF_TYPES ? undefined : [at + 1];
};

/** Whether any type from this position on has results. */
const hasMore = ([at = 0, ...position]: Position, totals: readonly number[]): boolean =>
  position.length > 0 || totals.slice(Number(at)).some((total) => total > 0);

/** The page at a cursor: the rest of its type, then the types after it. */
const findByCursor = async (
  searches: readonly TypeSearch[],
  request: CursorRequest,
  count: number,
): Promise<SearchResult> => {
  const start = startOf(request);
  let found = NO_RESULTS;
  let next: Position | undefined;
  const totals: number[] = [];
  for (const [at, { conditions, page }] of searches.entries()) {
    const remaining = at < start.first || next ? 0 : count - sizeOf(found);
    const from: CursorRequest = at === start.first ? start.request : { to: 'first' };
    const read = await page({
      ...conditions,
      startIndex: 1,
      count: remaining,
      cursorRequest: from,
    });
    found = append(found, read);
    totals.push(read.total);
    if (remaining > 0) next = nextOf(at, { next: read.next, hasSpace: sizeOf(found) < count });
  }
  return { ...found, ...(next && hasMore(next, totals) && { next }) };
};

/** A page of results, its position and its order. */
interface ResultPage {
  readonly found: SearchResult;
  readonly position: PagePosition;
  readonly groupsFirst: boolean;
}

const present = async (
  request: ScimRequest,
  parameters: SearchParameters,
  { found, position, groupsFirst }: ResultPage,
): Promise<JsonBody> => {
  const userProjection = projectionFrom(userSchemaOf(request.caller.tenant), parameters);
  const presentation: GroupPresentation = {
    request,
    projection: projectionFrom(GROUP, parameters),
  };
  if (found.users.length <= MAX_BUFFERED_USERS && canBuffer(found.groups, presentation)) {
    const users = await presentUsers(request, found, userProjection);
    const groups = await presentBuffered(found.groups, presentation);
    return listResponse(groupsFirst ? [...groups, ...users] : [...users, ...groups], position);
  }
  const users = async function* (): AsyncGenerator<JsonBody, void, undefined> {
    for await (const batch of presentUsersInBatches(request, found.users, userProjection))
      yield* batch;
  };
  const parts = async function* (): AsyncGenerator<JsonBody, void, undefined> {
    if (!groupsFirst) yield* users();
    yield* streamGroups(found.groups, presentation);
    if (groupsFirst) yield* users();
  };
  return startStream(withParts(listEnvelope(sizeOf(found), position), 'Resources', parts()));
};

/**
 * Searches all types (RFC 7644, 3.4.2.1 and 3.4.3): users, then groups, each in the requested
 * order. An attribute that only one type has counts as absent in the other.
 */
export const searchAll = async (
  request: ScimRequest,
  parameters: SearchParameters,
): Promise<JsonBody> => {
  const searches = searchesOf(request, parameters);
  const conditions = searches.map(({ schema, conditions }) => ({ schema, ...conditions }));
  const cursor = readCursorFor(conditions, parameters);
  const { startIndex, count } = readPage(parameters);
  const found = cursor
    ? await findByCursor(searches, cursor.request, count)
    : await findByIndex(searches, { startIndex, count });
  const { total, next } = found;
  const position = cursor ? pageCursors(next ? { next } : {}, cursor.queryHash) : { startIndex };
  const groupsFirst = searches[0]?.schema === GROUP;
  return present(request, parameters, { found, position: { total, ...position }, groupsFirst });
};
