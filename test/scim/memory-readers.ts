import type {
  GroupMember,
  GroupReader,
  PageCursors,
  CursorRequest,
  UserReader,
} from '../../src/ports/users.js';
import { type Filter, matchFilter } from '../../src/domain/kernel/filter.js';
import { fold } from '../../src/domain/kernel/names.js';
import { type Group, rosterOf } from '../../src/domain/group/group.js';
import type { JsonValue } from '../../src/domain/kernel/json.js';
import { displayNameOf, type User } from '../../src/domain/user/user.js';
import type { FakeBackend } from '../support/fake-world.js';
import { filterableUser, filterableGroup } from './filterable.js';

interface Entity {
  readonly id: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

interface PageQuery {
  readonly filter?: Filter;
  readonly sort?: {
    readonly attribute: { readonly path: readonly string[] };
    readonly descending: boolean;
  };
  readonly offset: number;
  readonly limit: number;
  readonly cursorRequest?: CursorRequest;
}

interface View<Item> {
  readonly toFilterable: (item: Item) => JsonValue;
  readonly keyOf: (item: Item, path: string) => string | undefined;
}

/** An item and its position: the sort key, then the order of creation. */
type Positioned<Item> = { readonly item: Item; readonly position: readonly [string, number] };

const compare = (
  [one, at]: readonly (string | number)[],
  [other, otherAt]: readonly (string | number)[],
): number => (one === other ? Number(at) - Number(otherAt) : String(one) < String(other) ? -1 : 1);

const sortAndFilter = <Item extends Entity>(
  items: readonly Item[],
  { sort, filter }: PageQuery,
  { toFilterable, keyOf }: View<Item>,
): readonly Positioned<Item>[] => {
  const path = sort?.attribute.path.join('.');
  const all = items.map((item, at): Positioned<Item> => {
    const common: Record<string, string> = {
      id: item.id,
      'meta.lastModified': item.updatedAt.toISOString(),
    };
    const key = path === undefined ? '' : (keyOf(item, path) ?? common[path] ?? '');
    return { item, position: [key, at] };
  });
  const sign = sort?.descending ? -1 : 1;
  return all
    .toSorted((one, other) => sign * compare(one.position, other.position))
    .filter(({ item }) => !filter || matchFilter(filter, toFilterable(item)));
};

/** A page of items, by index or by cursor, as the store would return it. */
const pageOf = <Item extends Entity>(
  items: readonly Item[],
  query: PageQuery,
  view: View<Item>,
): { readonly page: readonly Item[]; readonly total: number } & PageCursors => {
  const all = sortAndFilter(items, query, view);
  const { cursorRequest, limit, offset, sort } = query;
  const itemsOf = (some: readonly Positioned<Item>[]) => some.map(({ item }) => item);
  if (!cursorRequest)
    return { page: itemsOf(all.slice(offset, offset + limit)), total: all.length };
  const sign = sort?.descending ? -1 : 1;
  const rest = all.filter(({ position }) => {
    if (cursorRequest.to === 'first') return true;
    const order = sign * compare(position, cursorRequest.position);
    return cursorRequest.to === 'after' ? order > 0 : order < 0;
  });
  const isBackward = cursorRequest.to === 'before';
  const page = limit === 0 ? [] : isBackward ? rest.slice(-limit) : rest.slice(0, limit);
  const hasMore = rest.length > page.length && limit > 0;
  const [first, last] = [page[0], page.at(-1)];
  return {
    page: itemsOf(page),
    total: all.length,
    ...(last && (hasMore || isBackward) && { next: last.position }),
    ...(first &&
      (isBackward ? hasMore : cursorRequest.to === 'after') && { previous: first.position }),
  };
};

const userKey = ({ profile }: User, path: string): string | undefined =>
  ({ displayName: fold(displayNameOf(profile)), userName: fold(profile.userName) })[path];

const groupKey = ({ displayName }: Group, path: string): string | undefined =>
  path === 'displayName' ? fold(displayName) : undefined;

/** A UserReader over the fake world's users. */
export const memoryUsers = (world: () => FakeBackend): UserReader => ({
  find: (tenantId, id) => world().userReader.find(tenantId, id),
  findWithGroups: (tenantId, id) => world().userReader.findWithGroups(tenantId, id),
  page: async (tenantId, query) => {
    const { failure, users, groups, memberships } = world();
    if (failure) throw failure;
    const groupsOf = (user: User): readonly Group[] =>
      groups.filter((group) =>
        memberships.some(
          ({ rosterId, userId }) => userId === user.id && rosterId === rosterOf(group),
        ),
      );
    const ofTenant = users.filter((user) => user.tenantId === tenantId);
    const toFilterable = (user: User) => filterableUser(user, query.defaultRole, groupsOf(user));
    const { page, ...rest } = pageOf(ofTenant, query, { toFilterable, keyOf: userKey });
    return Promise.resolve({ users: page, ...rest });
  },
});

/** Small, so that tests read members in several batches. */
const BATCH = 3;

/** A GroupReader over the fake world's groups. `calls` records the name of every call. */
export const memoryGroups = (world: () => FakeBackend, calls: string[] = []): GroupReader => {
  const read = <Value>(what: string, answer: () => Value): Promise<Value> => {
    calls.push(what);
    const { failure } = world();
    return failure ? Promise.reject(failure) : Promise.resolve(answer());
  };
  const memberIds = (group: Group) =>
    world()
      .memberships.filter(({ rosterId }) => rosterId === rosterOf(group))
      .map(({ userId }) => userId)
      .toSorted();
  const membersOf = (group: Group, withNames: boolean): readonly GroupMember[] =>
    memberIds(group).map((userId) => {
      const user = withNames ? world().users.find(({ id }) => id === userId) : undefined;
      return { userId, displayName: user ? displayNameOf(user.profile) : null };
    });
  return {
    find: (tenantId, id) =>
      read('find', () =>
        world().groups.find((group) => group.tenantId === tenantId && group.id === id),
      ),
    page: (tenantId, query) =>
      read('page', () => {
        const ofTenant = world().groups.filter((group) => group.tenantId === tenantId);
        const toFilterable = (group: Group) => filterableGroup(group, memberIds(group));
        const { page, ...rest } = pageOf(ofTenant, query, { toFilterable, keyOf: groupKey });
        return { groups: page, ...rest };
      }),
    members: async function* (group, { withNames }) {
      const all = await read('members', () => membersOf(group, withNames));
      for (let at = 0; at < all.length; at += BATCH) yield all.slice(at, at + BATCH);
    },
    membersOfAll: (groups, { withNames }) =>
      read(
        'membersOfAll',
        () => new Map(groups.map((group) => [group.id, membersOf(group, withNames)])),
      ),
    groupsOf: (tenantId, userIds) =>
      read('groupsOf', () => {
        const ofTenant = world().groups.filter((group) => group.tenantId === tenantId);
        return new Map(
          userIds.map((id) => [id, ofTenant.filter((group) => memberIds(group).includes(id))]),
        );
      }),
  };
};
