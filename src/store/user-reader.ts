import type { mongo } from 'mongoose';
import type { UserQuery, UserReader } from '../api/users.js';
import { fold } from '../domain/fold.js';
import type { TenantId } from '../domain/ids.js';
import { reading } from './classify-error.js';
import type { Collections } from './collections.js';
import type { UserDocument } from './documents.js';
import { escapeExpression } from './filter-query.js';
import type { Order } from './keyset.js';
import { pageOfSome, type SomeQuery } from './page-of-some.js';
import { findPlace } from './order-of-creation.js';
import { fromUserDocument, USER_PROJECTION } from './user-document.js';
import { userFilterQuery, userSortPlace } from './user-filter.js';

type Query = mongo.Filter<UserDocument>;

/** Reads of users, always within one tenant. */
export const mongoUserReader = (collections: Collections): UserReader => {
  const { users, tenantState } = collections;

  const countAll = async (tenantId: TenantId) => {
    const state = await tenantState.findOne(
      { _id: tenantId },
      { projection: { userCount: 1, stretches: 1 } },
    );
    return { total: state?.userCount ?? 0, stretches: state?.stretches ?? {} };
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
    const [only] = conditions;
    // One condition stands by itself, where the planner sees at once what it is.
    const all = conditions.length > 1 ? { $and: conditions } : only;
    const { page, ...rest } = await pageOfSome(
      users,
      { tenant: tenantId, ...all },
      {
        ...someOf(query),
        ...(!only && { countAll: async () => (await countAll(tenantId)).total }),
      },
    );
    return { users: page.map(fromUserDocument), ...rest };
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

const BY_CREATION: Order = { places: [{ field: 'n', form: 'exact' }], descending: false };

/** By these no two users of a tenant are level. */
const TELLING: ReadonlySet<string> = new Set(['n', '_id', 'folded.userName']);

const orderOf = (sort: UserQuery['sort']): Order => {
  if (!sort) return BY_CREATION;
  const place = userSortPlace(sort.attribute);
  const places = TELLING.has(place.field) ? [place] : [place, ...BY_CREATION.places];
  return { places, descending: sort.descending };
};

const someOf = (query: UserQuery): SomeQuery => {
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

const conditionsOf = (query: UserQuery): Query[] => {
  const { filter, email, externalId, active, role, defaultRole, prefix } = query;
  const conditions: object[] = [];
  if (filter) conditions.push(userFilterQuery(filter, { defaultRole }));
  if (email !== undefined) conditions.push({ 'folded.email': fold(email) });
  if (externalId !== undefined) conditions.push({ 'profile.externalId': externalId });
  if (active !== undefined) conditions.push({ 'profile.active': active });
  if (role !== undefined)
    conditions.push({ role: role === defaultRole ? { $in: [null, role] } : role });
  if (prefix !== undefined) conditions.push(beginsWith(prefix));
  return conditions;
};

/** An anchored expression over the folded text runs on its index. */
const beginsWith = (prefix: string): object => {
  const expression = { $regex: `^${escapeExpression(fold(prefix))}` };
  return { $or: [{ 'folded.email': expression }, { 'folded.label': expression }] };
};
