import { expect, it } from 'vitest';
import { z } from 'zod';
import { describeExtensions } from '../../tools/shared/describe-extensions.js';
import { routeTable } from '../../src/http/resources/route-table.js';
import { customerResponse } from '../../src/http/routing/customer-response.js';
import type { CustomerFields, Route } from '../../src/routes/route.js';
import { titleOf } from '../support/route-requests.js';

const extensions = await describeExtensions();
// Handlers are not called.
const ROUTES = routeTable({ extensions } as unknown as Parameters<typeof routeTable>[0]).filter(
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

const listed = (fields: CustomerFields, before = ''): readonly string[] =>
  Object.entries(fields).flatMap(([name, inner]) =>
    inner === true ? [`${before}${name}`] : listed(inner, `${before}${name}.`),
  );

it('the fields of each response that customers get, and do not get, are listed', async () => {
  const lines = ROUTES.map((route) => {
    const shown = listed(route.forCustomers?.fields ?? {});
    const all = fieldsOf(route);
    // Nothing is listed that does not exist.
    expect(shown.filter((name) => !all.has(name))).toEqual([]);
    const hidden = [...all].filter((name) => !shown.includes(name));
    return `${titleOf(route)}\n  shown: ${shown.join(' ')}\n  hidden: ${hidden.join(' ')}`;
  });
  expect(lines.length).toBe(20);
  await expect(`${lines.sort().join('\n')}\n`).toMatchFileSnapshot('customer-fields.txt');
});

it.each(ROUTES.map((route) => [titleOf(route), route] as const))(
  '%s: a field that is not listed is left out',
  async (_title, route) => {
    // Given a response that has each listed field, and others beside it
    const fill = (fields: CustomerFields): Readonly<Record<string, unknown>> => ({
      new_field: 'canary',
      ...Object.fromEntries(
        Object.entries(fields).map(([name, inner]) => [name, inner === true ? 1 : [fill(inner)]]),
      ),
    });
    const fields = route.forCustomers?.fields ?? {};
    const items = async function* () {
      yield await Promise.resolve(fill(fields));
    };
    // When it goes to a customer
    const { body, list, stream, file } = customerResponse(route, {
      status: 200,
      body: fill(fields),
      list: { name: 'list', items: items(), rest: () => fill(fields) },
      stream: items() as never,
      file: { type: 'text/csv', name: 'all.csv', chunks: items() as never },
    });
    // Then it has the listed ones
    expect(JSON.stringify(body)).not.toContain('canary');
    expect(Object.keys(body as object)).toEqual(Object.keys(fields));
    expect(JSON.stringify(list?.rest(1))).not.toContain('canary');
    for await (const item of list?.items ?? []) expect(item).toEqual({});
    expect({ stream, file }).toEqual({ stream: undefined, file: undefined });
  },
);

it('a value that has become an object is left out, too', () => {
  const route = { forCustomers: { fields: { name: true, rooms: { id: true } } } } as const;
  const body = { name: { first: 'Ada' }, rooms: ['Dispatch', { id: 'r1', name: 'Dispatch' }] };
  expect(customerResponse(route, { status: 200, body }).body).toEqual({
    rooms: [null, { id: 'r1' }],
  });
  expect(customerResponse({}, { status: 200, body }).body).toEqual({});
});
