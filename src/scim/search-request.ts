import { isJsonObject } from '../domain/kernel/json.js';
import type { SearchParameters } from './list-query.js';
import { refuseSyntax, refuseValues } from './refuse-input.js';

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
