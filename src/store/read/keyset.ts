import type { PageCursors, Position, CursorRequest } from '../../api/paging.js';
import { raise } from '../../domain/kernel/refusals.js';
import type { Condition, FieldMapping } from './filter-query.js';

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
export const beyondCursor = (
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
export const toCursorPage = <Document extends object>(
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
