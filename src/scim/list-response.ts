import type { JsonObject } from '../domain/kernel/json.js';
import { MESSAGE_URNS } from './scimmy.js';

/** The position of a page: its start index, or the cursors of the adjacent pages (RFC 9865, 2). */
export interface PagePosition {
  readonly total: number;
  readonly startIndex?: number;
  readonly nextCursor?: string;
  readonly previousCursor?: string;
}

/** A page without its resources. */
export const listEnvelope = (count: number, { total, ...position }: PagePosition): JsonObject => ({
  schemas: [MESSAGE_URNS.list],
  totalResults: total,
  itemsPerPage: count,
  ...position,
});

/**
 * A page (RFC 7644, 3.4.2). `itemsPerPage` is the number returned, as the RFC defines and Okta
 * expects. `Resources` is present even if empty, because Okta reads it unconditionally.
 */
export const listResponse = (
  resources: readonly JsonObject[],
  position: PagePosition,
): JsonObject => ({
  ...listEnvelope(resources.length, position),
  Resources: resources,
});
