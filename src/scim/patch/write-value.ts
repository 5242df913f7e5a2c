import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/kernel/json.js';
import type { Attribute, ResourceSchema } from '../attributes.js';
import type { ReadResult } from '../read-value.js';
import { refuseValues } from '../refuse-input.js';
import { sameJson } from '../same-json.js';
import { valueAt, withValueAt } from '../value-at.js';

const pathOf = ({ reference }: Attribute): string => reference.path.join('.');

/** Removes an attribute; refused if it is required (RFC 7644, 3.5.2.2). */
export const clear = (resource: JsonObject, attribute: Attribute): JsonObject => {
  if (attribute.required) {
    refuseValues([{ path: pathOf(attribute), message: 'is required and cannot be removed' }]);
  }
  return withValueAt(resource, attribute.reference.path, undefined);
};

/**
 * Whether a new `value` refers to something else, so that other sub-attributes must not be kept.
 */
const refersToAnother = (attribute: Attribute, before: JsonValue | undefined, values: JsonObject) =>
  attribute.subAttributes.has('value') &&
  values['value'] !== undefined &&
  isJsonObject(before) &&
  !sameJson(before['value'], values['value']);

/** Sub-attributes that are not named stay unchanged (RFC 7644, 3.5.2.1 and 3.5.2.3). */
const writeSubAttributes = (
  schema: ResourceSchema,
  resource: JsonObject,
  [attribute, values]: readonly [Attribute, JsonObject],
): JsonObject => {
  const { path } = attribute.reference;
  const start = refersToAnother(attribute, valueAt(resource, path), values)
    ? withValueAt(resource, path, undefined)
    : resource;
  return [...attribute.subAttributes.values()].reduce((written, subAttribute) => {
    const value = values[subAttribute.name];
    return value === undefined ? written : writeSingle(schema, written, [subAttribute, value]);
  }, start);
};

/** Sets a single-valued attribute; null removes it. */
export const writeSingle = (
  schema: ResourceSchema,
  resource: JsonObject,
  [attribute, value]: readonly [Attribute, ReadResult],
): JsonObject => {
  if (value === null) return clear(resource, attribute);
  return isJsonObject(value)
    ? writeSubAttributes(schema, resource, [attribute, value])
    : withValueAt(resource, attribute.reference.path, value);
};
