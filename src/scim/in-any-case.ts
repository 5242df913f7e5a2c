import type { JsonObject, JsonValue } from '../domain/json.js';
import { refuseValues } from './refuse-input.js';

/**
 * The members of these names, in whatever case they are written: names have none (RFC 7643, 2.1), and
 * to pass over the `Value` of a remove would take everybody away. One that is there in two ways is
 * refused, for nobody is to guess which is meant. `place` is told before the name.
 */
export const inAnyCase = <Name extends string>(
  object: JsonObject,
  names: readonly Name[],
  place = '',
): { readonly [Known in Name]?: JsonValue } => {
  const found: { [Known in Name]?: JsonValue } = {};
  for (const [key, value] of Object.entries(object)) {
    const folded = key.toLowerCase();
    const name = names.find((each) => each.toLowerCase() === folded);
    if (name === undefined || value === undefined) continue;
    if (Object.hasOwn(found, name))
      refuseValues([{ path: `${place}${name}`, message: 'is given twice' }]);
    found[name] = value;
  }
  return found;
};
