import type { Position, Turn } from '../api/paging.js';
import type { Group } from '../domain/group.js';
import type { User } from '../domain/user.js';
import type { ResourceSchema } from './attributes.js';
import { cursorsBeside } from './cursor.js';
import { GROUP } from './group-schema.js';
import {
  isDescending,
  type ListQuery,
  readAskedPart,
  readConditions,
  readCursorFor,
  readPage,
  type SearchParameters,
} from './list-query.js';
import { listHead, listResponse, type PagePlace } from './list-response.js';
import { canHold, type GroupAnswer, presentHeld, presentOneByOne } from './present-groups.js';
import type { ScimRequest } from './scim-request.js';
import { pageOfGroups } from './search-groups.js';
import {
  MAX_HELD_USERS,
  pageOfUsers,
  presentUsers,
  presentUsersInBatches,
  type UserPageQuery,
} from './search-users.js';
import { type JsonPart, primed, withParts } from './streamed-json.js';
import { USER } from './user-schema.js';

const TYPES = [USER, GROUP] as const;

/** What is asked of one type, and how a page of it is read. */
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

/** What was found of all types together. */
interface Found {
  readonly users: readonly User[];
  readonly groups: readonly Group[];
  readonly total: number;
  /** Of the type where the next page begins, after its number; absent: there is none. */
  readonly next?: Position;
}

/**
 * One type after the other; those that have not what is sorted by come last, or first where the
 * order is turned round (RFC 7644, 3.4.2.3).
 */
const searchesOf = (request: ScimRequest, parameters: SearchParameters): readonly TypeSearch[] => {
  const pages = { [USER.name]: pageOfUsers, [GROUP.name]: pageOfGroups };
  const searches = TYPES.map((schema): TypeSearch => {
    const others = TYPES.filter((other) => other !== schema);
    return {
      schema,
      conditions: readConditions({ schema, others }, parameters),
      page: (query) => (pages[schema.name] ?? pageOfUsers)(request, query),
    };
  });
  const isTurned =
    isDescending(parameters) && searches.some(({ conditions }) => conditions.sort === undefined);
  return isTurned ? searches.toReversed() : searches;
};

const added = (found: Found, page: TypePage): Found => ({
  users: [...found.users, ...(page.users ?? [])],
  groups: [...found.groups, ...(page.groups ?? [])],
  total: found.total + page.total,
});

const sizeOf = ({ users, groups }: Pick<Found, 'users' | 'groups'>): number =>
  users.length + groups.length;

const NOTHING: Found = { users: [], groups: [], total: 0 };

/** A page by its number, counted through all types. */
const findByNumber = async (
  searches: readonly TypeSearch[],
  { startIndex, count }: Pick<ListQuery, 'startIndex' | 'count'>,
): Promise<Found> => {
  let found = NOTHING;
  for (const { conditions, page } of searches) {
    const query = {
      ...conditions,
      startIndex: Math.max(1, startIndex - found.total),
      count: count - sizeOf(found),
    };
    found = added(found, await page(query));
  }
  return found;
};

/** Which type a page begins in, and where in it. */
const startOf = (turn: Turn): { readonly first: number; readonly turn: Turn } => {
  if (turn.to === 'first') return { first: 0, turn };
  const [first, ...position] = turn.position;
  return {
    first: Number(first),
    turn: position.length === 0 ? { to: 'first' } : { to: 'after', position },
  };
};

const nextOf = (
  at: number,
  { next, hasRoom }: { readonly next: Position | undefined; readonly hasRoom: boolean },
): Position | undefined => {
  if (next) return [at, ...next];
  return hasRoom || at + 1 >= TYPES.length ? undefined : [at + 1];
};

/** Of the types from there on, some have what is asked for. */
const leadsOn = ([at = 0, ...position]: Position, totals: readonly number[]): boolean =>
  position.length > 0 || totals.slice(Number(at)).some((total) => total > 0);

/** The page that a cursor asks for: on in its type, then through those after it. */
const findByTurn = async (
  searches: readonly TypeSearch[],
  turn: Turn,
  count: number,
): Promise<Found> => {
  const start = startOf(turn);
  let found = NOTHING;
  let next: Position | undefined;
  const totals: number[] = [];
  for (const [at, { conditions, page }] of searches.entries()) {
    const room = at < start.first || next ? 0 : count - sizeOf(found);
    const from: Turn = at === start.first ? start.turn : { to: 'first' };
    const read = await page({ ...conditions, startIndex: 1, count: room, turn: from });
    found = added(found, read);
    totals.push(read.total);
    if (room > 0) next = nextOf(at, { next: read.next, hasRoom: sizeOf(found) < count });
  }
  return { ...found, ...(next && leadsOn(next, totals) && { next }) };
};

/** What is shown, in which order and where among all. */
interface Shown {
  readonly found: Found;
  readonly place: PagePlace;
  readonly groupsFirst: boolean;
}

const present = async (
  request: ScimRequest,
  parameters: SearchParameters,
  { found, place, groupsFirst }: Shown,
): Promise<JsonPart> => {
  const asked = readAskedPart(USER, parameters);
  const answer: GroupAnswer = { request, projection: readAskedPart(GROUP, parameters) };
  if (found.users.length <= MAX_HELD_USERS && canHold(found.groups, answer)) {
    const users = await presentUsers(request, found.users, asked);
    const groups = await presentHeld(found.groups, answer);
    return listResponse(groupsFirst ? [...groups, ...users] : [...users, ...groups], place);
  }
  const users = async function* (): AsyncGenerator<JsonPart, void, undefined> {
    for await (const batch of presentUsersInBatches(request, found.users, asked)) yield* batch;
  };
  const parts = async function* (): AsyncGenerator<JsonPart, void, undefined> {
    if (!groupsFirst) yield* users();
    yield* presentOneByOne(found.groups, answer);
    if (groupsFirst) yield* users();
  };
  return primed(withParts(listHead(sizeOf(found), place), 'Resources', parts()));
};

/**
 * A search over all types (RFC 7644, 3.4.2.1 and 3.4.3): users, then groups, each in the order that is
 * asked for. An attribute that only one type has, has no value in the other.
 */
export const searchAll = async (
  request: ScimRequest,
  parameters: SearchParameters,
): Promise<JsonPart> => {
  const searches = searchesOf(request, parameters);
  const asked = searches.map(({ schema, conditions }) => ({ schema, ...conditions }));
  const cursor = readCursorFor(asked, parameters);
  const { startIndex, count } = readPage(parameters);
  const found = cursor
    ? await findByTurn(searches, cursor.turn, count)
    : await findByNumber(searches, { startIndex, count });
  const { total, next } = found;
  const place = cursor ? cursorsBeside(next ? { next } : {}, cursor.bond) : { startIndex };
  const groupsFirst = searches[0]?.schema === GROUP;
  return present(request, parameters, { found, place: { total, ...place }, groupsFirst });
};
