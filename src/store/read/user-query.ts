import type { UserQuery } from '../../api/users.js';
import { fold } from '../../domain/fold.js';
import { type Condition, escapeExpression } from './filter-query.js';
import type { Order } from './keyset.js';
import type { SomeQuery } from './find-page.js';
import { type SearchCost, searchCostOf, type SearchIndexes } from './search-cost.js';
import { USER_PROJECTION } from '../tables/users.js';
import { userFilterQuery, userSortField } from './user-filter.js';

export const ACTIVE = 'profile.active';

/** Whether counters have the number of users that match these conditions. */
export const isCounted = ([only, ...others]: readonly Condition[]): boolean =>
  only === undefined || (others.length === 0 && typeof only[ACTIVE] === 'boolean');

/** A single condition is not wrapped, so that the planner recognises it at once. */
export const togetherOf = (conditions: readonly Condition[]): Condition =>
  conditions.length > 1 ? { $and: conditions } : (conditions[0] ?? {});

/** The fields that start an index of users (tables/users.ts). */
export const INDEXES: SearchIndexes = {
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

/** The same in the terms of the interfaces, for error messages. */
export const INDEXED =
  'id, userName, externalId, displayName, emails.value and meta.lastModified (eq, sw, pr, gt, ge, ' +
  'lt, le), groups (eq), active and roles by themselves; natively email, external_id, active, role, q';

/** Users that a page may skip without counting as a search. */
const NEAR = 10_000;

/** Cost of a page without conditions: only skipped users are examined. */
export const costOfPlace = ({ offset, turn }: UserQuery): SearchCost =>
  turn !== undefined || offset <= NEAR ? 'point' : 'presence';

/** The cost of a page of users with these conditions. */
export const userSearchCost = (query: UserQuery, conditions: readonly Condition[]): SearchCost =>
  isCounted(conditions) ? costOfPlace(query) : searchCostOf(togetherOf(conditions), INDEXES);

const BY_CREATION: Order = { fields: [{ field: 'n', form: 'exact' }], descending: false };

/** Fields that are unique in a tenant. */
const TELLING: ReadonlySet<string> = new Set(['n', '_id', 'folded.userName']);

export const orderOf = (sort: UserQuery['sort']): Order => {
  if (!sort) return BY_CREATION;
  const place = userSortField(sort.attribute);
  const fields = TELLING.has(place.field) ? [place] : [place, ...BY_CREATION.fields];
  return { fields, descending: sort.descending };
};

export const someOf = (query: UserQuery): Omit<SomeQuery, 'budget'> => {
  const { offset, limit, sort, turn } = query;
  const hint = hintFor(query);
  const order = orderOf(sort);
  // `folded` is for queries only, unless the position of the next page is read from it.
  const needsShadow = turn && order.fields.some(({ field }) => field.startsWith('folded.'));
  return {
    offset,
    limit,
    order,
    ...(turn && { turn }),
    ...(hint && { hint }),
    ...(!needsShadow && { projection: USER_PROJECTION }),
  };
};

/** Indexes of the attributes by which identity providers look up single users. */
const LOOK_UPS: Readonly<Record<string, string>> = {
  userName: 'folded.userName',
  externalId: 'profile.externalId',
  displayName: 'folded.displayName',
  'emails.value': 'folded.emails.value',
};

/**
 * The index for a lookup by one value. Without a hint the database compares it with the order of
 * the list, in every request.
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

export const conditionsOf = (query: UserQuery): Condition[] => {
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

/** An anchored expression on a folded text uses its index. */
const beginsWith = (prefix: string): Condition => {
  const expression = { $regex: `^${escapeExpression(fold(prefix))}` };
  return { $or: [{ 'folded.email': expression }, { 'folded.label': expression }] };
};
