import type { CustomerFields, Route, RouteResponse, StreamedList } from '../../routes/route.js';

const isValue = (value: unknown): boolean =>
  Array.isArray(value) ? value.every(isValue) : typeof value !== 'object' || value === null;

/** What is neither null nor of objects has no fields. */
const pick = (fields: CustomerFields, value: unknown): unknown => {
  if (Array.isArray(value)) return value.map((one: unknown) => pick(fields, one));
  if (typeof value !== 'object' || value === null) return null;
  const given = new Map<string, unknown>(Object.entries(value));
  const picked = Object.entries(fields).flatMap(([name, inner]) => {
    const own = given.get(name);
    if (own === undefined || (inner === true && !isValue(own))) return [];
    return [[name, inner === true ? own : pick(inner, own)] as const];
  });
  return Object.fromEntries(picked);
};

const pickEach = async function* (
  fields: CustomerFields,
  items: AsyncIterable<unknown>,
): AsyncIterable<unknown> {
  for await (const item of items) yield pick(fields, item);
};

const pickList = (fields: CustomerFields, { name, items, rest }: StreamedList): StreamedList => {
  const ofItem = fields[name];
  return {
    name,
    items: pickEach(typeof ofItem === 'object' ? ofItem : {}, items),
    rest: (count) => pick(fields, rest(count)) as Readonly<Record<string, unknown>>,
  };
};

/** A response to the administrator of a customer: what its route lists for them, and nothing else. */
export const customerResponse = (
  { forCustomers }: Pick<Route, 'forCustomers'>,
  { body, list, stream: _stream, file: _file, ...response }: RouteResponse,
): RouteResponse => {
  const fields = forCustomers?.fields ?? {};
  return {
    ...response,
    ...(body !== undefined && { body: pick(fields, body) }),
    ...(list && { list: pickList(fields, list) }),
  };
};
