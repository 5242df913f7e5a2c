import type { mongo } from 'mongoose';
import type { UserQuery, UserReader } from '../api/users.js';
import { fold } from '../domain/fold.js';
import type { TenantId } from '../domain/ids.js';
import { reading } from './classify-error.js';
import type { Collections } from './collections.js';
import type { UserDocument } from './documents.js';
import { escapeExpression, filterQuery, sortField } from './filter-query.js';
import { findPlace } from './order-of-creation.js';
import { fromUserDocument, USER_PROJECTION } from './user-document.js';

type Query = mongo.Filter<UserDocument>;

/** A filter without an index stops here, in milliseconds (scimmy facts, 6). */
const MOST_TIME = 5_000;

/** Reads of users, always within one tenant. */
export const mongoUserReader = (collections: Collections): UserReader => {
  const { users, tenantState } = collections;

  const pageInOrder = async (tenantId: TenantId, { offset, limit }: UserQuery) => {
    const state = await tenantState.findOne(
      { _id: tenantId },
      { projection: { userCount: 1, stretches: 1 } },
    );
    const total = state?.userCount ?? 0;
    if (limit === 0 || offset >= total) return { users: [], total };
    const { from, skip } = findPlace(state?.stretches ?? {}, offset);
    const found = await users
      .find({ tenant: tenantId, n: { $gte: from } }, { projection: USER_PROJECTION })
      .sort({ n: 1 })
      .skip(skip)
      .limit(limit)
      .toArray();
    return { users: found.map(fromUserDocument), total };
  };

  const pageOfSome = async (conditions: Query, query: UserQuery) => {
    const { offset, limit, sort } = query;
    const hint = hintFor(query);
    const options = { projection: USER_PROJECTION, maxTimeMS: MOST_TIME, ...(hint && { hint }) };
    const cursor = users.find(conditions, options).sort(orderOf(sort)).skip(offset).limit(limit);
    const found = limit === 0 ? [] : await cursor.toArray();
    // A page that is not full tells the total by itself.
    const isLast = limit > 0 && found.length < limit && (found.length > 0 || offset === 0);
    const total = isLast
      ? offset + found.length
      : await users.countDocuments(conditions, { maxTimeMS: MOST_TIME, ...(hint && { hint }) });
    return { users: found.map(fromUserDocument), total };
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
        const conditions = conditionsOf(query);
        if (conditions.length === 0 && !query.sort) return pageInOrder(tenantId, query);
        const [only] = conditions;
        // One condition stands by itself, where the planner sees at once what it is.
        const all = conditions.length === 1 ? only : { $and: conditions };
        return pageOfSome({ tenant: tenantId, ...(conditions.length > 0 ? all : {}) }, query);
      }),
  };
};

const orderOf = (sort: UserQuery['sort']): Record<string, 1 | -1> => {
  if (!sort) return { n: 1 };
  const field = sortField(sort.attribute);
  return { [field]: sort.descending ? -1 : 1, ...(field === 'n' ? {} : { n: 1 }) };
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
  const { filter, sort, email, externalId, active, role, prefix } = query;
  const others = [sort, email, externalId, active, role, prefix];
  if (others.some((other) => other !== undefined)) return undefined;
  if (filter?.kind !== 'compare' || filter.operator !== 'eq' || typeof filter.value !== 'string')
    return undefined;
  const field = LOOK_UPS[filter.attribute.path.join('.')];
  return field === undefined ? undefined : { tenant: 1, [field]: 1 };
};

const conditionsOf = (query: UserQuery): Query[] => {
  const { filter, email, externalId, active, role, defaultRole, prefix } = query;
  const conditions: object[] = [];
  if (filter) conditions.push(filterQuery(filter, { defaultRole }));
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
