import { effect, signal } from '@preact/signals';
import type { Role, Schema } from './api/schema.ts';
import { rememberSession } from './early-reads.ts';
import type { PageAccess } from './page-route.ts';

/** Undefined: not read yet; null: signed out. */
export const session = signal<Schema<'OperatorSession'> | null | undefined>(undefined);

export const csrfToken = (): string => session.value?.csrf_token ?? '';

/** Whether the session ended while the dashboard was open; until the next sign-in. */
export const hasExpired = signal(false);

/** Leaves the page for the sign-in. */
export const endSession = (): void => {
  session.value = null;
};

/** Below it are the pages of a customer's administrator, whose setup link has a cookie of its own. */
export const GUIDE = '/dashboard/guide';

export const isInGuide = (): boolean => window.location.pathname.startsWith(GUIDE);

/** In titles; the name of the operating organisation on its customers' pages. */
export const siteName = signal('Rollgate');

/** Whether the session was opened by a setup link. */
export const isSetupSession = (): boolean => session.value?.operator.role === 'setup';

effect(() => {
  if (session.value === undefined || isSetupSession()) return;
  rememberSession(session.value?.expires_at ?? null);
});

const RANKS: readonly Role[] = ['setup', 'auditor', 'operator', 'admin', 'owner'];

/** Whether the session has at least this role; the gateway checks it again. */
export const hasRole = (role: Role): boolean => {
  const own = session.value?.operator.role;
  return own !== undefined && RANKS.indexOf(own) >= RANKS.indexOf(role);
};

/** The tenants that the operator is limited to; null: to none. */
export const ownTenants = (): readonly string[] | null => session.value?.operator.tenants ?? null;

/** Why the operator cannot open a page of this tenant, or of none (also as an empty text); undefined: they can. */
export const barrierOf = (
  { role, of }: PageAccess,
  slug: string | undefined,
): 'role' | 'gateway' | 'tenant' | undefined => {
  const own = ownTenants();
  const isOfTenant = of === 'tenant' && slug !== undefined && slug !== '';
  if (isOfTenant && own !== null && !own.includes(slug)) return 'tenant';
  if (!hasRole(role)) return 'role';
  return of === 'gateway' && own !== null ? 'gateway' : undefined;
};
