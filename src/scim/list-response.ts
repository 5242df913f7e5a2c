import type { JsonObject } from '../domain/json.js';
import { MESSAGE_URNS } from './scimmy.js';

/**
 * A page (RFC 7644, 3.4.2). `itemsPerPage` is the number returned, as the RFC says and Okta wants;
 * `Resources` is there even when empty, for Okta reads it unasked.
 */
export const listResponse = (
  resources: readonly JsonObject[],
  { total, startIndex }: { readonly total: number; readonly startIndex: number },
): JsonObject => ({
  schemas: [MESSAGE_URNS.list],
  totalResults: total,
  startIndex,
  itemsPerPage: resources.length,
  Resources: resources,
});
