import { isJsonObject, type JsonObject, type JsonValue } from '../domain/kernel/json.js';

type OptionalJson = JsonValue | undefined;

const sameList = (left: readonly JsonValue[], right: readonly JsonValue[]): boolean =>
  left.length === right.length && left.every((value, at) => sameJson(value, right[at]));

const definedKeys = (object: JsonObject): readonly string[] =>
  Object.keys(object).filter((key) => object[key] !== undefined);

const sameObject = (left: JsonObject, right: JsonObject): boolean => {
  const keys = definedKeys(left);
  return (
    keys.length === definedKeys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && sameJson(left[key], right[key]))
  );
};

/** Whether two values are equal, regardless of the order of object members. */
export const sameJson = (left: OptionalJson, right: OptionalJson): boolean => {
  if (left === right) return true;
  if (Array.isArray(left)) {
    return Array.isArray(right) && sameList(left as JsonValue[], right as JsonValue[]);
  }
  return isJsonObject(left) && isJsonObject(right) && sameObject(left, right);
};
