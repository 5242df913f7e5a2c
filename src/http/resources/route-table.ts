import { raise } from '../../domain/kernel/refusals.js';
import type { Tenant } from '../../domain/tenant/tenant.js';
import type { TenantReader } from '../../ports/tenants.js';
import type { OperatorCaller, SharedCaller, TenantOperator } from '../../routes/caller.js';
import { type Route, type RouteRequest, tenantRoute } from '../../routes/route.js';
import { jobRoutes } from './jobs.js';
import { keyRoutes } from './key-and-capacity.js';
import { memberRoutes } from './members.js';
import { roomRoutes } from './rooms.js';
import { smsListRoutes } from './sms-lists.js';
import { smsMemberRoutes } from './sms-members.js';
import { userRoutes } from './users.js';
import { adminTokenRoutes, pluginRoutes, systemRoutes } from './system.js';
import { apiKeyRoutes } from './api-keys.js';
import { capturedRequestRoutes } from './captured-requests.js';
import { commandRoutes } from './commands.js';
import { connectionRoutes } from './connections.js';
import { eventRoutes } from '../../routes/event-feed.js';
import { explainRoutes } from './explain.js';
import { groupRoutes } from './groups.js';
import { liveRoutes } from './live-log.js';
import { oidcRoutes } from './oidc.js';
import { operatorLogRoutes } from './operator-log.js';
import { passkeyRoutes } from './passkeys.js';
import { operatorAccountRoutes } from './operators.js';
import { roleMappingRoutes } from './role-mappings.js';
import { roleTestRoutes } from './role-test.js';
import { overviewRoutes } from './overview.js';
import { sessionRoutes } from './sessions.js';
import { searchRoutes } from './search.js';
import { setupRoutes } from './setup.js';
import { setupLinkRoutes } from './setup-links.js';
import type { RouteParts } from './route-parts.js';
import { schemaExtensionRoutes } from './schema-extension.js';
import { tenantRoutes } from './tenants.js';

/** The routes of both APIs, without those of plugins. */
const coreRoutes = (parts: RouteParts): readonly Route[] => [
  ...tenantRoutes(parts),
  ...schemaExtensionRoutes(parts),
  ...overviewRoutes(parts),
  ...searchRoutes(parts),
  ...keyRoutes(parts),
  ...userRoutes(parts),
  ...apiKeyRoutes(parts),
  ...connectionRoutes(parts),
  ...roomRoutes(parts),
  ...memberRoutes(parts),
  ...smsListRoutes(parts),
  ...smsMemberRoutes(parts),
  ...groupRoutes(parts),
  ...roleMappingRoutes(parts),
  ...roleTestRoutes(parts),
  ...jobRoutes(parts),
  ...commandRoutes(parts),
  ...liveRoutes(parts),
  ...capturedRequestRoutes(parts),
  ...eventRoutes(parts),
  ...explainRoutes(parts),
  ...pluginRoutes(parts),
  ...systemRoutes(parts),
  ...adminTokenRoutes(parts),
  ...sessionRoutes(parts),
  ...oidcRoutes(parts),
  ...passkeyRoutes(parts),
  ...operatorLogRoutes(parts),
  ...setupLinkRoutes(parts),
  ...setupRoutes(parts),
  ...operatorAccountRoutes(parts),
];

/** `listUsers` becomes `listTenantUsers`. */
const operationIdOf = ({ operationId }: Route): string =>
  operationId.replace(/^[a-z]+/, '$&Tenant');

/**
 * The operators' version of a route of the tenant API (decisions.md 8): the same handler and schemas,
 * with the tenant from the path, the operator as the actor, and sensitive values masked.
 */
const operatorVersionOf = (route: Route): Route => {
  const { operators, api: _api, scope: _scope, ...same } = route;
  return tenantRoute({
    ...same,
    tag: `${route.tag} of a tenant`,
    operationId: operationIdOf(route),
    ...operators,
    handler: (request) => {
      const { tenant, actor, setup } = request.caller;
      const caller: SharedCaller = { tenant, actor, isMasked: true, ...(setup && { setup }) };
      return route.handler({ ...request, caller });
    },
  });
};

/** The operators' versions of all routes that declare one, including those of plugins. */
const sharedRoutes = (routes: readonly Route[]): readonly Route[] =>
  routes.filter(({ operators }) => operators).map(operatorVersionOf);

type TenantRequest = RouteRequest<OperatorCaller, { readonly slug: string }, unknown, unknown>;

/** Finds the tenant of a route that `tenantRoute` declares. Throws TENANT_NOT_FOUND. */
const withTenant = (route: Route, tenants: Pick<TenantReader, 'findBySlug'>): Route => {
  if (!route.isOfTenant) return route;
  const tenantOf = async (slug: string): Promise<Tenant> =>
    (await tenants.findBySlug(slug)) ?? raise('TENANT_NOT_FOUND');
  return {
    ...route,
    handler: async (request: TenantRequest) => {
      const { params, caller } = request;
      const tenant = await tenantOf(params.slug);
      const ofTenant: TenantOperator = { ...caller, tenant };
      const response = await route.handler({ ...request, caller: ofTenant });
      const { location } = response;
      return location === undefined
        ? response
        : { ...response, location: `/tenants/${tenant.slug}${location}` };
    },
  };
};

export const routesOf = (api: Route['api'], routes: readonly Route[]): readonly Route[] =>
  routes.filter((route) => route.api === api);

/** All routes: the gateway's own and those of plugins. */
export const routeTable = (parts: RouteParts): readonly Route[] => {
  const core = coreRoutes(parts);
  const declared = [
    ...routesOf('native', core),
    ...parts.extensions.routes,
    ...routesOf('operators', core),
  ];
  return [...declared, ...sharedRoutes(declared)].map((route) => withTenant(route, parts.tenants));
};
