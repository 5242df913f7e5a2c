import { createHash } from 'node:crypto';
import type { Position, CursorRequest } from '../ports/users.js';
import type { AttributeReference, Filter } from '../domain/kernel/filter.js';
import { type JsonValue, isJsonObject } from '../domain/kernel/json.js';
import {
  raise,
  type ScimType,
  refusePath,
  refuseSyntax,
  refuseValues,
} from '../domain/kernel/refusals.js';
import { findAttribute, type ResourceSchema } from './attributes.js';
import { checkExpression } from './check-input.js';
import { readFilter } from './filter-reader.js';
import { type AttributeParameters, type Projection, readProjection } from './projection.js';

const refuseCursor = (message: string): never =>
  raise('INVALID_REQUEST', message, { scimType: 'invalidCursor' });

/** A cursor is valid only for the same types, filter and order (RFC 9865, 2). */
interface CursorQuery {
  readonly types: readonly string[];
  readonly filters: readonly (Filter | undefined)[];
  readonly sorts: readonly (
    { readonly attribute: AttributeReference; readonly descending: boolean } | undefined
  )[];
}

/**
 * Binds a cursor to its query: with a different one it would skip resources.
 *
 * @internal
 */
export const hashQuery = (query: CursorQuery): string =>
  createHash('sha256').update(JSON.stringify(query)).digest('base64url').slice(0, 16);

type Continuation = Exclude<CursorRequest, { readonly to: 'first' }>;

/** Opaque to clients and URL-safe. Contains the position, so the server keeps no state. */
const writeCursor = ({ to, position }: Continuation, queryHash: string): string =>
  Buffer.from(JSON.stringify([queryHash, to, ...position])).toString('base64url');

const isPosition = (values: readonly JsonValue[]): values is Position =>
  values.every((value) => typeof value === 'string' || typeof value === 'number');

const MAX_LENGTH = 8192;

const parse = (text: string): readonly JsonValue[] => {
  try {
    const parts = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as JsonValue;
    return Array.isArray(parts) ? (parts as readonly JsonValue[]) : [];
  } catch {
    return [];
  }
};

/**
 * Reads a cursor; an empty one requests the first page. Throws RefusalError INVALID_REQUEST
 * (invalidCursor) if it is malformed or belongs to a different filter or order.
 *
 * @internal
 */
export const readCursor = (text: string, queryHash: string): CursorRequest => {
  if (text === '') return { to: 'first' };
  const [givenHash, to, ...position] = text.length > MAX_LENGTH ? [] : parse(text);
  if ((to !== 'after' && to !== 'before') || !isPosition(position)) {
    return refuseCursor('The cursor is not valid. Use an empty cursor to get the first page.');
  }
  return givenHash === queryHash
    ? { to, position }
    : refuseCursor(
        'The cursor belongs to a different filter or order. Start again from the first page.',
      );
};

/** The cursors of the adjacent pages (RFC 9865, 2). */
export const pageCursors = (
  { next, previous }: { readonly next?: Position; readonly previous?: Position },
  queryHash: string,
): { readonly nextCursor?: string; readonly previousCursor?: string } => ({
  ...(next && { nextCursor: writeCursor({ to: 'after', position: next }, queryHash) }),
  ...(previous && { previousCursor: writeCursor({ to: 'before', position: previous }, queryHash) }),
});

/** Default page size. */
export const DEFAULT_COUNT = 100;
/** Maximum page size, advertised as `filter.maxResults` (decisions.md 3). */
export const MAX_RESULTS = 1_000;
/** As a parameter, an integer has at most 15 digits; all such integers are exact numbers. */
export const MAX_INTEGER = 999_999_999_999_999;
/** The most that MongoDB can skip. */
const MAX_START_INDEX = 2 ** 31 - 1;

/** The unparsed parameters of a search by lower-case name (RFC 7644, 3.4.2). */
export type SearchParameters = ReadonlyMap<string, unknown>;

/** A parsed search: filter, order, page and requested attributes. */
export interface ListQuery {
  readonly filter?: Filter;
  readonly sort?: { readonly attribute: AttributeReference; readonly descending: boolean };
  /** Counted from 1. */
  readonly startIndex: number;
  readonly count: number;
  readonly projection: Projection;
  /** Present if the client uses cursor pagination (RFC 9865); `startIndex` is then unused. */
  readonly cursor?: PageCursor;
}

interface PageCursor {
  readonly request: CursorRequest;
  /** Binds the cursors in the response to this query. */
  readonly queryHash: string;
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== '';

/** Accepts an integer as a number or a string: a query has only strings, a body may have either. */
const readInteger = (
  parameters: SearchParameters,
  name: string,
  scimType?: ScimType,
): number | undefined => {
  const value = parameters.get(name.toLowerCase());
  if (!isGiven(value)) return undefined;
  const isWhole =
    typeof value === 'string' ? /^-?\d{1,15}$/.test(value) : Number.isSafeInteger(value);
  return isWhole
    ? Number(value)
    : refuseValues([{ path: name, message: 'must be an integer' }], scimType);
};

const readText = (parameters: SearchParameters, name: string): string | undefined => {
  const value = parameters.get(name.toLowerCase());
  if (!isGiven(value)) return undefined;
  return typeof value === 'string'
    ? value
    : refuseValues([{ path: name, message: 'must be a string' }]);
};

/** `a,b` in a query, `["a","b"]` in a body. */
const readNames = (parameters: SearchParameters, name: string): readonly string[] => {
  const value = parameters.get(name.toLowerCase());
  if (!isGiven(value)) return [];
  const parts: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (!parts.every((part) => typeof part === 'string')) {
    return refuseValues([{ path: name, message: 'must be a list of attribute names' }]);
  }
  const text = parts.join(',');
  const error = checkExpression(text);
  if (error !== undefined) refusePath(`${name} is not valid: ${error}.`);
  return text.split(',').flatMap((part) => part.trim() || []);
};

const readAttributeParameters = (parameters: SearchParameters): AttributeParameters => ({
  attributes: readNames(parameters, 'attributes'),
  excludedAttributes: readNames(parameters, 'excludedAttributes'),
});

/**
 * Reads `attributes` and `excludedAttributes`, which every operation that returns a resource takes.
 */
export const projectionFrom = (schema: ResourceSchema, parameters: SearchParameters): Projection =>
  readProjection(schema, readAttributeParameters(parameters));

/** The type that is searched, and the other types in the same search. */
interface SearchedTypes {
  readonly schema: ResourceSchema;
  readonly otherSchemas?: readonly ResourceSchema[];
}

const readFilterOf = (
  { schema, otherSchemas = [] }: SearchedTypes,
  parameters: SearchParameters,
): Filter | undefined => {
  const text = readText(parameters, 'filter');
  // Not treated as "no filter": a client that takes the first match would get an arbitrary user.
  if (parameters.get('filter') === '') raise('INVALID_FILTER', 'The filter is empty.');
  if (text === undefined) return undefined;
  const error = checkExpression(text);
  if (error !== undefined) raise('INVALID_FILTER', `The filter is not valid: ${error}.`);
  return readFilter(text, schema, otherSchemas);
};

const sortableIn = (schema: ResourceSchema, text: string): AttributeReference | undefined => {
  const reference = findAttribute(schema, text)?.reference;
  return reference && schema.sortable.has(reference.path.join('.')) ? reference : undefined;
};

/**
 * Only indexed attributes that every resource has are sortable (decisions.md 3). Returns undefined
 * for a type that lacks the attribute, if another type in the search has it.
 */
const readSortBy = (
  { schema, otherSchemas = [] }: SearchedTypes,
  text: string,
): AttributeReference | undefined => {
  const found = sortableIn(schema, text);
  if (found ?? otherSchemas.some((other) => sortableIn(other, text))) return found;
  return refuseValues([
    { path: 'sortBy', message: `must be one of ${[...schema.sortable].join(', ')}` },
  ]);
};

const readOrder = (parameters: SearchParameters): boolean => {
  const order = readText(parameters, 'sortOrder')?.toLowerCase() ?? 'ascending';
  if (order === 'ascending' || order === 'descending') return order === 'descending';
  return refuseValues([{ path: 'sortOrder', message: 'must be ascending or descending' }]);
};

/** Whether the order is descending; false without `sortBy`. */
export const isDescending = (parameters: SearchParameters): boolean =>
  readText(parameters, 'sortBy') !== undefined && readOrder(parameters);

const readSort = (types: SearchedTypes, parameters: SearchParameters): ListQuery['sort'] => {
  const sortBy = readText(parameters, 'sortBy');
  const descending = readOrder(parameters);
  const attribute = sortBy === undefined ? undefined : readSortBy(types, sortBy);
  return attribute && { attribute, descending };
};

const clamp = (value: number, least: number, most: number): number =>
  Math.min(Math.max(value, least), most);

/** The `cursor` parameter; undefined for index pagination. */
const cursorIn = (parameters: SearchParameters): string | undefined => {
  const cursor = parameters.get('cursor');
  if (cursor === undefined || cursor === null) return undefined;
  if (isGiven(parameters.get('startindex'))) {
    refuseValues([{ path: 'cursor', message: 'must not be combined with startIndex' }]);
  }
  return typeof cursor === 'string'
    ? cursor
    : refuseValues([{ path: 'cursor', message: 'must be a string' }]);
};

/** The page size. With a cursor, an invalid one has its own scimType (RFC 9865, 2.1). */
const readCount = (parameters: SearchParameters): number => {
  const usesCursor = cursorIn(parameters) !== undefined;
  const scimType = usesCursor ? 'invalidCount' : 'invalidValue';
  return readInteger(parameters, 'count', scimType) ?? DEFAULT_COUNT;
};

type Conditions = Pick<ListQuery, 'filter' | 'sort'>;

/** Reads the cursor and checks that it belongs to this query (RFC 9865, 2). */
export const readCursorFor = (
  conditions: readonly (Conditions & Pick<SearchedTypes, 'schema'>)[],
  parameters: SearchParameters,
): PageCursor | undefined => {
  const text = cursorIn(parameters);
  if (text === undefined) return undefined;
  const queryHash = hashQuery({
    types: conditions.map(({ schema }) => schema.name),
    filters: conditions.map(({ filter }) => filter),
    sorts: conditions.map(({ sort }) => sort),
  });
  return { request: readCursor(text, queryHash), queryHash };
};

/** The filter and order for one type of a search. */
export const readConditions = (types: SearchedTypes, parameters: SearchParameters): Conditions => {
  const filter = readFilterOf(types, parameters);
  const sort = readSort(types, parameters);
  return { ...(filter && { filter }), ...(sort && { sort }) };
};

/** The start index and size of the page. */
export const readPage = (
  parameters: SearchParameters,
): Pick<ListQuery, 'startIndex' | 'count'> => ({
  startIndex: clamp(readInteger(parameters, 'startIndex') ?? 1, 1, MAX_START_INDEX),
  count: clamp(readCount(parameters), 0, MAX_RESULTS),
});

/**
 * Parses a search (RFC 7644, 3.4.2). A start index below 1 is 1, a negative count is 0, and a large
 * count is reduced to the maximum (3.4.2.4). Throws RefusalError INVALID_FILTER or INVALID_REQUEST.
 */
export const readListQuery = (schema: ResourceSchema, parameters: SearchParameters): ListQuery => {
  const conditions = readConditions({ schema }, parameters);
  const cursor = readCursorFor([{ schema, ...conditions }], parameters);
  return {
    ...conditions,
    ...readPage(parameters),
    projection: projectionFrom(schema, parameters),
    ...(cursor && { cursor }),
  };
};

/**
 * The parameters in the body of a search (RFC 7644, 3.4.3), by lower-case name. scimmy's reader
 * refuses `count: 0` (scimmy facts, 8).
 */
export const readSearchRequest = (body: unknown): SearchParameters => {
  if (!isJsonObject(body)) return refuseSyntax('The body must be a JSON object.');
  const parameters = new Map<string, unknown>();
  for (const [key, value] of Object.entries(body)) {
    const name = key.toLowerCase();
    if (parameters.has(name)) refuseValues([{ path: key, message: 'appears twice' }]);
    parameters.set(name, value);
  }
  return parameters;
};
