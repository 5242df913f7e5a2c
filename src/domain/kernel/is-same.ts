import { isJsonObject } from './json.js';

const definedEntries = (value: object): [string, unknown][] =>
  Object.entries(value).filter(([, member]) => member !== undefined);

/** Deep equality of plain data and dates. Undefined members and the order of keys do not matter. */
export const isSame = (one: unknown, other: unknown): boolean => {
  if (one === other) return true;
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((item, at) => isSame(item, other[at]));
  if (one instanceof Date && other instanceof Date) return one.getTime() === other.getTime();
  if (!isJsonObject(one) || !isJsonObject(other)) return false;
  const members = definedEntries(one);
  return (
    members.length === definedEntries(other).length &&
    members.every(([key, member]) => Object.hasOwn(other, key) && isSame(member, other[key]))
  );
};
