import { signal } from '@preact/signals';
import type { OperatorRole, Schema } from './api/schema.ts';
import type { PageAccess } from './page-route.ts';

/** Undefined: not read yet; null: signed out. */
export const session = signal<Schema<'OperatorSession'> | null | undefined>(undefined);

export const csrfToken = (): string => session.value?.csrf_token ?? '';

export const endSession = (): void => {
  session.value = null;
};

/** Whether the session was opened by a setup link. */
export const isSetupSession = (): boolean => session.value?.operator.role === 'setup';

const RANKS: readonly (OperatorRole | 'setup')[] = ['auditor', 'operator', 'admin', 'owner'];

/** Whether the operator has at least this role; the gateway checks it again. */
export const hasRole = (role: OperatorRole): boolean => {
  const own = session.value?.operator.role;
  return own !== undefined && own !== 'setup' && RANKS.indexOf(own) >= RANKS.indexOf(role);
};

/** Whether the operator can open a page. */
export const canOpen = ({ role = 'auditor', isOfGateway }: PageAccess = {}): boolean =>
  hasRole(role) && (!isOfGateway || (session.value?.operator.tenants ?? null) === null);
