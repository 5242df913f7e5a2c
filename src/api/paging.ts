/**
 * A place in the order of a list: what it is sorted by there, then what tells equals apart. Only the
 * reader that told it understands it; nobody needs to be there any more.
 */
export type Position = readonly (string | number)[];

/**
 * Which page of a list that is turned page by page: the first, or the one next to a place. So no
 * one is passed over and no one comes twice, whoever comes or goes meanwhile (RFC 9865).
 */
export type Turn =
  { readonly to: 'first' } | { readonly to: 'after' | 'before'; readonly position: Position };

/** Where the neighbours of a page begin; absent: there is none, or nobody asked. */
export interface Neighbours {
  /** Of the last one on this page: the next page comes after it. */
  readonly next?: Position;
  /** Of the first one on this page: the previous page ends before it. */
  readonly previous?: Position;
}
