import { z } from 'zod';
import type { OperatorCaller, ReadCaller } from '../../api/caller.js';
import { operatorRoute, type Route, type RouteRequest } from '../../api/route.js';
import type { TenantReader } from '../../api/tenants.js';
import { SLUG_PARAM, tenantBySlug } from './tenant-by-slug.js';

type OperatorRequest = RouteRequest<OperatorCaller, { readonly slug: string }, unknown, undefined>;

/** `listUsers` becomes `listTenantUsers`. */
const operationIdOf = ({ operationId }: Route): string =>
  operationId.replace(/^(get|list)/, '$1Tenant');

/**
 * The operators' version of a read route of the tenant API (decisions.md 8): the same handler and
 * schemas, with the tenant from the path, and sensitive values masked.
 */
const operatorReadRoute = (route: Route, tenants: Pick<TenantReader, 'findBySlug'>): Route => {
  const { responses, tag, summary, description, query, role, stepUp, refusals = [] } = route;
  const handler = route.handler as (request: object) => ReturnType<Route['handler']>;
  const declared = {
    responses,
    tag: `${tag} of a tenant`,
    summary,
    ...(description !== undefined && { description }),
    ...(query && { query }),
    ...(role && { role }),
    ...(stepUp && { stepUp }),
  };
  return operatorRoute({
    ...declared,
    method: 'GET',
    path: `/tenants/{slug}${route.path}`,
    operationId: operationIdOf(route),
    params: z.object({ ...SLUG_PARAM, ...route.params?.shape }),
    refusals: [...refusals, 'TENANT_NOT_FOUND'],
    handler: async (request) => {
      const { params } = request as unknown as OperatorRequest;
      const tenant = await tenantBySlug(tenants, params.slug);
      const caller: ReadCaller = { tenant, isMasked: true };
      return handler({ ...request, caller });
    },
  });
};

/** The operators' versions of all read routes that declare one, including those of plugins. */
export const operatorReadRoutes = (
  routes: readonly Route[],
  tenants: Pick<TenantReader, 'findBySlug'>,
): readonly Route[] =>
  routes
    .filter(({ isForOperatorsToo }) => isForOperatorsToo)
    .map((route) => operatorReadRoute(route, tenants));
