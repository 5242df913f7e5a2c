import { z } from 'zod';
import type { JsonObject } from '../../src/domain/kernel/json.js';
import { exampleOf } from '../../src/http/openapi/example-of.js';
import { type Extensions, NO_EXTENSIONS } from '../../src/routes/extensions.js';
import type { Route } from '../../src/routes/route.js';
import { routeTable } from '../../src/http/resources/route-table.js';
import type { PendingResponse } from './ask.js';

/** A well-formed id that does not exist. */
export const UNKNOWN_ID = '00000000-0000-4000-8000-00000000dead';

/** All routes, with those of these extensions; their handlers must not be called. */
export const routesWith = (extensions: Pick<Extensions, 'routes'>): readonly Route[] =>
  routeTable({ extensions } as Parameters<typeof routeTable>[0]);

/** All routes except those of plugins, for tests that must cover every route. */
export const ALL_ROUTES = routesWith(NO_EXTENSIONS);

export const NATIVE_ROUTES = ALL_ROUTES.filter(({ api }) => api === 'native');
export const OPERATOR_ROUTES = ALL_ROUTES.filter(({ api }) => api === 'operators');

/** `GET /users/{id}`, for test titles. */
export const titleOf = ({ method, path }: Route): string => `${method} ${path}`;

/** A path that matches the route; its ids do not exist. */
export const pathOf = ({ api, path }: Route, slug = 'acme'): string => {
  const base = api === 'native' ? `/v1/${slug}` : '/admin/v1';
  return (
    base + path.replaceAll(/\{(\w+)\}/g, (_match, name) => (name === 'slug' ? slug : UNKNOWN_ID))
  );
};

/** The name of supertest's method. */
export const verbOf = ({ method }: Route) =>
  method.toLowerCase() as 'get' | 'post' | 'put' | 'patch' | 'delete';

/** A valid body: the example of the route's schema, as the OpenAPI document has it. */
const bodyOf = ({ body }: Route): object => {
  if (!body) throw new Error('The route has no body.');
  const { $defs = {}, ...schema } = z.toJSONSchema(body, { io: 'input' }) as JsonObject;
  return exampleOf(schema, $defs as Readonly<Record<string, JsonObject>>) as JsonObject;
};

/** Sends the valid body of a route, if it has one. */
export const sendBody = (sent: PendingResponse, route: Route): PendingResponse =>
  route.body ? sent.type(route.isCsv ? 'text/csv' : 'application/json').send(bodyOf(route)) : sent;
