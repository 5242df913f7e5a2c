import type { UserPage, UserQuery, UserReader } from '../../ports/users.js';
import { bindReads, type Reads } from '../bind-reads.js';
import type { Collections } from '../tables/collections.js';
import { fromUserDocument, USER_PROJECTION, type UserDocument } from '../tables/users.js';
import type { TenantId, UserId } from '../../domain/kernel/ids.js';
import { type User, userNameKey } from '../../domain/user/user.js';
import type { Condition } from './filter-query.js';
import { findPage } from './find-page.js';
import { createGroupNames, type GroupNames, groupsIn } from './group-names.js';
import { joinLookups } from './join-lookups.js';
import { findInSegments, SEGMENTS, USER_SEGMENT } from '../tables/segments.js';
import { createSearchLimits, type SearchLimits } from './search-limits.js';
import {
  ACTIVE,
  conditionsOf,
  INDEXED,
  isCounted,
  pageQueryOf,
  allOf,
  userNameLookedUp,
  userSearchCost,
} from './user-query.js';
import { filtersGroups } from './user-filter.js';
import { createPagesByGroup } from './users-by-group.js';
import { readDocuments } from '../read-documents.js';

const USER_NAME = 'folded.userName';
const BY_USER_NAME = { tenant: 1, [USER_NAME]: 1 } as const;
/** Of lookups that are joined, in one response; exceeded only if the database is in trouble. */
const JOINED = { batchSize: 1_000, maxTimeMS: 5_000 } as const;

interface UserWithRosters {
  readonly user: User;
  readonly rosters: readonly string[];
}

type UserAndMemberships = UserDocument & {
  readonly memberships: readonly { readonly roster: string }[];
};

/** Users and their rosters in one query: half the gateway's work of two, and one round trip. */
const readWithRosters = async (
  { users, memberships }: Collections,
  tenantId: TenantId,
  condition: Condition,
  hint?: typeof BY_USER_NAME,
): Promise<readonly UserWithRosters[]> => {
  const ownMemberships = {
    from: memberships.collectionName,
    localField: '_id',
    foreignField: 'user',
    pipeline: [{ $match: { tenant: tenantId } }, { $project: { _id: 0, roster: 1 } }],
    as: 'memberships',
  };
  const found = await users
    .aggregate<UserAndMemberships>(
      [
        { $match: { tenant: tenantId, ...condition } },
        { $project: USER_PROJECTION },
        { $lookup: ownMemberships },
      ],
      { ...JOINED, ...(hint && { hint }) },
    )
    .toArray();
  return found.map((document) => ({
    user: fromUserDocument(document),
    rosters: document.memberships.map(({ roster }) => roster),
  }));
};

const readUsers = async (
  { users }: Collections,
  tenantId: TenantId,
  condition: Condition,
  hint?: typeof BY_USER_NAME,
): Promise<readonly User[]> =>
  users
    .find(
      { tenant: tenantId, ...condition },
      { ...JOINED, projection: USER_PROJECTION, ...(hint && { hint }) },
    )
    .map(fromUserDocument)
    .toArray();

/** Lookups by id and by user name; those of a tenant that arrive together share a query. */
const joinedBy = <Found>(
  collections: Collections,
  read: (
    collections: Collections,
    tenantId: TenantId,
    condition: Condition,
    hint?: typeof BY_USER_NAME,
  ) => Promise<readonly Found[]>,
  userOf: (found: Found) => User,
) => ({
  byId: joinLookups<UserId, Found>(async (tenantId, ids) => {
    const found = await read(collections, tenantId, { _id: { $in: [...ids] } });
    return new Map(found.map((one) => [userOf(one).id, one]));
  }),
  byUserName: joinLookups<string, Found>(async (tenantId, names) => {
    const condition = { [USER_NAME]: { $in: [...names] } };
    const found = await read(collections, tenantId, condition, BY_USER_NAME);
    return new Map(found.map((one) => [userNameKey(userOf(one)), one]));
  }),
});

/** The tenant's counters; each active user has a seat. */
const readCounters = async ({ tenantState }: Collections, tenantId: TenantId) => {
  const projection = { userCount: 1, seatsProvisioned: 1, [SEGMENTS]: 1 };
  const state = await tenantState.findOne({ _id: tenantId }, { projection });
  const { userCount = 0, seatsProvisioned = 0, [SEGMENTS]: segments = {} } = state ?? {};
  return { total: userCount, active: seatsProvisioned, segments };
};

/** The joined lookups are made once for each reader: only then do lookups share a query. */
const partsOf = (collections: Collections, limits: SearchLimits, names: GroupNames) => ({
  collections,
  limits,
  names,
  plain: joinedBy(collections, readUsers, (user) => user),
  withRosters: joinedBy(collections, readWithRosters, ({ user }) => user),
  pages: createPagesByGroup(
    collections,
    limits,
    async (tenantId) => (await readCounters(collections, tenantId)).total,
  ),
});

type Parts = ReturnType<typeof partsOf>;

const groupsOf = async ({ names }: Parts, tenantId: TenantId, { rosters }: UserWithRosters) =>
  groupsIn(rosters, await names.of(tenantId, rosters));

const NO_USERS: UserPage = { users: [], total: 0 };

const pageByUserName = async (
  parts: Parts,
  tenantId: TenantId,
  userName: string,
  { withGroups }: UserQuery,
): Promise<UserPage> => {
  if (!withGroups) {
    const user = (await parts.plain.byUserName(tenantId, [userName])).get(userName);
    return user ? { users: [user], total: 1 } : NO_USERS;
  }
  const found = (await parts.withRosters.byUserName(tenantId, [userName])).get(userName);
  if (!found) return NO_USERS;
  const groups = await groupsOf(parts, tenantId, found);
  return { users: [found.user], total: 1, groupsByUser: new Map([[found.user.id, groups]]) };
};

/** Finds any page without counting up to it. */
const pageInOrder = async (
  { collections }: Parts,
  tenantId: TenantId,
  { offset, limit }: UserQuery,
): Promise<UserPage> => {
  const { total, segments } = await readCounters(collections, tenantId);
  if (limit === 0 || offset >= total) return { users: [], total };
  const { from, skip } = findInSegments(USER_SEGMENT, segments, offset);
  const cursor = collections.users
    .find(
      { tenant: tenantId, n: { $gte: from } },
      { projection: USER_PROJECTION, batchSize: limit + 1 },
    )
    .sort({ n: 1 })
    .skip(skip)
    .limit(limit);
  const found = await readDocuments(cursor, tenantId);
  return { users: found.map(fromUserDocument), total };
};

const pageOfMatches = async (
  { collections, limits }: Parts,
  tenantId: TenantId,
  query: UserQuery,
  conditions: readonly Condition[],
): Promise<UserPage> => {
  let counters: ReturnType<typeof readCounters> | undefined;
  const countersOnce = () => (counters ??= readCounters(collections, tenantId));
  const countMatches = async () => {
    const { total, active } = await countersOnce();
    const isActive = conditions[0]?.[ACTIVE];
    if (isActive === undefined) return total;
    return isActive === true ? active : total - active;
  };
  const search = {
    tenantId,
    cost: userSearchCost(query, conditions),
    size: async () => (await countersOnce()).total,
    filter: query.filter,
    resourceName: 'users',
    indexed: INDEXED,
  };
  return limits.run(search, async (budget) => {
    const countAll = isCounted(conditions) ? countMatches : undefined;
    const { page, ...rest } = await findPage(
      collections.users,
      { tenant: tenantId, ...allOf(conditions) },
      { ...pageQueryOf(query), tenant: tenantId, budget, ...(countAll && { countAll }) },
    );
    return { users: page.map(fromUserDocument), ...rest };
  });
};

const READS: Reads<UserReader, Parts> = {
  find: async ({ plain }, tenantId, id) => (await plain.byId(tenantId, [id])).get(id),
  findWithGroups: async (parts, tenantId, id) => {
    const found = (await parts.withRosters.byId(tenantId, [id])).get(id);
    return found && { user: found.user, groups: await groupsOf(parts, tenantId, found) };
  },
  page: async (parts, tenantId, query) => {
    const { room, filter } = query;
    if (room !== undefined) return parts.pages.ofRoom(tenantId, room, query);
    if (filter && filtersGroups(filter))
      return parts.pages.byGroups(tenantId, { ...query, filter });
    const userName = userNameLookedUp(query);
    if (userName !== undefined) return pageByUserName(parts, tenantId, userName, query);
    const conditions = conditionsOf(query);
    const isWhole = !query.cursorRequest && !query.sort && conditions.length === 0;
    return isWhole
      ? pageInOrder(parts, tenantId, query)
      : pageOfMatches(parts, tenantId, query, conditions);
  },
};

/** Reads of users, within one tenant. */
export const mongoUserReader = (
  collections: Collections,
  limits: SearchLimits = createSearchLimits(),
  names: GroupNames = createGroupNames(collections),
): UserReader => bindReads<UserReader, Parts>(READS, partsOf(collections, limits, names));
