import type { JsonObject } from '../domain/json.js';
import { MESSAGE_URNS } from './scimmy.js';

/** Where a page stands among all: by its number, or by the cursors beside it (RFC 9865, 2). */
export interface PagePlace {
  readonly total: number;
  readonly startIndex?: number;
  readonly nextCursor?: string;
  readonly previousCursor?: string;
}

/** Everything of a page but the resources on it. */
export const listHead = (count: number, { total, ...place }: PagePlace): JsonObject => ({
  schemas: [MESSAGE_URNS.list],
  totalResults: total,
  itemsPerPage: count,
  ...place,
});

/**
 * A page (RFC 7644, 3.4.2). `itemsPerPage` is the number returned, as the RFC says and Okta wants;
 * `Resources` is there even when empty, for Okta reads it unasked.
 */
export const listResponse = (resources: readonly JsonObject[], place: PagePlace): JsonObject => ({
  ...listHead(resources.length, place),
  Resources: resources,
});
