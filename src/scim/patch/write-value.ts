import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json.js';
import type { Attribute, ResourceSchema } from '../attributes.js';
import type { Read } from '../read-value.js';
import { refuseValues } from '../refuse-input.js';
import { sameJson } from '../same-json.js';
import { valueAt, withValueAt } from '../value-at.js';

const pathOf = ({ reference }: Attribute): string => reference.path.join('.');

/** Takes an attribute's value away; refused where it is required (RFC 7644, 3.5.2.2). */
export const clear = (resource: JsonObject, attribute: Attribute): JsonObject => {
  if (attribute.required) {
    refuseValues([{ path: pathOf(attribute), message: 'is required and cannot be taken away' }]);
  }
  return withValueAt(resource, attribute.reference.path, undefined);
};

/** Where `value` says who or what is meant, another one takes nothing over from the former. */
const isAnother = (attribute: Attribute, before: JsonValue | undefined, parts: JsonObject) =>
  attribute.subAttributes.has('value') &&
  parts['value'] !== undefined &&
  isJsonObject(before) &&
  !sameJson(before['value'], parts['value']);

/** Parts that are not named stay as they are (RFC 7644, 3.5.2.1 and 3.5.2.3). */
const writeParts = (
  schema: ResourceSchema,
  resource: JsonObject,
  [attribute, parts]: readonly [Attribute, JsonObject],
): JsonObject => {
  const { path } = attribute.reference;
  const start = isAnother(attribute, valueAt(resource, path), parts)
    ? withValueAt(resource, path, undefined)
    : resource;
  return [...attribute.subAttributes.values()].reduce((written, part) => {
    const value = parts[part.name];
    return value === undefined ? written : writeSingle(schema, written, [part, value]);
  }, start);
};

/** Gives a single-valued attribute a value; null takes it away. */
export const writeSingle = (
  schema: ResourceSchema,
  resource: JsonObject,
  [attribute, value]: readonly [Attribute, Read],
): JsonObject => {
  if (value === null) return clear(resource, attribute);
  return isJsonObject(value)
    ? writeParts(schema, resource, [attribute, value])
    : withValueAt(resource, attribute.reference.path, value);
};
