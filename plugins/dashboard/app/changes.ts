type Changes<Value> = Value extends readonly unknown[]
  ? Value
  : Value extends object
    ? { [Name in keyof Value]?: Changes<Value[Name]> }
    : Value;

type Fields = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

const changeOf = (before: unknown, after: unknown): unknown => {
  if (isObject(before) && isObject(after)) return changesOf(before, after);
  return typeof after === 'string' && after !== before ? after.trim() : after;
};

/**
 * What a form changes, and nothing else, for a PATCH that merges: the rest may have changed since
 * the form was opened. Changed texts lose their surrounding white space.
 */
export const changesOf = <Body extends object>(before: Body, after: Body): Changes<Body> => {
  const known = before as Fields;
  const changes = Object.entries(after).flatMap(([name, value]: readonly [string, unknown]) => {
    const change = changeOf(known[name], value);
    return isSame(known[name], value) || isSame(known[name], change) ? [] : [[name, change]];
  });
  return Object.fromEntries(changes) as Changes<Body>;
};

export const isEmpty = (changes: object): boolean => Object.keys(changes).length === 0;
