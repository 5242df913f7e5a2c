import type { JsonObject, JsonValue } from '../domain/kernel/json.js';
import { refuseValues } from './refuse-input.js';

/**
 * Picks the members with these names, which are case-insensitive (RFC 7643, 2.1): ignoring the
 * `Value` of a remove would remove every member. A name that appears in two spellings is refused as
 * ambiguous. `pathPrefix` precedes the name in the error.
 */
export const pickIgnoringCase = <Name extends string>(
  object: JsonObject,
  names: readonly Name[],
  pathPrefix = '',
): { readonly [Known in Name]?: JsonValue } => {
  const found: { [Known in Name]?: JsonValue } = {};
  for (const [key, value] of Object.entries(object)) {
    const folded = key.toLowerCase();
    const name = names.find((each) => each.toLowerCase() === folded);
    if (name === undefined || value === undefined) continue;
    if (Object.hasOwn(found, name))
      refuseValues([{ path: `${pathPrefix}${name}`, message: 'appears twice' }]);
    found[name] = value;
  }
  return found;
};
