import type {
  GroupMember,
  GroupOfUser,
  GroupQuery,
  GroupReader,
  MemberQuery,
} from '../../ports/users.js';
import type { Filter } from '../../domain/kernel/filter.js';
import { type Group, rosterOf } from '../../domain/group/group.js';
import type { TenantId, UserId } from '../../domain/kernel/ids.js';
import { displayNameOf } from '../../domain/user/user.js';
import { bindReads, type Reads } from '../bind-reads.js';
import { guardRead } from '../database-errors.js';
import type { Collections } from '../tables/collections.js';
import type { Condition, FieldMapping } from './filter-query.js';
import { groupFilterQuery, groupField, type RostersByUser, userIdsIn } from './group-filter.js';
import {
  costOfPage,
  findPage,
  type LookupIndex,
  lookupHint,
  orderOf,
  type PageQuery,
  type SortFields,
} from './find-page.js';
import { entitiesIn } from './entities.js';
import { createGroupNames, type GroupNames, groupsIn } from './group-names.js';
import { joinLookups } from './join-lookups.js';
import { groupTable } from '../tables/groups.js';
import {
  searchCostOf,
  type SearchIndexes,
  createSearchLimits,
  type SearchLimits,
} from './search-limits.js';
import { readCounter } from './tenant-readers.js';
import { readDocuments } from '../read-documents.js';

/** Members per query. */
const BATCH = 500;

/** Ids of a membership, covered by an index. */
const ROSTER_AND_USER = { _id: 0, user: 1, roster: 1 } as const;

/** The fields that a display name is derived from. */
const NAMES = {
  'profile.displayName': 1,
  'profile.name': 1,
  'profile.userName': 1,
} as const;

type Pair = Readonly<Record<'user' | 'roster', string>>;

/** One end of each pair by the other, in the order of the pairs. */
const valuesBy = (
  pairs: readonly Pair[],
  key: keyof Pair,
  value: keyof Pair,
): ReadonlyMap<string, readonly string[]> => {
  const by = new Map<string, string[]>();
  for (const pair of pairs) {
    const held = by.get(pair[key]);
    if (held) held.push(pair[value]);
    else by.set(pair[key], [pair[value]]);
  }
  return by;
};

/** The fields that start an index of groups (tables/groups.ts). */
const INDEXES: SearchIndexes = {
  selective: new Set([
    '_id',
    'roster',
    'folded.displayName',
    'externalId',
    'createdAt',
    'updatedAt',
  ]),
  shared: new Set(['externalId', 'createdAt', 'updatedAt']),
  unselective: new Set(),
};

/** The same in SCIM's terms, for error messages. */
const INDEXED =
  'id, displayName, externalId, meta.created and meta.lastModified (eq, sw, pr, gt, ge, lt, le), ' +
  'members (eq)';

const BY_ID: FieldMapping = { field: '_id', form: 'exact' };

const SORT_FIELDS: SortFields = {
  byDefault: [{ field: 'createdAt', form: 'date' }, BY_ID],
  unique: new Set(['_id', 'folded.displayName']),
  tieBreaker: BY_ID,
  fieldOf: groupField,
};

/** Indexes of the attributes by which identity providers look up single groups. */
const LOOKUP_INDEXES: Readonly<Record<string, LookupIndex>> = {
  displayName: { tenant: 1, 'folded.displayName': 1 },
  externalId: { tenant: 1, externalId: 1 },
};

const pageQueryOf = ({
  offset,
  limit,
  sort,
  cursorRequest,
  filter,
}: GroupQuery): Omit<PageQuery, 'budget' | 'tenant'> => {
  const hint = sort || cursorRequest ? undefined : lookupHint(filter, LOOKUP_INDEXES);
  const order = orderOf(SORT_FIELDS, sort);
  return {
    offset,
    limit,
    order,
    ...(cursorRequest && { cursorRequest }),
    ...(hint && { hint }),
  };
};

const toMembers = async (
  { users }: Collections,
  tenant: TenantId,
  ids: readonly string[],
  { withNames }: MemberQuery,
): Promise<readonly GroupMember[]> => {
  const found = withNames
    ? await users.find({ _id: { $in: [...ids] }, tenant }, { projection: NAMES }).toArray()
    : [];
  const names = new Map(found.map(({ _id, profile }) => [_id, displayNameOf(profile)]));
  return ids.map((id) => ({ userId: id as UserId, displayName: names.get(id) ?? null }));
};

/** The rosters of the users that a filter names. */
const readNamedRosters = async (
  { memberships }: Collections,
  tenant: TenantId,
  filter: Filter | undefined,
): Promise<RostersByUser> => {
  const ids = filter ? userIdsIn(filter) : [];
  if (ids.length === 0) return new Map();
  const pairs = await memberships
    .find({ tenant, user: { $in: [...ids] } }, { projection: ROSTER_AND_USER })
    .toArray();
  return valuesBy(pairs, 'user', 'roster');
};

async function* readMembers(
  collections: Collections,
  group: Group,
  query: MemberQuery,
): AsyncGenerator<readonly GroupMember[], void, undefined> {
  const { tenantId } = group;
  let after = '';
  for (;;) {
    const ids = await guardRead(async () => {
      const from = { tenant: tenantId, roster: rosterOf(group), user: { $gt: after } };
      const cursor = collections.memberships
        .find(from, { projection: ROSTER_AND_USER, batchSize: BATCH + 1 })
        .sort({ user: 1 })
        .limit(BATCH);
      const pairs = await readDocuments(cursor, tenantId);
      return pairs.map(({ user }) => user);
    });
    if (ids.length > 0) yield await guardRead(() => toMembers(collections, tenantId, ids, query));
    after = ids.at(-1) ?? '';
    if (ids.length < BATCH) return;
  }
}

/** The joined lookup is made once for each reader: only then do lookups share a query. */
const partsOf = (collections: Collections, limits: SearchLimits, names: GroupNames) => ({
  collections,
  limits,
  names,
  findRosters: joinLookups<UserId, readonly string[]>(async (tenant, userIds) => {
    const pairs = await collections.memberships
      .find(
        { tenant, user: { $in: [...userIds] } },
        { projection: ROSTER_AND_USER, batchSize: BATCH },
      )
      .toArray();
    return valuesBy(pairs, 'user', 'roster') as ReadonlyMap<UserId, readonly string[]>;
  }),
});

type Parts = ReturnType<typeof partsOf>;

const readPage: Reads<GroupReader, Parts>['page'] = async (parts, tenantId, query) => {
  const { collections, limits } = parts;
  const { filter } = query;
  const rosters = await readNamedRosters(collections, tenantId, filter);
  const condition: Condition = filter ? groupFilterQuery(filter, rosters) : {};
  const countAll = () => readCounter(collections, tenantId, 'groupCount');
  const search = {
    tenantId,
    cost: filter ? searchCostOf(condition, INDEXES) : costOfPage(query),
    size: countAll,
    filter,
    resourceName: 'groups',
    indexed: INDEXED,
  };
  return limits.run(search, async (budget) => {
    const { page, ...rest } = await findPage(
      collections.groups,
      { tenant: tenantId, ...condition },
      { ...pageQueryOf(query), tenant: tenantId, budget, ...(!filter && { countAll }) },
    );
    return { groups: page.map(groupTable.fromDocument), ...rest };
  });
};

const READS: Reads<GroupReader, Parts> = {
  find: ({ collections }, tenantId, id) =>
    entitiesIn(collections.groups, groupTable.fromDocument).one(tenantId, { _id: id }),
  page: readPage,
  members: ({ collections }, group, query) => readMembers(collections, group, query),
  membersOfAll: async ({ collections }, selected, query) => {
    const [first] = selected;
    if (!first) return new Map();
    const { tenantId } = first;
    const rosters = selected.filter(({ memberCount }) => memberCount > 0).map(rosterOf);
    const cursor = collections.memberships
      .find({ tenant: tenantId, roster: { $in: rosters } }, { projection: ROSTER_AND_USER })
      .sort({ roster: 1, user: 1 });
    const pairs = await readDocuments(cursor, tenantId);
    const ids = [...new Set(pairs.map(({ user }) => user))];
    const members = await toMembers(collections, tenantId, ids, query);
    const byId = new Map(members.map((member) => [member.userId as string, member]));
    const idsOf = valuesBy(pairs, 'roster', 'user');
    return new Map(
      selected.map((group) => [
        group.id,
        (idsOf.get(rosterOf(group)) ?? []).flatMap((id) => byId.get(id) ?? []),
      ]),
    );
  },
  groupsOf: async ({ findRosters, names }, tenantId, userIds) => {
    const found = new Map<UserId, readonly GroupOfUser[]>();
    if (userIds.length === 0) return found;
    const rostersBy = await findRosters(tenantId, userIds);
    const rosters = new Set(userIds.flatMap((id) => rostersBy.get(id) ?? []));
    const byRoster = await names.of(tenantId, [...rosters]);
    for (const id of userIds) {
      const own = groupsIn(rostersBy.get(id) ?? [], byRoster);
      if (own.length > 0) found.set(id, own);
    }
    return found;
  },
};

/** Reads of SCIM groups and their members, within one tenant. */
export const mongoGroupReader = (
  collections: Collections,
  limits: SearchLimits = createSearchLimits(),
  names: GroupNames = createGroupNames(collections),
): GroupReader => bindReads<GroupReader, Parts>(READS, partsOf(collections, limits, names));
