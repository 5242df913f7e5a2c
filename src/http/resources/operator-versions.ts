import { z } from 'zod';
import type { TenantReader } from '../../ports/tenants.js';
import { raise } from '../../domain/kernel/refusals.js';
import type { Tenant } from '../../domain/tenant/tenant.js';
import type { OperatorCaller, WriteCaller } from '../../routes/caller.js';
import { operatorRoute, type Route, type RouteRequest } from '../../routes/route.js';

/** `{slug}` in the paths of a tenant. */
export const SLUG_PARAM = { slug: z.string().describe("The tenant's slug.") };

/** The tenant in the path. Throws TENANT_NOT_FOUND. */
export const tenantBySlug = async (
  tenants: Pick<TenantReader, 'findBySlug'>,
  slug: string,
): Promise<Tenant> =>
  (await tenants.findBySlug(slug)) ?? raise('TENANT_NOT_FOUND', 'No tenant has this slug.');

type OperatorRequest = RouteRequest<OperatorCaller, { readonly slug: string }, unknown, unknown>;

/** `listUsers` becomes `listTenantUsers`. */
const operationIdOf = ({ operationId }: Route): string =>
  operationId.replace(/^[a-z]+/, '$&Tenant');

/**
 * The operators' version of a route of the tenant API (decisions.md 8): the same handler and schemas,
 * with the tenant from the path, the operator as the actor, and sensitive values masked.
 */
const operatorVersionOf = (route: Route, tenants: Pick<TenantReader, 'findBySlug'>): Route => {
  const { tag, refusals = [], operatorPath = route.path } = route;
  const {
    isForOperatorsToo: _flag,
    operatorPath: _path,
    api: _api,
    scope: _scope,
    ...same
  } = route;
  const handler = route.handler as (request: object) => ReturnType<Route['handler']>;
  return operatorRoute({
    ...same,
    path: `/tenants/{slug}${operatorPath}`,
    tag: `${tag} of a tenant`,
    operationId: operationIdOf(route),
    params: z.object({ ...SLUG_PARAM, ...route.params?.shape }),
    refusals: [...refusals, 'TENANT_NOT_FOUND'],
    handler: async (request) => {
      const { params, caller } = request as unknown as OperatorRequest;
      const tenant = await tenantBySlug(tenants, params.slug);
      const { actor } = caller;
      const asOperator: WriteCaller = { tenant, actor, isMasked: true };
      const response = await handler({ ...request, caller: asOperator });
      const { location } = response;
      return location === undefined
        ? response
        : { ...response, location: `/tenants/${tenant.slug}${location}` };
    },
  });
};

/** The operators' versions of all routes that declare one, including those of plugins. */
export const sharedRoutes = (
  routes: readonly Route[],
  tenants: Pick<TenantReader, 'findBySlug'>,
): readonly Route[] =>
  routes
    .filter(({ isForOperatorsToo }) => isForOperatorsToo)
    .map((route) => operatorVersionOf(route, tenants));
