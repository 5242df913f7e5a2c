import type { UserQuery, UserReader } from '../api/users.js';
import type { TenantId } from '../domain/ids.js';
import { reading } from './classify-error.js';
import type { Collections } from './collections.js';
import type { Condition } from './filter-query.js';
import { pageOfSome } from './page-of-some.js';
import { findPlace } from './order-of-creation.js';
import { createSearchLimits, type SearchLimits } from './search-limits.js';
import { fromUserDocument, USER_PROJECTION } from './user-document.js';
import {
  ACTIVE,
  conditionsOf,
  INDEXED,
  isCounted,
  someOf,
  togetherOf,
  userSearchCost,
} from './user-query.js';
import { asksForGroups } from './user-groups-filter.js';
import { createPagesByGroup } from './users-by-group.js';

/** Reads of users, always within one tenant. */
export const mongoUserReader = (
  collections: Collections,
  limits: SearchLimits = createSearchLimits(),
): UserReader => {
  const { users, tenantState } = collections;

  const countAll = async (tenantId: TenantId) => {
    const state = await tenantState.findOne(
      { _id: tenantId },
      { projection: { userCount: 1, stretches: 1 } },
    );
    return { total: state?.userCount ?? 0, stretches: state?.stretches ?? {} };
  };

  /** How many there are, and how many of them are active: each active user takes a seat. */
  const readCounts = async (tenantId: TenantId) => {
    const projection = { userCount: 1, seatsProvisioned: 1 };
    const state = await tenantState.findOne({ _id: tenantId }, { projection });
    return { all: state?.userCount ?? 0, active: state?.seatsProvisioned ?? 0 };
  };

  /** Where the counts that are kept answer for a condition, or for none. */
  const counterFor = (tenantId: TenantId, conditions: readonly Condition[]) => {
    if (!isCounted(conditions)) return undefined;
    const isActive = conditions[0]?.[ACTIVE];
    return async () => {
      const { all, active } = await readCounts(tenantId);
      if (isActive === undefined) return all;
      return isActive === true ? active : all - active;
    };
  };

  /** Whatever the page, its place is found without counting up to it. */
  const pageInOrder = async (tenantId: TenantId, { offset, limit }: UserQuery) => {
    const { total, stretches } = await countAll(tenantId);
    if (limit === 0 || offset >= total) return { users: [], total };
    const { from, skip } = findPlace(stretches, offset);
    const found = await users
      .find({ tenant: tenantId, n: { $gte: from } }, { projection: USER_PROJECTION })
      .sort({ n: 1 })
      .skip(skip)
      .limit(limit)
      .toArray();
    return { users: found.map(fromUserDocument), total };
  };

  const pageOfFound = async (tenantId: TenantId, query: UserQuery) => {
    const conditions = conditionsOf(query);
    const all = togetherOf(conditions);
    const countAll = counterFor(tenantId, conditions);
    const search = {
      tenantId,
      cost: userSearchCost(query),
      size: async () => (await readCounts(tenantId)).all,
      things: 'users',
      indexed: INDEXED,
    };
    return limits.run(search, async (budget) => {
      const some = { ...someOf(query), budget, ...(countAll && { countAll }) };
      const { page, ...rest } = await pageOfSome(users, { tenant: tenantId, ...all }, some);
      return { users: page.map(fromUserDocument), ...rest };
    });
  };

  const pageByGroups = createPagesByGroup(
    collections,
    limits,
    async (tenantId) => (await readCounts(tenantId)).all,
  );

  return {
    find: (tenantId, id) =>
      reading(async () => {
        const found = await users.findOne(
          { _id: id, tenant: tenantId },
          { projection: USER_PROJECTION },
        );
        return found ? fromUserDocument(found) : undefined;
      }),
    page: (tenantId, query) =>
      reading(async () => {
        if (query.filter && asksForGroups(query.filter))
          return pageByGroups(tenantId, { ...query, filter: query.filter });
        const isWhole = !query.turn && !query.sort && conditionsOf(query).length === 0;
        return isWhole ? pageInOrder(tenantId, query) : pageOfFound(tenantId, query);
      }),
  };
};
