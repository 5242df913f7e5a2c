import type { Route, RouteResponse } from '../../routes/route.js';

/** `total rooms(id name)`: total, rooms, rooms.id and rooms.name. */
const pathsIn = (fields: string): ReadonlySet<string> => {
  const paths = new Set<string>();
  const parents: string[] = [];
  let last = '';
  for (const token of fields.match(/\w+|[()]/g) ?? []) {
    if (token === '(') parents.push(`${last}.`);
    else if (token === ')') parents.pop();
    else paths.add((last = (parents.at(-1) ?? '') + token));
  }
  return paths;
};

const pick = (paths: ReadonlySet<string>, value: unknown, at = ''): unknown => {
  if (Array.isArray(value)) return value.map((one: unknown) => pick(paths, one, at));
  if (typeof value !== 'object' || value === null) return value;
  const shown = Object.entries(value).filter(([name]) => paths.has(at + name));
  return Object.fromEntries(shown.map(([name, own]) => [name, pick(paths, own, `${at}${name}.`)]));
};

/** A response to the administrator of a customer: the fields that its route lists, and nothing else. */
export const customerResponse = (
  { forCustomers }: Pick<Route, 'forCustomers'>,
  { body, list, stream: _stream, file: _file, ...response }: RouteResponse,
): RouteResponse => {
  const paths = pathsIn(forCustomers?.fields ?? '');
  const itemsOf = async function* ({ name, items }: NonNullable<typeof list>) {
    for await (const item of items) yield pick(paths, item, `${name}.`);
  };
  return {
    ...response,
    ...(body !== undefined && { body: pick(paths, body) }),
    ...(list && {
      list: {
        name: list.name,
        items: itemsOf(list),
        rest: (count) => pick(paths, list.rest(count)) as ReturnType<typeof list.rest>,
      },
    }),
  };
};
