import type { OperatorId } from '../kernel/ids.js';

/** From least to most: each role may do everything that those before it may. */
export const OPERATOR_ROLES = ['auditor', 'operator', 'admin', 'owner'] as const;

/**
 * What an operator may do: `auditor` reads; `operator` also does the daily work; `admin` also changes
 * keys, webhooks, mappings, rooms and settings of tenants; `owner` also operators, tenants and the
 * admin token.
 */
export type OperatorRole = (typeof OPERATOR_ROLES)[number];

/** Of a session: that of its operator, or of a setup link for the administrator of a customer. */
export type SessionRole = OperatorRole | 'setup';

/** Whether this role may do what needs the other. A setup link may do nothing that needs a role. */
export const hasRole = (role: SessionRole, needed: OperatorRole): boolean =>
  role !== 'setup' && OPERATOR_ROLES.indexOf(role) >= OPERATOR_ROLES.indexOf(needed);

/** A person who operates this gateway. */
export interface Operator {
  readonly id: OperatorId;
  readonly name: string;
  readonly email: string | null;
  readonly role: OperatorRole;
  /** Slugs of the tenants they may see; null: all. */
  readonly tenants: readonly string[] | null;
  /** How they sign in: by links, or by the OpenID provider, which then decides name and role. */
  readonly source: 'link' | 'oidc';
  /** Issuer and subject at the OpenID provider. */
  readonly subject: string | null;
  readonly createdAt: Date;
  readonly disabledAt: Date | null;
  readonly lastSignInAt: Date | null;
}

/** Whether an operator bound to these tenants may see this one. */
export const mayUseTenant = (tenants: readonly string[] | null, slug: string): boolean =>
  tenants === null || tenants.includes(slug);
