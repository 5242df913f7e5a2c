import { expect, it } from 'vitest';
import { z } from 'zod';
import { describeExtensions } from '../../tools/shared/describe-extensions.js';
import { customerResponse } from '../../src/http/routing/customer-response.js';
import type { Route } from '../../src/routes/route.js';
import { routesWith, titleOf } from '../support/route-requests.js';

const extensions = await describeExtensions();
const ROUTES = routesWith(extensions).filter(
  ({ api, forCustomers }) => api === 'operators' && forCustomers,
);

interface JsonSchema {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
}

/** The names of all fields, with those of objects and of objects in lists. */
const namesIn = (schema: JsonSchema, root = schema, before = ''): readonly string[] => {
  const { $ref, properties = {}, items, anyOf = [] } = schema;
  const named = $ref === undefined ? undefined : root.$defs?.[$ref.replace('#/$defs/', '')];
  return [
    ...Object.entries(properties).flatMap(([name, inner]) => {
      const names = namesIn(inner, root, `${before}${name}.`);
      return names.length > 0 ? names : [`${before}${name}`];
    }),
    ...[named, items, ...anyOf].flatMap((one) => (one ? namesIn(one, root, before) : [])),
  ];
};

const fieldsOf = ({ responses }: Route): ReadonlySet<string> =>
  new Set(
    Object.values(responses).flatMap(({ body }) =>
      body ? namesIn(z.toJSONSchema(body, { io: 'output' }) as JsonSchema) : [],
    ),
  );

/** `total rooms(id name)`: total, rooms.id and rooms.name. */
const listed = (fields: string): readonly string[] => {
  const parents: string[] = [];
  return fields.split(/ |(?<=\()|(?=\))/).flatMap((part) => {
    if (part.endsWith('(')) parents.push(`${parents.at(-1) ?? ''}${part.slice(0, -1)}.`);
    else if (part === ')') parents.pop();
    else if (part !== '') return [`${parents.at(-1) ?? ''}${part}`];
    return [];
  });
};

it('the fields of each response that customers get, and do not get, are listed', async () => {
  const lines = ROUTES.map((route) => {
    const shown = listed(route.forCustomers?.fields ?? '');
    const all = fieldsOf(route);
    // Nothing is listed that does not exist.
    expect(shown.filter((name) => !all.has(name))).toEqual([]);
    const hidden = [...all].filter((name) => !shown.includes(name));
    return `${titleOf(route)}\n  shown: ${shown.join(' ')}\n  hidden: ${hidden.join(' ')}`;
  });
  expect(lines.length).toBe(20);
  await expect(`${lines.sort().join('\n')}\n`).toMatchFileSnapshot('customer-fields.txt');
});

it('a field that is not listed is left out, at any depth', async () => {
  const route = { forCustomers: { fields: 'total rooms(id group(name) tags)' } } as const;
  const room = { id: 'r1', name: 'new', group: { id: 'new', name: 'Team' }, tags: ['a'] };
  const shown = { id: 'r1', group: { name: 'Team' }, tags: ['a'] };
  const items = async function* () {
    yield await Promise.resolve(room);
  };
  const complete = {
    status: 200,
    headers: { 'Cache-Control': 'no-store' },
    body: { total: 1, rooms: [room], next: 'new' },
    list: { name: 'rooms', items: items(), rest: (total: number) => ({ total, next: 'new' }) },
    stream: items() as never,
    file: { type: 'text/csv', name: 'all.csv', chunks: items() as never },
  };
  const { status, headers, body, list, ...rest } = customerResponse(route, complete);
  expect({ status, headers, body }).toEqual({
    status: 200,
    headers: { 'Cache-Control': 'no-store' },
    body: { total: 1, rooms: [shown] },
  });
  expect(list?.rest(1)).toEqual({ total: 1 });
  for await (const item of list?.items ?? []) expect(item).toEqual(shown);
  expect(rest).toEqual({});
});

it('a value that has become an object, and a route that lists nothing, show nothing', () => {
  const body = { name: { first: 'Ada' } };
  const respond = (fields: string) =>
    customerResponse({ forCustomers: { fields } }, { status: 200, body }).body;
  expect(respond('name')).toEqual({ name: {} });
  expect(respond('')).toEqual({});
  expect(customerResponse({}, { status: 200, body }).body).toEqual({});
});
