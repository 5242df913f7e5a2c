import { isJsonObject } from './json.js';

const without = (value: object): [string, unknown][] =>
  Object.entries(value).filter(([, member]) => member !== undefined);

/** Whether two pieces of plain data say the same; the order of an object's keys says nothing. */
export const isSame = (one: unknown, other: unknown): boolean => {
  if (one === other) return true;
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((item, at) => isSame(item, other[at]));
  if (!isJsonObject(one) || !isJsonObject(other)) return false;
  const members = without(one);
  return (
    members.length === without(other).length &&
    members.every(([key, member]) => Object.hasOwn(other, key) && isSame(member, other[key]))
  );
};
