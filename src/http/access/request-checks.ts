import type { IncomingMessage, ServerResponse } from 'node:http';
import { raise } from '../../domain/kernel/refusals.js';
import type { Scope } from '../../domain/scopes.js';
import { callerOf } from '../request-context.js';
import { requiredRoleOf, type Route } from '../../routes/route.js';
import type { OperatorCaller } from '../../routes/caller.js';
import { hasRole, mayUseTenant } from '../../domain/operator/operator.js';

/** Checks that the API key of the request has the scope. Throws INSUFFICIENT_SCOPE. */
export const requireScope = (request: IncomingMessage, scope: Scope): void => {
  if (!callerOf(request).key.scopes.includes(scope))
    raise('INSUFFICIENT_SCOPE', `This operation requires the scope "${scope}".`, { scope });
};

/** Throws METHOD_NOT_ALLOWED and sets `Allow`. */
export const refuseMethod = (response: ServerResponse, methods: Iterable<string>): never => {
  const allow = [...methods].join(', ');
  response.setHeader('Allow', allow);
  return raise('METHOD_NOT_ALLOWED', `Method not allowed. Allowed: ${allow}.`);
};

const refuseRole = (message: string): never => raise('INSUFFICIENT_ROLE', message);

const requireRole = (route: Route, { role, setup }: OperatorCaller): void => {
  if (role === 'setup') {
    if (!route.forCustomers) refuseRole('A setup link is only for the setup of its tenant.');
    if (route.forCustomers?.needs === 'integrations' && !setup?.hasIntegrations)
      refuseRole('This setup link does not allow integrations.');
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
  else if (!mayUseTenant(tenants, slug)) raise('TENANT_NOT_FOUND');
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
