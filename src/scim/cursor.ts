import { createHash } from 'node:crypto';
import type { Position, CursorRequest } from '../api/paging.js';
import type { AttributeReference, Filter } from '../domain/kernel/filter.js';
import type { JsonValue } from '../domain/kernel/json.js';
import { raise } from '../domain/kernel/refusals.js';

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

/** Binds a cursor to its query: with a different one it would skip resources. */
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
