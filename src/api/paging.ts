/**
 * A position in a sorted list: the sort values, then a unique value. Opaque to all but the reader that
 * returned it; the item at the position may have been deleted since.
 */
export type Position = readonly (string | number)[];

/**
 * Requests the first page, or the page after or before a position. Items that are added or removed
 * between two requests cause no gaps or duplicates (RFC 9865).
 */
export type CursorRequest =
  { readonly to: 'first' } | { readonly to: 'after' | 'before'; readonly position: Position };

/** The positions of adjacent pages; absent if there is none or none was requested. */
export interface PageCursors {
  /** Of the last item: the next page is after it. */
  readonly next?: Position;
  /** Of the first item: the previous page is before it. */
  readonly previous?: Position;
}
