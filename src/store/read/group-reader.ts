import type { GroupMember, GroupOfUser, GroupQuery, GroupReader } from '../../ports/users.js';
import type { Filter } from '../../domain/kernel/filter.js';
import { type Group, rosterOf } from '../../domain/group/group.js';
import type { GroupId, TenantId, UserId } from '../../domain/kernel/ids.js';
import { displayNameOf } from '../../domain/user/user.js';
import { guarded, guardRead } from '../database-errors.js';
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
import { createGroupNames, type GroupNames, groupsIn } from './group-names.js';
import { joinLookups } from './join-lookups.js';
import { groupCodec } from '../tables/groups.js';
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

/** Reads of SCIM groups and their members, within one tenant. */
export const mongoGroupReader = (
  collections: Collections,
  limits: SearchLimits = createSearchLimits(),
  names: GroupNames = createGroupNames(collections),
): GroupReader => {
  const { groups, memberships, users } = collections;

  const namesOf = async (tenantId: TenantId, ids: readonly string[]) => {
    const found = await users
      .find({ _id: { $in: [...ids] }, tenant: tenantId }, { projection: NAMES })
      .toArray();
    return new Map(found.map(({ _id, profile }) => [_id, displayNameOf(profile)]));
  };

  const toMembers = async (
    tenantId: TenantId,
    ids: readonly string[],
    withNames: boolean,
  ): Promise<readonly GroupMember[]> => {
    const names = withNames ? await namesOf(tenantId, ids) : new Map<string, string>();
    return ids.map((id) => ({ userId: id as UserId, displayName: names.get(id) ?? null }));
  };

  const rostersOf = async (
    tenantId: TenantId,
    filter: Filter | undefined,
  ): Promise<RostersByUser> => {
    const ids = filter ? userIdsIn(filter) : [];
    if (ids.length === 0) return new Map();
    const pairs = await memberships
      .find({ tenant: tenantId, user: { $in: [...ids] } }, { projection: ROSTER_AND_USER })
      .toArray();
    return valuesBy(pairs, 'user', 'roster');
  };

  const countAll = (tenantId: TenantId) => readCounter(collections, tenantId, 'groupCount');

  const readPage = async (tenantId: TenantId, query: GroupQuery) => {
    const { filter } = query;
    const rosters = await rostersOf(tenantId, filter);
    const condition: Condition = filter ? groupFilterQuery(filter, rosters) : {};
    const search = {
      tenantId,
      cost: filter ? searchCostOf(condition, INDEXES) : costOfPage(query),
      size: () => countAll(tenantId),
      filter,
      resourceName: 'groups',
      indexed: INDEXED,
    };
    return limits.run(search, async (budget) => {
      const { page, ...rest } = await findPage(
        groups,
        { tenant: tenantId, ...condition },
        {
          ...pageQueryOf(query),
          tenant: tenantId,
          budget,
          ...(!filter && { countAll: () => countAll(tenantId) }),
        },
      );
      return { groups: page.map(groupCodec.fromDocument), ...rest };
    });
  };

  async function* readMembers(
    group: Group,
    withNames: boolean,
  ): AsyncGenerator<readonly GroupMember[], void, undefined> {
    const { tenantId } = group;
    let after = '';
    for (;;) {
      const ids = await guardRead(async () => {
        const from = { tenant: tenantId, roster: rosterOf(group), user: { $gt: after } };
        const cursor = memberships
          .find(from, { projection: ROSTER_AND_USER, batchSize: BATCH + 1 })
          .sort({ user: 1 })
          .limit(BATCH);
        const pairs = await readDocuments(cursor, tenantId);
        return pairs.map(({ user }) => user);
      });
      if (ids.length > 0) yield await guardRead(() => toMembers(tenantId, ids, withNames));
      after = ids.at(-1) ?? '';
      if (ids.length < BATCH) return;
    }
  }

  const readAllMembers = async (selected: readonly Group[], withNames: boolean) => {
    const [first] = selected;
    if (!first) return new Map<GroupId, readonly GroupMember[]>();
    const rosters = selected.filter(({ memberCount }) => memberCount > 0).map(rosterOf);
    const cursor = memberships
      .find({ tenant: first.tenantId, roster: { $in: rosters } }, { projection: ROSTER_AND_USER })
      .sort({ roster: 1, user: 1 });
    const pairs = await readDocuments(cursor, first.tenantId);
    const members = await toMembers(
      first.tenantId,
      [...new Set(pairs.map(({ user }) => user))],
      withNames,
    );
    const byId = new Map(members.map((member) => [member.userId as string, member]));
    const idsOf = valuesBy(pairs, 'roster', 'user');
    return new Map(
      selected.map((group) => [
        group.id,
        (idsOf.get(rosterOf(group)) ?? []).flatMap((id) => byId.get(id) ?? []),
      ]),
    );
  };

  const findRosters = joinLookups<UserId, readonly string[]>(async (tenantId, userIds) => {
    const pairs = await memberships
      .find(
        { tenant: tenantId, user: { $in: [...userIds] } },
        { projection: ROSTER_AND_USER, batchSize: BATCH },
      )
      .toArray();
    return valuesBy(pairs, 'user', 'roster') as ReadonlyMap<UserId, readonly string[]>;
  });

  const readGroupsOf = async (tenantId: TenantId, userIds: readonly UserId[]) => {
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
  };

  return guarded<GroupReader>({
    find: async (tenantId, id) => {
      const found = await groups.findOne({ _id: id, tenant: tenantId });
      return found ? groupCodec.fromDocument(found) : undefined;
    },
    page: (tenantId, query) => readPage(tenantId, query),
    members: (group, { withNames }) => readMembers(group, withNames),
    membersOfAll: (selected, { withNames }) => readAllMembers(selected, withNames),
    groupsOf: (tenantId, userIds) => readGroupsOf(tenantId, userIds),
  });
};

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
