import type { UserKey, UserLookups, UserPage, UserQuery, UserReader } from '../../ports/users.js';
import { fold, nameKey } from '../../domain/kernel/names.js';
import { guarded, guardRead } from '../database-errors.js';
import type { Collections } from '../tables/collections.js';
import { groupCodec } from '../tables/groups.js';
import { fromUserDocument, USER_PROJECTION, type UserDocument } from '../tables/users.js';
import type { GroupId, TenantId, UserId } from '../../domain/kernel/ids.js';
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

/** Each has an index. */
const FIELDS: Readonly<Record<UserKey, string>> = {
  id: '_id',
  externalId: 'profile.externalId',
  userName: 'folded.userName',
  email: 'folded.email',
};

const isFolded = (key: UserKey): boolean => key === 'userName' || key === 'email';

const ACTIVE_BATCH = 1_000;

/** One query for all values. */
export const mongoUserLookups = ({ users, groups, memberships }: Collections): UserLookups =>
  guarded<UserLookups>({
    find: async (tenantId, by, values) => {
      if (values.length === 0) return [];
      const wanted = isFolded(by) ? values.map(fold) : [...values];
      const found = await users
        .find(
          { tenant: tenantId, [FIELDS[by]]: { $in: wanted } },
          { projection: USER_PROJECTION, batchSize: Math.min(values.length, 1_000) + 1 },
        )
        .toArray();
      return found.map(fromUserDocument);
    },
    versions: async (tenantId, ids) => {
      if (ids.length === 0) return new Map();
      const found = await users
        .find<Pick<UserDocument, '_id' | 'v'>>(
          { tenant: tenantId, _id: { $in: [...ids] } },
          { projection: { v: 1 }, batchSize: Math.min(ids.length, 1_000) + 1 },
        )
        .toArray();
      return new Map(found.map(({ _id, v }) => [_id as UserId, v]));
    },
    activeUsers: async function* (tenantId) {
      let after = -1;
      for (;;) {
        const found = await guardRead(() =>
          users
            .find(
              { tenant: tenantId, 'profile.active': true, n: { $gt: after } },
              { projection: USER_PROJECTION },
            )
            .sort({ n: 1 })
            .limit(ACTIVE_BATCH)
            .toArray(),
        );
        const last = found.at(-1);
        if (!last) return;
        yield found.map(fromUserDocument);
        after = last.n;
      }
    },
    findGroups: async (tenantId, displayNames) => {
      if (displayNames.length === 0) return [];
      const found = await groups
        .find({ tenant: tenantId, 'folded.displayName': { $in: displayNames.map(nameKey) } })
        .toArray();
      return found.map(groupCodec.fromDocument);
    },
    memberships: async (tenantId, groupIds, userIds) => {
      if (groupIds.length === 0 || userIds.length === 0) return [];
      const found = await groups
        .find({ tenant: tenantId, _id: { $in: [...groupIds] } }, { projection: { roster: 1 } })
        .toArray();
      const byRoster = new Map(found.map(({ _id, roster }) => [roster, _id as GroupId]));
      const rosters = [...byRoster.keys()];
      const members = await memberships
        .find({ tenant: tenantId, user: { $in: [...userIds] }, roster: { $in: rosters } })
        .toArray();
      return members.flatMap(({ roster, user, addedAt }) => {
        const groupId = byRoster.get(roster);
        return groupId ? [{ groupId, userId: user as UserId, addedAt }] : [];
      });
    },
  });

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

/** Reads of users, within one tenant. */
export const mongoUserReader = (
  collections: Collections,
  limits: SearchLimits = createSearchLimits(),
  names: GroupNames = createGroupNames(collections),
): UserReader => {
  const { users, memberships, tenantState } = collections;

  const findUsers = joinLookups<UserId, User>(async (tenantId, ids) => {
    const found = await users
      .find(
        { _id: { $in: [...ids] }, tenant: tenantId },
        { ...JOINED, projection: USER_PROJECTION },
      )
      .toArray();
    return new Map(found.map(fromUserDocument).map((user) => [user.id, user]));
  });

  const findByUserName = joinLookups<string, User>(async (tenantId, userNames) => {
    const found = await users
      .find(
        { tenant: tenantId, [USER_NAME]: { $in: [...userNames] } },
        { ...JOINED, projection: USER_PROJECTION, hint: BY_USER_NAME },
      )
      .toArray();
    return new Map(found.map(fromUserDocument).map((user) => [userNameKey(user), user]));
  });

  /** Users and their rosters in one query: half the gateway's work of two, and one round trip. */
  const readWithRosters = async (
    tenantId: TenantId,
    condition: Condition,
    options: { readonly hint?: typeof BY_USER_NAME } = {},
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
        { ...JOINED, ...options },
      )
      .toArray();
    return found.map((document) => ({
      user: fromUserDocument(document),
      rosters: document.memberships.map(({ roster }) => roster),
    }));
  };

  const findWithRosters = joinLookups<UserId, UserWithRosters>(async (tenantId, ids) => {
    const found = await readWithRosters(tenantId, { _id: { $in: [...ids] } });
    return new Map(found.map((each) => [each.user.id, each]));
  });

  const findByUserNameWithRosters = joinLookups<string, UserWithRosters>(
    async (tenantId, userNames) => {
      const condition = { [USER_NAME]: { $in: [...userNames] } };
      const found = await readWithRosters(tenantId, condition, { hint: BY_USER_NAME });
      return new Map(found.map((each) => [userNameKey(each.user), each]));
    },
  );

  const groupsOf = async (tenantId: TenantId, { rosters }: UserWithRosters) =>
    groupsIn(rosters, await names.of(tenantId, rosters));

  const pageByUserName = async (tenantId: TenantId, userName: string): Promise<UserPage> => {
    const found = await findByUserName(tenantId, [userName]);
    const user = found.get(userName);
    return user ? { users: [user], total: 1 } : { users: [], total: 0 };
  };

  const pageByUserNameWithGroups = async (
    tenantId: TenantId,
    userName: string,
  ): Promise<UserPage> => {
    const byName = await findByUserNameWithRosters(tenantId, [userName]);
    const found = byName.get(userName);
    if (!found) return { users: [], total: 0 };
    const groups = await groupsOf(tenantId, found);
    return { users: [found.user], total: 1, groupsByUser: new Map([[found.user.id, groups]]) };
  };

  /** The tenant's counters; each active user has a seat. */
  const readCounters = async (tenantId: TenantId) => {
    const projection = { userCount: 1, seatsProvisioned: 1, [SEGMENTS]: 1 };
    const state = await tenantState.findOne({ _id: tenantId }, { projection });
    const { userCount = 0, seatsProvisioned = 0, [SEGMENTS]: segments = {} } = state ?? {};
    return { total: userCount, active: seatsProvisioned, segments };
  };

  /** Finds any page without counting up to it. */
  const pageInOrder = async (tenantId: TenantId, { offset, limit }: UserQuery) => {
    const { total, segments } = await readCounters(tenantId);
    if (limit === 0 || offset >= total) return { users: [], total };
    const { from, skip } = findInSegments(USER_SEGMENT, segments, offset);
    const cursor = users
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
    tenantId: TenantId,
    query: UserQuery,
    conditions: readonly Condition[],
  ) => {
    let counters: ReturnType<typeof readCounters> | undefined;
    const countersOnce = () => (counters ??= readCounters(tenantId));
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
        users,
        { tenant: tenantId, ...allOf(conditions) },
        { ...pageQueryOf(query), tenant: tenantId, budget, ...(countAll && { countAll }) },
      );
      return { users: page.map(fromUserDocument), ...rest };
    });
  };

  const { byGroups, ofRoom } = createPagesByGroup(
    collections,
    limits,
    async (tenantId) => (await readCounters(tenantId)).total,
  );

  return guarded<UserReader>({
    find: async (tenantId, id) => {
      const found = await findUsers(tenantId, [id]);
      return found.get(id);
    },
    findWithGroups: async (tenantId, id) => {
      const byId = await findWithRosters(tenantId, [id]);
      const found = byId.get(id);
      return found && { user: found.user, groups: await groupsOf(tenantId, found) };
    },
    page: async (tenantId, query) => {
      const { room, filter } = query;
      if (room !== undefined) return ofRoom(tenantId, room, query);
      if (filter && filtersGroups(filter)) return byGroups(tenantId, { ...query, filter });
      const userName = userNameLookedUp(query);
      if (userName !== undefined)
        return query.withGroups
          ? pageByUserNameWithGroups(tenantId, userName)
          : pageByUserName(tenantId, userName);
      const conditions = conditionsOf(query);
      const isWhole = !query.cursorRequest && !query.sort && conditions.length === 0;
      return isWhole ? pageInOrder(tenantId, query) : pageOfMatches(tenantId, query, conditions);
    },
  });
};
