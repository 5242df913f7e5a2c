import { raise } from '../../domain/kernel/refusals.js';
import type { Tenant } from '../../domain/tenant/tenant.js';
import type { TenantReader } from '../../ports/tenants.js';
import type { OperatorCaller, SharedCaller, TenantOperator } from '../../routes/caller.js';
import { type Route, type RouteRequest, tenantRoute } from '../../routes/route.js';

type AnyHandler = (request: object) => ReturnType<Route['handler']>;

/** `listUsers` becomes `listTenantUsers`. */
const operationIdOf = ({ operationId }: Route): string =>
  operationId.replace(/^[a-z]+/, '$&Tenant');

/**
 * The operators' version of a route of the tenant API (decisions.md 8): the same handler and schemas,
 * with the tenant from the path, the operator as the actor, and sensitive values masked.
 */
const operatorVersionOf = (route: Route): Route => {
  const { operators, api: _api, scope: _scope, ...same } = route;
  const handler = route.handler as AnyHandler;
  return tenantRoute({
    ...same,
    tag: `${route.tag} of a tenant`,
    operationId: operationIdOf(route),
    ...operators,
    handler: (request) => {
      const { tenant, actor } = request.caller;
      const caller: SharedCaller = { tenant, actor, isMasked: true };
      return handler({ ...request, caller });
    },
  });
};

/** The operators' versions of all routes that declare one, including those of plugins. */
export const sharedRoutes = (routes: readonly Route[]): readonly Route[] =>
  routes.filter(({ operators }) => operators).map(operatorVersionOf);

type TenantRequest = RouteRequest<OperatorCaller, { readonly slug: string }, unknown, unknown>;

/** Finds the tenant of a route that `tenantRoute` declares. Throws TENANT_NOT_FOUND. */
export const withTenant = (route: Route, tenants: Pick<TenantReader, 'findBySlug'>): Route => {
  if (!route.isOfTenant) return route;
  const tenantOf = async (slug: string): Promise<Tenant> =>
    (await tenants.findBySlug(slug)) ?? raise('TENANT_NOT_FOUND', 'No tenant has this slug.');
  const handler = route.handler as AnyHandler;
  return {
    ...route,
    handler: async (request) => {
      const { params, caller } = request as unknown as TenantRequest;
      const tenant = await tenantOf(params.slug);
      const ofTenant: TenantOperator = { ...caller, tenant };
      const response = await handler({ ...request, caller: ofTenant });
      const { location } = response;
      return location === undefined
        ? response
        : { ...response, location: `/tenants/${tenant.slug}${location}` };
    },
  };
};
