import type { Turn } from '../api/paging.js';
import type { AttributeReference, Filter } from '../domain/filter.js';
import { raise, type ScimType } from '../domain/refusals.js';
import { findAttribute, type ResourceSchema } from './attributes.js';
import { bondOf, readCursor } from './cursor.js';
import { readFilter } from './filter-reader.js';
import { type AskedNames, type Projection, readProjection } from './projection.js';
import { refusePath, refuseValues } from './refuse-input.js';
import { screenExpression } from './screen.js';

/** How many a page has when nobody says. */
export const USUAL_COUNT = 100;
/** The largest page, told as `filter.maxResults` (decisions.md 3). */
export const MAX_RESULTS = 1_000;
/** What a database can skip; nobody has that many. */
const LAST_INDEX = 2 ** 31 - 1;

/** The parameters of a search as they came, by their names in lower case (RFC 7644, 3.4.2). */
export type SearchParameters = ReadonlyMap<string, unknown>;

/** Which resources are asked for, in which order, which page, which part of each. */
export interface ListQuery {
  readonly filter?: Filter;
  readonly sort?: { readonly attribute: AttributeReference; readonly descending: boolean };
  /** Counted from 1. */
  readonly startIndex: number;
  readonly count: number;
  readonly projection: Projection;
  /** Present: pages are turned by cursors (RFC 9865), and `startIndex` says nothing. */
  readonly cursor?: Cursor;
}

export interface Cursor {
  readonly turn: Turn;
  /** What the cursors in the answer are to hold for. */
  readonly bond: string;
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== '';

/** A whole number, as number or text: a query has nothing but text, and a body may have either. */
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
    : refuseValues([{ path: name, message: 'must be a whole number' }], scimType);
};

const readText = (parameters: SearchParameters, name: string): string | undefined => {
  const value = parameters.get(name.toLowerCase());
  if (!isGiven(value)) return undefined;
  return typeof value === 'string'
    ? value
    : refuseValues([{ path: name, message: 'must be a text' }]);
};

/** `a,b` in a query, `["a","b"]` in a body. */
const readNames = (parameters: SearchParameters, name: string): readonly string[] => {
  const value = parameters.get(name.toLowerCase());
  if (!isGiven(value)) return [];
  const parts: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (!parts.every((part) => typeof part === 'string')) {
    return refuseValues([{ path: name, message: 'must be names of attributes' }]);
  }
  const text = parts.join(',');
  const why = screenExpression(text);
  if (why !== undefined) refusePath(`${name} cannot be read: ${why}.`);
  return text.split(',').flatMap((part) => part.trim() || []);
};

const readNamesAsked = (parameters: SearchParameters): AskedNames => ({
  attributes: readNames(parameters, 'attributes'),
  excludedAttributes: readNames(parameters, 'excludedAttributes'),
});

/** `attributes` and `excludedAttributes`, which every operation that answers a resource takes. */
export const readAskedPart = (schema: ResourceSchema, parameters: SearchParameters): Projection =>
  readProjection(schema, readNamesAsked(parameters));

/** The type that is searched, and the others that are searched with it. */
export interface SearchedTypes {
  readonly schema: ResourceSchema;
  readonly others?: readonly ResourceSchema[];
}

const readFilterOf = (
  { schema, others = [] }: SearchedTypes,
  parameters: SearchParameters,
): Filter | undefined => {
  const text = readText(parameters, 'filter');
  // An empty filter is a mistake, not a wish for everybody: whoever takes the first hit must know.
  if (parameters.get('filter') === '') raise('INVALID_FILTER', 'The filter is empty.');
  if (text === undefined) return undefined;
  const why = screenExpression(text);
  if (why !== undefined) raise('INVALID_FILTER', `The filter cannot be read: ${why}.`);
  return readFilter(text, schema, others);
};

const sortableIn = (schema: ResourceSchema, text: string): AttributeReference | undefined => {
  const reference = findAttribute(schema, text)?.reference;
  return reference && schema.sortable.has(reference.path.join('.')) ? reference : undefined;
};

/**
 * Attributes that have an index and that every resource has (decisions.md 3). Of types that have it
 * not, but are searched with one that does, none comes before another.
 */
const readSortBy = (
  { schema, others = [] }: SearchedTypes,
  text: string,
): AttributeReference | undefined => {
  const found = sortableIn(schema, text);
  if (found ?? others.some((other) => sortableIn(other, text))) return found;
  return refuseValues([
    { path: 'sortBy', message: `must be one of ${[...schema.sortable].join(', ')}` },
  ]);
};

const readOrder = (parameters: SearchParameters): boolean => {
  const order = readText(parameters, 'sortOrder')?.toLowerCase() ?? 'ascending';
  if (order === 'ascending' || order === 'descending') return order === 'descending';
  return refuseValues([{ path: 'sortOrder', message: 'must be ascending or descending' }]);
};

/** Whether the last are to come first; false where nothing is to be sorted. */
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

/** The cursor that was given: undefined where pages are found by numbers. */
export const cursorIn = (parameters: SearchParameters): string | undefined => {
  const cursor = parameters.get('cursor');
  if (cursor === undefined || cursor === null) return undefined;
  if (isGiven(parameters.get('startindex'))) {
    refuseValues([{ path: 'cursor', message: 'excludes startIndex: give one of them' }]);
  }
  return typeof cursor === 'string'
    ? cursor
    : refuseValues([{ path: 'cursor', message: 'must be a text' }]);
};

/** How many a page is to have; with a cursor a bad one has a word of its own (RFC 9865, 2.1). */
const readCount = (parameters: SearchParameters): number => {
  const isByCursor = cursorIn(parameters) !== undefined;
  const scimType = isByCursor ? 'invalidCount' : 'invalidValue';
  return readInteger(parameters, 'count', scimType) ?? USUAL_COUNT;
};

type Condition = Pick<ListQuery, 'filter' | 'sort'>;

/** The cursor, held against what is asked for with it (RFC 9865, 2). */
export const readCursorFor = (
  asked: readonly (Condition & Pick<SearchedTypes, 'schema'>)[],
  parameters: SearchParameters,
): Cursor | undefined => {
  const text = cursorIn(parameters);
  if (text === undefined) return undefined;
  const bond = bondOf({
    types: asked.map(({ schema }) => schema.name),
    filters: asked.map(({ filter }) => filter),
    sorts: asked.map(({ sort }) => sort),
  });
  return { turn: readCursor(text, bond), bond };
};

/** What one of several types that are searched at once is asked for, without its page. */
export const readConditions = (types: SearchedTypes, parameters: SearchParameters): Condition => {
  const filter = readFilterOf(types, parameters);
  const sort = readSort(types, parameters);
  return { ...(filter && { filter }), ...(sort && { sort }) };
};

/** Which page, by its number and size. */
export const readPage = (
  parameters: SearchParameters,
): Pick<ListQuery, 'startIndex' | 'count'> => ({
  startIndex: clamp(readInteger(parameters, 'startIndex') ?? 1, 1, LAST_INDEX),
  count: clamp(readCount(parameters), 0, MAX_RESULTS),
});

/**
 * What a search asks for (RFC 7644, 3.4.2). A page that begins before the first is the first, a
 * negative count is none, a large one is cut (3.4.2.4); what is no number is refused. Throws
 * RefusalError INVALID_FILTER or INVALID_REQUEST.
 */
export const readListQuery = (schema: ResourceSchema, parameters: SearchParameters): ListQuery => {
  const conditions = readConditions({ schema }, parameters);
  const cursor = readCursorFor([{ schema, ...conditions }], parameters);
  return {
    ...conditions,
    ...readPage(parameters),
    projection: readAskedPart(schema, parameters),
    ...(cursor && { cursor }),
  };
};
