import { createHash } from 'node:crypto';
import type { Position, Turn } from '../api/paging.js';
import type { AttributeReference, Filter } from '../domain/filter.js';
import type { JsonValue } from '../domain/json.js';
import { raise } from '../domain/refusals.js';

const refuseCursor = (message: string): never =>
  raise('INVALID_REQUEST', message, { scimType: 'invalidCursor' });

/** What a cursor holds for: the same types, filter and order (RFC 9865, 2). */
interface Asked {
  readonly types: readonly string[];
  readonly filters: readonly (Filter | undefined)[];
  readonly sorts: readonly (
    { readonly attribute: AttributeReference; readonly descending: boolean } | undefined
  )[];
}

/** A mark of the query that a cursor was made for: with another one it would pass over people. */
export const bondOf = (asked: Asked): string =>
  createHash('sha256').update(JSON.stringify(asked)).digest('base64url').slice(0, 16);

type Onward = Exclude<Turn, { readonly to: 'first' }>;

/** Opaque to clients and safe in a URL. It says where to go on, so that we need to remember nothing. */
export const writeCursor = ({ to, position }: Onward, bond: string): string =>
  Buffer.from(JSON.stringify([bond, to, ...position])).toString('base64url');

const isPosition = (values: readonly JsonValue[]): values is Position =>
  values.every((value) => typeof value === 'string' || typeof value === 'number');

const LONGEST = 8192;

const parse = (text: string): readonly JsonValue[] => {
  try {
    const parts = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as JsonValue;
    return Array.isArray(parts) ? (parts as readonly JsonValue[]) : [];
  } catch {
    return [];
  }
};

/**
 * The page that a cursor asks for; an empty one is the first. Throws RefusalError INVALID_REQUEST with
 * invalidCursor where it is none of ours, or is for another filter or order.
 */
export const readCursor = (text: string, bond: string): Turn => {
  if (text === '') return { to: 'first' };
  const [given, to, ...position] = text.length > LONGEST ? [] : parse(text);
  if ((to !== 'after' && to !== 'before') || !isPosition(position)) {
    return refuseCursor('This is no cursor of ours; an empty one asks for the first page.');
  }
  return given === bond
    ? { to, position }
    : refuseCursor('This cursor is for another filter or order; ask for the first page again.');
};

/** The cursors to the pages beside this one, as an answer names them (RFC 9865, 2). */
export const cursorsBeside = (
  { next, previous }: { readonly next?: Position; readonly previous?: Position },
  bond: string,
): { readonly nextCursor?: string; readonly previousCursor?: string } => ({
  ...(next && { nextCursor: writeCursor({ to: 'after', position: next }, bond) }),
  ...(previous && { previousCursor: writeCursor({ to: 'before', position: previous }, bond) }),
});
