import type { UserQuery } from '../../ports/users.js';
import { fold } from '../../domain/kernel/names.js';
import { type Condition, escapeExpression, type FieldMapping } from './filter-query.js';
import {
  costOfPage,
  lookupHint,
  type LookupIndex,
  orderOf,
  type PageQuery,
  type SortFields,
} from './find-page.js';
import { type SearchCost, searchCostOf, type SearchIndexes } from './search-limits.js';
import { MAX_WORD_LENGTH, wordsIn } from '../../domain/kernel/name-words.js';
import { CUSTOM_ENTRIES, USER_PROJECTION } from '../tables/users.js';
import { userFilterQuery, userSortField } from './user-filter.js';

export const ACTIVE = 'profile.active';

/** Whether counters have the number of users that match these conditions. */
export const isCounted = ([only, ...others]: readonly Condition[]): boolean =>
  only === undefined || (others.length === 0 && typeof only[ACTIVE] === 'boolean');

/** A single condition is not wrapped, so that the planner recognises it at once. */
export const allOf = (conditions: readonly Condition[]): Condition =>
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
    'folded.label',
    'folded.words',
    `folded.${CUSTOM_ENTRIES}`,
    'profile.externalId',
  ]),
  shared: new Set([
    'updatedAt',
    'folded.emails.value',
    'folded.label',
    'folded.words',
    `folded.${CUSTOM_ENTRIES}`,
  ]),
  unselective: new Set(['role', ACTIVE]),
};

/** The same in the terms of the interfaces, for error messages. */
export const INDEXED =
  'id, userName, externalId, emails.value and meta.lastModified (eq, sw, pr, gt, ge, lt, le), ' +
  "displayName (the same except pr), single values of the tenant's extension (eq, sw, pr), groups (eq), active and roles by themselves; natively email, " +
  'external_id, active, role, q, search';

/** Whether the conditions are on a role, on being active, or on both: an index has them together. */
const isByRoleOrState = (conditions: readonly Condition[]): boolean =>
  conditions.flatMap(Object.keys).every((field) => INDEXES.unselective.has(field));

/** The cost of a page of users with these conditions. */
export const userSearchCost = (query: UserQuery, conditions: readonly Condition[]): SearchCost => {
  if (isCounted(conditions)) return costOfPage(query);
  return isByRoleOrState(conditions) ? 'presence' : searchCostOf(allOf(conditions), INDEXES);
};

const BY_CREATION: FieldMapping = { field: 'n', form: 'exact' };

export const SORT_FIELDS: SortFields = {
  byDefault: [BY_CREATION],
  unique: new Set(['n', '_id', 'folded.userName']),
  tieBreaker: BY_CREATION,
  fieldOf: userSortField,
};

export const pageQueryOf = (query: UserQuery): Omit<PageQuery, 'budget' | 'tenant'> => {
  const { offset, limit, sort, cursorRequest } = query;
  const hint = hintFor(query);
  const order = orderOf(SORT_FIELDS, sort);
  // `folded` is for queries only, unless the position of the next page is read from it.
  const needsFolded =
    cursorRequest && order.fields.some(({ field }) => field.startsWith('folded.'));
  return {
    offset,
    limit,
    order,
    ...(cursorRequest && { cursorRequest }),
    ...(hint && { hint }),
    ...(!needsFolded && { projection: USER_PROJECTION }),
  };
};

/** Indexes of the attributes by which identity providers look up single users. */
const LOOKUP_INDEXES: Readonly<Record<string, LookupIndex>> = {
  userName: { tenant: 1, 'folded.userName': 1 },
  externalId: { tenant: 1, 'profile.externalId': 1 },
  displayName: { tenant: 1, 'folded.label': 1, n: 1 },
  'emails.value': { tenant: 1, 'folded.emails.value': 1 },
};

/** The user name, folded, if the page is the one user who has it. */
export const userNameLookedUp = (query: UserQuery): string | undefined => {
  const { filter, offset, limit } = query;
  if (offset > 0 || limit === 0 || filter?.kind !== 'compare') return undefined;
  if (filter.attribute.path.join('.') !== 'userName' || !hintFor(query)) return undefined;
  return typeof filter.value === 'string' ? fold(filter.value) : undefined;
};

const hintFor = (query: UserQuery) => {
  const { filter, sort, cursorRequest, email, externalId, active, role, prefix, search } = query;
  const others = [sort, cursorRequest, email, externalId, active, role, prefix, search];
  const isLookup = others.every((other) => other === undefined);
  return isLookup ? lookupHint(filter, LOOKUP_INDEXES) : undefined;
};

export const conditionsOf = (query: UserQuery): Condition[] => {
  const { filter, email, externalId, active, role, defaultRole, prefix, search } = query;
  const conditions: Condition[] = [];
  if (filter) conditions.push(userFilterQuery(filter, { defaultRole }));
  if (email !== undefined) conditions.push({ 'folded.email': fold(email) });
  if (externalId !== undefined) conditions.push({ 'profile.externalId': externalId });
  if (active !== undefined) conditions.push({ [ACTIVE]: active });
  if (role !== undefined)
    conditions.push({ role: role === defaultRole ? { $in: [null, role] } : role });
  if (prefix !== undefined) conditions.push(beginsWith(prefix));
  if (search !== undefined) conditions.push(hasName(search));
  return conditions;
};

/** The address that the native interface shows is one of the addresses, or the user name. */
const NAME_FIELDS = ['folded.label', 'folded.userName', 'folded.emails.value'];

const beginning = (text: string) => ({ $regex: `^${escapeExpression(text)}` });

const beginsName = (text: string): Condition[] => [
  ...NAME_FIELDS.map((field) => ({ [field]: beginning(text) })),
  { 'folded.words': beginning(text.slice(0, MAX_WORD_LENGTH)) },
];

/** Further words narrow little and cost an index each. */
const MAX_WORDS = 4;

/**
 * Users with a name that begins with the text, or with words of names that begin with each of its
 * words, in any order. An anchored expression on a folded text uses its index; each alternative must
 * have one, else the whole tenant is read. Every user has a user name: saying so lets a partial index
 * be used.
 */
const hasName = (search: string): Condition => {
  const text = fold(search);
  const words = wordsIn(text).slice(0, MAX_WORDS);
  const everyWord = { $and: words.map((word) => ({ $or: beginsName(word) })) };
  return {
    'folded.userName': { $exists: true },
    $or: [...beginsName(text), ...(words.length > 0 ? [everyWord] : [])],
  };
};

/** Of those found by their indexes, the ones whose label or shown address begins with the text. */
const beginsWith = (prefix: string): Condition => {
  const starts = beginning(fold(prefix));
  return {
    'folded.userName': { $exists: true },
    $and: [
      { $or: NAME_FIELDS.map((field) => ({ [field]: starts })) },
      { $or: [{ 'folded.label': starts }, { 'folded.email': starts }] },
    ],
  };
};
