import type { Route } from '../../src/api/route.js';
import { routeTable } from '../../src/http/app.js';
import { fakeAdminTokens } from './fake-admin-tokens.js';
import { FakeWorld } from './fake-world.js';
import { NO_EVENTS } from './no-events.js';
import { NO_EXPLANATIONS } from './no-explanations.js';
import { TEST_VAULT } from './sms.js';

/** A well-formed id that nothing has. */
export const NOBODY = '00000000-0000-4000-8000-00000000dead';

/** Every route of the product itself, for matrices: a new route joins them by being declared. */
export const ALL_ROUTES: readonly Route[] = (() => {
  const world = new FakeWorld();
  return routeTable({
    users: world.userReader,
    rooms: world.roomReader,
    groupViews: world.groupViewReader,
    roleMappings: world.roleMappingReader,
    jobs: world.jobReader,
    smsLists: world.smsListReader,
    numbers: TEST_VAULT,
    events: NO_EVENTS,
    tenants: world.tenantReader,
    apiKeys: world.apiKeyReader,
    commands: world.commandReader,
    explain: NO_EXPLANATIONS,
    plugins: () => Promise.resolve([]),
    keys: { forgetKey: () => undefined, forgetTenant: () => undefined },
    adminTokens: fakeAdminTokens('a-token-of-nobody'),
    adminTokenCheck: { forget: () => undefined },
    pluginRoutes: [],
  });
})();

export const NATIVE_ROUTES = ALL_ROUTES.filter(({ api }) => api === 'native');
export const OPERATOR_ROUTES = ALL_ROUTES.filter(({ api }) => api === 'operators');

/** `GET /users/{id}`, for the titles of matrices. */
export const titleOf = ({ method, path }: Route): string => `${method} ${path}`;

/** An address that the route answers; ids in it are nobody's. */
export const addressOf = ({ api, path }: Route, slug = 'acme'): string => {
  const base = api === 'native' ? `/v1/${slug}` : '/admin/v1';
  return base + path.replaceAll(/\{(\w+)\}/g, (_match, name) => (name === 'slug' ? slug : NOBODY));
};

/** What supertest calls the method. */
export const verbOf = ({ method }: Route) =>
  method.toLowerCase() as 'get' | 'post' | 'put' | 'patch' | 'delete';

/** A body that the route takes: the example of its own schema, as the reference shows it. */
export const bodyOf = ({ body }: Route): object => {
  const [example] = (body?.meta()?.['examples'] ?? []) as readonly object[];
  if (!example) throw new Error('The schema of every body has an example.');
  return example;
};
