import { requiredRoleOf, type Route } from '../api/route.js';
import type { OperatorCaller } from '../api/caller.js';
import { hasRole, mayUseTenant } from '../domain/operator/operator.js';
import { raise } from '../domain/kernel/refusals.js';

const refuseRole = (message: string): never => raise('INSUFFICIENT_ROLE', message);

const requireRole = (route: Route, { role }: OperatorCaller): void => {
  if (role === 'setup') {
    if (!route.isForSetup) refuseRole('A setup link is only for the setup of its tenant.');
    return;
  }
  const needed = requiredRoleOf(route);
  if (!hasRole(role, needed)) refuseRole(`This operation requires the role "${needed}".`);
};

/** Other tenants look as if they did not exist. */
const requireTenant = (
  route: Route,
  { tenants }: OperatorCaller,
  slug: string | undefined,
): void => {
  if (tenants === null || route.isForBoundOperators) return;
  if (slug === undefined)
    refuseRole('This operation requires an operator who is not bound to tenants.');
  else if (!mayUseTenant(tenants, slug)) raise('TENANT_NOT_FOUND', 'No tenant has this slug.');
};

/**
 * Checks what the caller may do before anything of the request is read. Throws INSUFFICIENT_ROLE,
 * TENANT_NOT_FOUND or STEP_UP_REQUIRED.
 */
export const requireOperatorAccess = (
  route: Route,
  caller: OperatorCaller,
  slug: string | undefined,
): void => {
  requireRole(route, caller);
  requireTenant(route, caller, slug);
  if (route.stepUp && caller.needsStepUp && caller.role !== 'setup')
    raise(
      'STEP_UP_REQUIRED',
      'This operation requires a proof of identity from the last 15 minutes. Sign in again; with ' +
        'OpenID, by /admin/v1/oidc/start?step_up=1.',
    );
};
