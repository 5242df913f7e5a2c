import type * as mongo from 'mongodb';
import type { UserQuery } from '../../ports/users.js';
import type { Filter } from '../../domain/kernel/filter.js';
import type { RoomId, TenantId } from '../../domain/kernel/ids.js';
import type { User } from '../../domain/user/user.js';
import type { Collections } from '../tables/collections.js';
import { type UserDocument, fromUserDocument, USER_PROJECTION } from '../tables/users.js';
import type { Condition } from './filter-query.js';
import {
  type Order,
  sortOf,
  costOfPage,
  orderOf,
  type Finder,
  readPage,
  findPage,
  type PageRange,
  type FoundPage,
} from './find-page.js';
import {
  type SearchCost,
  searchCostOf,
  type SearchLimits,
  type TimeBudget,
} from './search-limits.js';
import {
  needsAllGroups,
  filtersGroups,
  groupNamesIn,
  requiredGroups,
  JOINED,
  type NamedGroup,
  userFilterQuery,
} from './user-filter.js';
import { allOf, conditionsOf, INDEXED, INDEXES, SORT_FIELDS } from './user-query.js';
import { readDocuments } from '../read-documents.js';

type Stage = mongo.BSON.Document;
type GroupQuery = UserQuery & { readonly filter: Filter };

/** The parts of a filter with conditions on groups. */
interface Plan {
  readonly tenant: string;
  /** Conditions on user documents; undefined: none. */
  readonly plain: Condition | undefined;
  /** Conditions on joined memberships, besides membership in `required`; undefined: none. */
  readonly rest: Condition | undefined;
  /** Stages that join the memberships for `rest` to each user. */
  readonly join: readonly Stage[];
  /** Users must be members of one of these; undefined: of no particular group. */
  readonly required: readonly NamedGroup[] | undefined;
}

const partsOf = (filter: Filter): readonly Filter[] =>
  filter.kind === 'and' ? filter.of.flatMap(partsOf) : [filter];

const membersOf = (groups: readonly NamedGroup[]): number =>
  groups.reduce((sum, { memberCount }) => sum + memberCount, 0);

/** The part of a filter whose groups have the fewest members: the one to start with. */
const narrowest = (parts: readonly Filter[], named: readonly NamedGroup[]) =>
  parts
    .flatMap((part) => {
      const groups = requiredGroups(part, named);
      return groups ? [{ part, groups }] : [];
    })
    .sort((one, other) => membersOf(one.groups) - membersOf(other.groups))[0];

const GROUP_OF_ROSTER = 'group';

const joinStages = (
  tenant: string,
  rosters: readonly string[],
  isAny: boolean,
): readonly Stage[] => [
  {
    $lookup: {
      from: 'memberships',
      localField: '_id',
      foreignField: 'user',
      pipeline: [
        { $match: { tenant, ...(!isAny && { roster: { $in: rosters } }) } },
        // Members of a room without a group are in no group by that.
        ...(isAny
          ? [
              {
                $lookup: {
                  from: 'groups',
                  localField: 'roster',
                  foreignField: 'roster',
                  pipeline: [{ $match: { tenant } }, { $project: { _id: 1 } }],
                  as: GROUP_OF_ROSTER,
                },
              },
              { $match: { [GROUP_OF_ROSTER]: { $ne: [] } } },
            ]
          : []),
        { $project: { _id: 0, roster: 1 } },
      ],
      as: JOINED,
    },
  },
];

const planFor = (tenant: TenantId, query: GroupQuery, named: readonly NamedGroup[]): Plan => {
  const { filter, defaultRole, ...others } = query;
  const parts = partsOf(filter);
  const toCondition = (part: Filter) => userFilterQuery(part, { defaultRole, groups: named });
  const plain = [
    ...conditionsOf({ ...others, defaultRole }),
    ...parts.filter((part) => !filtersGroups(part)).map(toCondition),
  ];
  const first = narrowest(parts, named);
  const withGroups = parts.filter((part) => filtersGroups(part) && part !== first?.part);
  const isAny = withGroups.some((part) => needsAllGroups(part, named));
  const rosters = named.map(({ roster }) => roster);
  return {
    tenant,
    plain: plain.length > 0 ? allOf(plain) : undefined,
    rest: withGroups.length > 0 ? allOf(withGroups.map(toCondition)) : undefined,
    join: withGroups.length > 0 ? joinStages(tenant, rosters, isAny) : [],
    required: first?.groups,
  };
};

/** Of a page of the members of a room. */
const planForRoom = (tenant: TenantId, query: UserQuery, room: NamedGroup): Plan => {
  const plain = conditionsOf(query);
  return {
    tenant,
    plain: plain.length > 0 ? allOf(plain) : undefined,
    rest: undefined,
    join: [],
    required: [room],
  };
};

const matching = (...conditions: readonly (Condition | undefined)[]): Condition =>
  allOf(conditions.filter((condition) => condition !== undefined));

const pageStages = ({ skip, limit }: PageRange): Stage[] => [
  ...(skip > 0 ? [{ $skip: skip }] : []),
  { $limit: limit },
];

/** A way to find a page of users, and its cost. */
interface Strategy {
  readonly cost: SearchCost;
  readonly size: () => Promise<number>;
  readonly page: (budget: TimeBudget) => Promise<FoundPage<UserDocument>>;
}

/** For strategies that find users one by one in this order. */
const pageWith =
  (order: Order, query: UserQuery, finder: (budget: TimeBudget) => Finder<UserDocument>) =>
  (budget: TimeBudget): Promise<FoundPage<UserDocument>> =>
    readPage(finder(budget), { ...query, order });

/** A larger group is sorted along the order of all users: some of so many come soon. */
const MAX_SORTED = 10_000;

const BY_ID: Order = { fields: [{ field: '_id', form: 'exact' }], descending: false };

/** The users of memberships that match the remaining conditions. */
const userOfMembership = ({ tenant, plain, rest, join }: Plan): readonly Stage[] => [
  {
    $lookup: {
      from: 'users',
      localField: 'user',
      foreignField: '_id',
      pipeline: [{ $match: matching({ tenant }, plain) }],
      as: 'found',
    },
  },
  { $unwind: '$found' },
  { $replaceRoot: { newRoot: '$found' } },
  ...(rest ? [...join, { $match: rest }] : []),
];

interface Parts {
  readonly collections: Collections;
  readonly countUsers: (tenantId: TenantId) => Promise<number>;
}

/*
 * Strategies that find users by their groups; the lists of members never leave the database, except
 * in `filterMembers`.
 */

const total = async (found: mongo.AggregationCursor<{ n: number }>): Promise<number> =>
  (await found.next())?.n ?? 0;

/** In the order of the positions. */
const findUsers = async (
  { users }: Collections,
  tenant: string,
  positions: readonly Pick<UserDocument, '_id'>[],
  budget: TimeBudget,
): Promise<readonly UserDocument[]> => {
  const ids = positions.map(({ _id }) => _id);
  const found = await readDocuments(
    users.find(
      { _id: { $in: ids }, tenant },
      { projection: USER_PROJECTION, maxTimeMS: budget.left(), batchSize: ids.length + 1 },
    ),
    tenant,
  );
  const byId = new Map(found.map((user) => [user._id, user]));
  return ids.flatMap((id) => byId.get(id) ?? []);
};

/** Along the order of users, each with the memberships that the filter needs. */
const scanUsers = (
  { collections: { users }, countUsers }: Parts,
  plan: Plan,
  query: UserQuery,
  cost: SearchCost,
): Strategy => {
  const order = orderOf(SORT_FIELDS, query.sort);
  const { tenant, plain, rest, join, required } = plan;
  const rosters = required?.map(({ roster }) => roster);
  const isMember = rosters && { [`${JOINED}.roster`]: { $in: rosters } };
  // The condition to start with is checked like the others if the search starts elsewhere.
  const joined = rest ? join : joinStages(tenant, rosters ?? [], false);
  const memberStages: readonly Stage[] = [...joined, { $match: matching(isMember, rest) }];
  const [only] = required ?? [];
  const isOneGroup = required?.length === 1 && !plain && !rest;
  return {
    cost,
    size: () => countUsers(tenant as TenantId),
    page: pageWith(order, query, (budget) => ({
      find: (slice) =>
        readDocuments(
          users.aggregate<UserDocument>(
            [
              { $match: matching({ tenant }, plain, slice.beyond) },
              { $sort: sortOf(order, slice.isBackward) },
              ...memberStages,
              ...pageStages(slice),
              { $unset: JOINED },
            ],
            { maxTimeMS: budget.left(), batchSize: slice.limit + 1 },
          ),
          tenant,
        ),
      count: () =>
        isOneGroup && only
          ? Promise.resolve(only.memberCount)
          : total(
              users.aggregate(
                [{ $match: matching({ tenant }, plain) }, ...memberStages, { $count: 'n' }],
                { maxTimeMS: budget.left() },
              ),
            ),
    })),
  };
};

/** One group and no other condition: its memberships are in the order of users' ids. */
const pageOneGroup = (
  { collections }: Parts,
  plan: Plan,
  { roster, memberCount }: NamedGroup,
  query: UserQuery,
): Strategy => {
  const { tenant } = plan;
  const findIds = async ({ beyond, isBackward, skip, limit }: PageRange, budget: TimeBudget) => {
    const found = await readDocuments(
      collections.memberships
        .find(
          { tenant, roster, ...(beyond && { user: beyond._id as string }) },
          { projection: { _id: 0, user: 1 }, maxTimeMS: budget.left(), batchSize: limit + 1 },
        )
        .sort({ user: isBackward ? -1 : 1 })
        .skip(skip)
        .limit(limit),
      tenant,
    );
    return found.map(({ user }) => ({ _id: user }));
  };
  return {
    cost: costOfPage(query),
    size: () => Promise.resolve(memberCount),
    page: async (budget) => {
      const finder = {
        find: (slice: PageRange) => findIds(slice, budget),
        count: () => Promise.resolve(memberCount),
      };
      // The next page starts at a membership: a user who has just been deleted does not end the
      // list.
      const { page, ...rest } = await readPage(finder, { ...query, order: BY_ID });
      return { page: await findUsers(collections, tenant, page, budget), ...rest };
    },
  };
};

/**
 * The members of the groups, by their ids: joining that many to their users within the database
 * takes ten times as long. Limits refuse groups of more than a few thousand.
 */
const filterMembers = (
  { collections: { users, memberships } }: Parts,
  plan: Plan,
  groups: readonly NamedGroup[],
  query: UserQuery,
): Strategy => {
  const { tenant, plain } = plan;
  const rosters = groups.map(({ roster }) => roster);
  const findIds = async (budget: TimeBudget): Promise<readonly string[]> => {
    const found = await readDocuments(
      memberships.find(
        { tenant, roster: { $in: rosters } },
        { projection: { _id: 0, user: 1 }, maxTimeMS: budget.left(), batchSize: MAX_SORTED },
      ),
      tenant,
    );
    return [...new Set(found.map(({ user }) => user))];
  };
  return {
    cost: 'scan',
    size: () => Promise.resolve(membersOf(groups)),
    page: async (budget) =>
      findPage(users, matching({ tenant, _id: { $in: await findIds(budget) } }, plain), {
        ...query,
        tenant,
        order: query.sort ? orderOf(SORT_FIELDS, query.sort) : BY_ID,
        hint: { _id: 1 },
        budget,
      }),
  };
};

/** Checks every member of the groups one by one. */
const joinMembers = (
  { collections: { memberships } }: Parts,
  plan: Plan,
  groups: readonly NamedGroup[],
  query: UserQuery,
): Strategy => {
  const { tenant } = plan;
  const order = query.sort ? orderOf(SORT_FIELDS, query.sort) : BY_ID;
  const rosters = groups.map(({ roster }) => roster);
  const members: readonly Stage[] = [
    { $match: { tenant, roster: { $in: rosters } } },
    // A member of several of them is returned once.
    ...(rosters.length > 1 ? [{ $group: { _id: '$user' } }, { $set: { user: '$_id' } }] : []),
    ...userOfMembership(plan),
  ];
  return {
    cost: 'scan',
    size: () => Promise.resolve(membersOf(groups)),
    page: pageWith(order, query, (budget) => ({
      find: (slice) =>
        readDocuments(
          memberships.aggregate<UserDocument>(
            [
              ...members,
              ...(slice.beyond ? [{ $match: slice.beyond }] : []),
              { $sort: sortOf(order, slice.isBackward) },
              ...pageStages(slice),
            ],
            { maxTimeMS: budget.left(), batchSize: slice.limit + 1 },
          ),
          tenant,
        ),
      count: () =>
        total(memberships.aggregate([...members, { $count: 'n' }], { maxTimeMS: budget.left() })),
    })),
  };
};

/**
 * Pages of users of a room, or by a filter with conditions on their groups. A user's groups are known only from
 * memberships, which are documents of their own: users are found along the memberships of a group,
 * or the database joins the memberships to each user. Without `sortBy`, users of a group are in the
 * order of their ids, which is that of its memberships.
 */
export const createPagesByGroup = (
  collections: Collections,
  limits: SearchLimits,
  countUsers: (tenantId: TenantId) => Promise<number>,
) => {
  const parts = { collections, countUsers };

  const findNamed = async (tenant: TenantId, filter: Filter): Promise<readonly NamedGroup[]> => {
    const names = [...groupNamesIn(filter)];
    const found = await readDocuments(
      collections.groups.find(
        { tenant, $or: [{ _id: { $in: names } }, { 'folded.displayName': { $in: names } }] },
        { projection: { roster: 1, folded: 1, memberCount: 1 } },
      ),
      tenant,
    );
    return found.map(({ _id, roster, folded, memberCount }) => ({
      id: _id,
      name: folded.displayName,
      roster,
      memberCount,
    }));
  };

  const strategyFor = (plan: Plan, query: UserQuery): Strategy => {
    const { plain, rest, required } = plan;
    if (plain && searchCostOf(plain, INDEXES) === 'point')
      return scanUsers(parts, plan, query, 'point');
    if (!required) return scanUsers(parts, plan, query, 'scan');
    const [only, ...others] = required;
    const isOneGroup = only !== undefined && others.length === 0 && !plain && !rest;
    if (isOneGroup && !query.sort) return pageOneGroup(parts, plan, only, query);
    if (isOneGroup && only.memberCount > MAX_SORTED)
      return scanUsers(parts, plan, query, 'presence');
    return rest
      ? joinMembers(parts, plan, required, query)
      : filterMembers(parts, plan, required, query);
  };

  const findRoom = async (tenant: TenantId, id: RoomId): Promise<NamedGroup> => {
    const projection = { memberCount: 1 };
    const found = await collections.rooms.findOne({ _id: id, tenant }, { projection });
    return { id, name: '', roster: id, memberCount: found?.memberCount ?? 0 };
  };

  const readBy = async (
    plan: Plan,
    query: UserQuery,
  ): Promise<Omit<FoundPage<User>, 'page'> & { readonly users: readonly User[] }> => {
    const { cost, size, page: read } = strategyFor(plan, query);
    const tenantId = plan.tenant as TenantId;
    const { filter } = query;
    const search = { tenantId, cost, size, filter, resourceName: 'users', indexed: INDEXED };
    const { page, ...more } = await limits.run(search, read);
    return { users: page.map(fromUserDocument), ...more };
  };

  return {
    byGroups: async (tenantId: TenantId, query: GroupQuery) =>
      readBy(planFor(tenantId, query, await findNamed(tenantId, query.filter)), query),
    ofRoom: async (tenantId: TenantId, room: RoomId, query: UserQuery) =>
      readBy(planForRoom(tenantId, query, await findRoom(tenantId, room)), query),
  };
};
