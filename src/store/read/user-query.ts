import type { UserQuery } from '../../api/users.js';
import { fold } from '../../domain/fold.js';
import { type Condition, escapeExpression } from './filter-query.js';
import type { Order } from './keyset.js';
import type { SomeQuery } from './find-page.js';
import { type SearchCost, searchCostOf, type SearchIndexes } from './search-cost.js';
import { USER_PROJECTION } from '../tables/users.js';
import { userFilterQuery, userSortField } from './user-filter.js';

export const ACTIVE = 'profile.active';

/** Whether the counts that are kept answer for these conditions. */
export const isCounted = ([only, ...others]: readonly Condition[]): boolean =>
  only === undefined || (others.length === 0 && typeof only[ACTIVE] === 'boolean');

/** One condition stands by itself, where the planner sees at once what it is. */
export const togetherOf = (conditions: readonly Condition[]): Condition =>
  conditions.length > 1 ? { $and: conditions } : (conditions[0] ?? {});

/** What begins an index of users (collections.ts). */
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

/** The same, as those know it who ask. */
export const INDEXED =
  'id, userName, externalId, displayName, emails.value and meta.lastModified (eq, sw, pr, gt, ge, ' +
  'lt, le), groups (eq), active and roles by themselves; natively email, external_id, active, role, q';

/** Places that a page may lie behind without its being a search. */
const NEAR = 10_000;

/** Of a page that an order has as it is: only what it skips is looked at. */
export const costOfPlace = ({ offset, turn }: UserQuery): SearchCost =>
  turn !== undefined || offset <= NEAR ? 'point' : 'presence';

/** What a page of users makes the database look at, given the query's conditions. */
export const userSearchCost = (query: UserQuery, conditions: readonly Condition[]): SearchCost =>
  isCounted(conditions) ? costOfPlace(query) : searchCostOf(togetherOf(conditions), INDEXES);

const BY_CREATION: Order = { fields: [{ field: 'n', form: 'exact' }], descending: false };

/** By these no two users of a tenant are level. */
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
  // The shadow is for the database alone, unless the place of the next page is read from it.
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

/** An anchored expression over the folded text runs on its index. */
const beginsWith = (prefix: string): Condition => {
  const expression = { $regex: `^${escapeExpression(fold(prefix))}` };
  return { $or: [{ 'folded.email': expression }, { 'folded.label': expression }] };
};
