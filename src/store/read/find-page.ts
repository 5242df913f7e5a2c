import type { PageCursors, Position, CursorRequest } from '../../ports/users.js';
import { raise } from '../../domain/kernel/refusals.js';
import type { Condition, FieldMapping } from './filter-query.js';
import type * as mongo from 'mongodb';
import type { AttributeReference, Filter } from '../../domain/kernel/filter.js';
import type { SearchCost, TimeBudget } from './search-limits.js';
import { readDocuments } from '../read-documents.js';

/** The order of a list: the fields it is sorted by, the last of them unique. */
export interface Order {
  readonly fields: readonly FieldMapping[];
  readonly descending: boolean;
}

/** For MongoDB, forward or backward. */
export const sortOf = (
  { fields, descending }: Order,
  isBackward = false,
): Readonly<Record<string, 1 | -1>> => {
  const direction = descending === isBackward ? 1 : -1;
  return Object.fromEntries(fields.map(({ field }) => [field, direction]));
};

const refusePosition = (): never =>
  raise('INVALID_REQUEST', 'This cursor is not valid. Request the first page again.', {
    scimType: 'invalidCursor',
  });

type Value = string | number | Date;

const valueAt = (position: Position, at: number, { form, field }: FieldMapping): Value => {
  const value = position[at];
  const isNumber = form === 'date' || field === 'n';
  if (typeof value !== (isNumber ? 'number' : 'string')) return refusePosition();
  return form === 'date' ? new Date(value as number) : (value as Value);
};

/**
 * Documents after a position in the order, or before it: beyond it in the first field, or equal
 * there and beyond it in the next. Never by counting, so no document is skipped (RFC 9865).
 */
const beyondCursor = (
  { fields, descending }: Order,
  cursorRequest: CursorRequest,
): Condition | undefined => {
  if (cursorRequest.to === 'first') return undefined;
  const { to, position } = cursorRequest;
  if (position.length !== fields.length) return refusePosition();
  const operator = (to === 'after') === descending ? '$lt' : '$gt';
  const values = fields.map((place, at) => valueAt(position, at, place));
  const branches = fields.map(({ field }, at) => ({
    ...Object.fromEntries(fields.slice(0, at).map((level, of) => [level.field, values[of]])),
    [field]: { [operator]: values[at] },
  }));
  const [only, ...more] = branches;
  // The first field bounds the index scan; alone it would not separate equal values.
  const [first] = fields;
  return more.length === 0 || !first
    ? only
    : { [first.field]: { [`${operator}e`]: values[0] }, $or: branches };
};

const fieldOf = (document: object, field: string): unknown =>
  field
    .split('.')
    .reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], document);

/** The position of a document in the order. */
const positionOf = ({ fields }: Order, document: object): Position =>
  fields.map(({ field }) => {
    const value = fieldOf(document, field);
    return value instanceof Date ? value.getTime() : (value as string | number);
  });

/** A page from the documents read for a cursor, which are one more than its limit. */
const toCursorPage = <Document extends object>(
  order: Order,
  cursorRequest: CursorRequest,
  { read, limit }: { readonly read: readonly Document[]; readonly limit: number },
): { readonly page: readonly Document[] } & PageCursors => {
  const hasMore = read.length > limit;
  const isBackward = cursorRequest.to === 'before';
  const page = isBackward ? read.slice(0, limit).reverse() : read.slice(0, limit);
  const [first, last] = [page[0], page.at(-1)];
  return {
    page,
    ...(last && (hasMore || isBackward) && { next: positionOf(order, last) }),
    ...(first &&
      (isBackward ? hasMore : cursorRequest.to === 'after') && {
        previous: positionOf(order, first),
      }),
  };
};

/** What lists of a resource are sorted by. */
export interface SortFields {
  /** The order of a list without `sort`. */
  readonly byDefault: readonly FieldMapping[];
  /** Fields that are unique in a tenant. */
  readonly unique: ReadonlySet<string>;
  /** Sorted by after a field that is not unique. */
  readonly tieBreaker: FieldMapping;
  readonly fieldOf: (attribute: AttributeReference) => FieldMapping;
}

export const orderOf = (
  { byDefault, unique, tieBreaker, fieldOf }: SortFields,
  sort: { readonly attribute: AttributeReference; readonly descending: boolean } | undefined,
): Order => {
  if (!sort) return { fields: byDefault, descending: false };
  const field = fieldOf(sort.attribute);
  const fields = unique.has(field.field) ? [field] : [field, tieBreaker];
  return { fields, descending: sort.descending };
};

/** The key of an index. */
export type LookupIndex = Readonly<Record<string, 1>>;

/**
 * The index of a filter that looks a document up by one value. Without a hint the database compares
 * it with the order of the list, in every request.
 */
export const lookupHint = (
  filter: Filter | undefined,
  indexes: Readonly<Record<string, LookupIndex>>,
): LookupIndex | undefined => {
  if (filter?.kind !== 'compare' || filter.operator !== 'eq' || typeof filter.value !== 'string')
    return undefined;
  return indexes[filter.attribute.path.join('.')];
};

/** Documents that a page may skip without counting as a search. */
const MAX_SKIPPED = 10_000;

/** Cost of a page without conditions: only skipped documents are examined. */
export const costOfPage = ({
  offset,
  cursorRequest,
}: Pick<PageQuery, 'offset' | 'cursorRequest'>): SearchCost =>
  cursorRequest !== undefined || offset <= MAX_SKIPPED ? 'point' : 'presence';

/** Selects a page of the documents that match. */
export interface PageQuery {
  /** Shares the time in which it is decoded with other pages of the tenant. */
  readonly tenant: string;
  readonly order: Order;
  readonly offset: number;
  /** 0: only the total. */
  readonly limit: number;
  /** Set: the page at this cursor, and `offset` is ignored. */
  readonly cursorRequest?: CursorRequest;
  /** The index to use, so that the planner need not choose one. */
  readonly hint?: Readonly<Record<string, 1>>;
  readonly projection?: mongo.Document;
  /** Number of documents, if a counter has it. */
  readonly countAll?: () => Promise<number>;
  /** For finding and counting together. */
  readonly budget: TimeBudget;
}

export interface FoundPage<Document> extends PageCursors {
  readonly page: readonly Document[];
  readonly total: number;
}

/** Which documents to read: those beyond a position, if there is one, in order or in reverse. */
export interface PageRange {
  readonly beyond?: Condition;
  readonly isBackward: boolean;
  readonly skip: number;
  readonly limit: number;
}

/** Finds and counts the documents that match. */
export interface Finder<Document> {
  readonly find: (slice: PageRange) => Promise<readonly Document[]>;
  readonly count: () => Promise<number>;
}

/** A page of the documents that a finder finds, and their total. */
export const readPage = async <Document extends object>(
  { find, count }: Finder<Document>,
  {
    order,
    offset,
    limit,
    cursorRequest,
  }: Pick<PageQuery, 'order' | 'offset' | 'limit' | 'cursorRequest'>,
): Promise<FoundPage<Document>> => {
  if (limit === 0) return { page: [], total: await count() };
  if (cursorRequest) {
    const beyond = beyondCursor(order, cursorRequest);
    const isBackward = cursorRequest.to === 'before';
    const read = await find({
      ...(beyond && { beyond }),
      isBackward,
      skip: 0,
      limit: limit + 1,
    });
    const { page, ...cursors } = toCursorPage(order, cursorRequest, { read, limit });
    const isAll = cursorRequest.to === 'first' && cursors.next === undefined;
    return { page, total: isAll ? page.length : await count(), ...cursors };
  }
  const page = await find({ isBackward: false, skip: offset, limit });
  // A page that is not full determines the total.
  const isLast = page.length < limit && (page.length > 0 || offset === 0);
  return { page, total: isLast ? offset + page.length : await count() };
};

/** A page of the documents that match conditions, and their total. */
export const findPage = async <Document extends mongo.Document>(
  collection: mongo.Collection<Document>,
  conditions: Condition,
  query: PageQuery,
): Promise<FoundPage<mongo.WithId<Document>>> => {
  const { order, hint, projection, budget, countAll, tenant } = query;
  const where = (further?: Condition) =>
    (further ? { $and: [conditions, further] } : conditions) as mongo.Filter<Document>;
  const bounds = () => ({ maxTimeMS: budget.left(), ...(hint && { hint }) });
  return readPage(
    {
      find: ({ beyond, isBackward, skip, limit }) =>
        readDocuments(
          collection
            .find(where(beyond), {
              ...bounds(),
              ...(projection && { projection }),
              // In one response: by default the database would return 101 and wait for the next
              // request.
              batchSize: limit + 1,
            })
            .sort(sortOf(order, isBackward))
            .skip(skip)
            .limit(limit),
          tenant,
        ),
      count: countAll ?? (() => collection.countDocuments(where(), bounds())),
    },
    query,
  );
};
