import type { UserQuery, UserReader } from '../api/users.js';
import { fold } from '../domain/fold.js';
import type { TenantId } from '../domain/ids.js';
import { reading } from './classify-error.js';
import type { Collections } from './collections.js';
import { type Condition, escapeExpression } from './filter-query.js';
import type { Order } from './keyset.js';
import { pageOfSome, type SomeQuery } from './page-of-some.js';
import { findPlace } from './order-of-creation.js';
import { type SearchCost, searchCostOf, type SearchIndexes } from './search-cost.js';
import { createSearchLimits, type SearchLimits } from './search-limits.js';
import { fromUserDocument, USER_PROJECTION } from './user-document.js';
import { userFilterQuery, userSortPlace } from './user-filter.js';

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
        const isWhole = !query.turn && !query.sort && conditionsOf(query).length === 0;
        return isWhole ? pageInOrder(tenantId, query) : pageOfFound(tenantId, query);
      }),
  };
};

const ACTIVE = 'profile.active';

const isCounted = ([only, ...others]: readonly Condition[]): boolean =>
  only === undefined || (others.length === 0 && typeof only[ACTIVE] === 'boolean');

/** One condition stands by itself, where the planner sees at once what it is. */
const togetherOf = (conditions: readonly Condition[]): Condition =>
  conditions.length > 1 ? { $and: conditions } : (conditions[0] ?? {});

/** What begins an index of users (collections.ts). */
const INDEXES: SearchIndexes = {
  selective: new Set([
    '_id',
    'n',
    'updatedAt',
    'folded.userName',
    'folded.email',
    'folded.emails.value',
    'folded.displayName',
    'folded.label',
    'profile.externalId',
  ]),
  unselective: new Set(['role', ACTIVE]),
};

/** The same, as those know it who ask. */
const INDEXED =
  'id, userName, externalId, displayName, emails.value and meta.lastModified (eq, sw, pr, gt, ge, ' +
  'lt, le), groups (eq), active and roles by themselves; natively email, external_id, active, role, q';

/** Places that a page may lie behind without its being a search. */
const NEAR = 10_000;

/** Of a page that an order has as it is: only what it skips is looked at. */
const costOfPlace = ({ offset, turn }: UserQuery): SearchCost =>
  turn !== undefined || offset <= NEAR ? 'point' : 'presence';

/** What a page of users makes the database look at. */
export const userSearchCost = (query: UserQuery): SearchCost => {
  const conditions = conditionsOf(query);
  return isCounted(conditions) ? costOfPlace(query) : searchCostOf(togetherOf(conditions), INDEXES);
};

const BY_CREATION: Order = { places: [{ field: 'n', form: 'exact' }], descending: false };

/** By these no two users of a tenant are level. */
const TELLING: ReadonlySet<string> = new Set(['n', '_id', 'folded.userName']);

const orderOf = (sort: UserQuery['sort']): Order => {
  if (!sort) return BY_CREATION;
  const place = userSortPlace(sort.attribute);
  const places = TELLING.has(place.field) ? [place] : [place, ...BY_CREATION.places];
  return { places, descending: sort.descending };
};

const someOf = (query: UserQuery): Omit<SomeQuery, 'budget'> => {
  const { offset, limit, sort, turn } = query;
  const hint = hintFor(query);
  const order = orderOf(sort);
  // The shadow is for the database alone, unless the place of the next page is read from it.
  const needsShadow = turn && order.places.some(({ field }) => field.startsWith('folded.'));
  return {
    offset,
    limit,
    order,
    ...(turn && { turn }),
    ...(hint && { hint }),
    ...(!needsShadow && { projection: USER_PROJECTION }),
  };
};

/** The index of each attribute that identity providers look users up by, one at a time. */
const LOOK_UPS: Readonly<Record<string, string>> = {
  userName: 'folded.userName',
  externalId: 'profile.externalId',
  displayName: 'folded.displayName',
  'emails.value': 'folded.emails.value',
};

/**
 * The index that answers a look-up by one value. Unasked, the database tries it out against the
 * order of the list, in every request anew.
 */
const hintFor = (query: UserQuery): Record<string, 1> | undefined => {
  const { filter, sort, turn, email, externalId, active, role, prefix } = query;
  const others = [sort, turn, email, externalId, active, role, prefix];
  if (others.some((other) => other !== undefined)) return undefined;
  if (filter?.kind !== 'compare' || filter.operator !== 'eq' || typeof filter.value !== 'string')
    return undefined;
  const field = LOOK_UPS[filter.attribute.path.join('.')];
  return field === undefined ? undefined : { tenant: 1, [field]: 1 };
};

const conditionsOf = (query: UserQuery): Condition[] => {
  const { filter, email, externalId, active, role, defaultRole, prefix } = query;
  const conditions: Condition[] = [];
  if (filter) conditions.push(userFilterQuery(filter, { defaultRole }));
  if (email !== undefined) conditions.push({ 'folded.email': fold(email) });
  if (externalId !== undefined) conditions.push({ 'profile.externalId': externalId });
  if (active !== undefined) conditions.push({ [ACTIVE]: active });
  if (role !== undefined)
    conditions.push({ role: role === defaultRole ? { $in: [null, role] } : role });
  if (prefix !== undefined) conditions.push(beginsWith(prefix));
  return conditions;
};

/** An anchored expression over the folded text runs on its index. */
const beginsWith = (prefix: string): Condition => {
  const expression = { $regex: `^${escapeExpression(fold(prefix))}` };
  return { $or: [{ 'folded.email': expression }, { 'folded.label': expression }] };
};
