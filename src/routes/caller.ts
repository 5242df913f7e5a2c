import type { Actor } from '../domain/kernel/actor.js';
import type { SessionRole, OperatorSession } from '../domain/operator/operator.js';
import type { ApiKeyId } from '../domain/kernel/ids.js';
import type { ApiKey, Tenant } from '../domain/tenant/tenant.js';
import type { Refusal, RefusalError } from '../domain/kernel/refusals.js';

/**
 * The caller of the tenant API: a valid key and its tenant. The tenant may be a second old; the lane
 * reads it again.
 */
export interface TenantCaller {
  readonly tenant: Tenant;
  readonly key: ApiKey;
  readonly actor: Extract<Actor, { kind: 'api-key' }>;
}

/** What a setup link lets the administrator of a customer do. */
export interface SetupCaller {
  readonly provider: string;
  readonly keyId: ApiKeyId | null;
  readonly expiresAt: Date;
  /** Whether they may manage integrations of their own. */
  readonly hasIntegrations: boolean;
}

/** The caller of the operators' API: the admin token, or a session. */
export interface OperatorCaller {
  readonly actor: Extract<Actor, { kind: 'operator' }>;
  readonly role: SessionRole;
  /** Slugs of the tenants they may see; null: all. */
  readonly tenants: readonly string[] | null;
  /** The hash of the request's admin token; absent in a session. */
  readonly tokenHash?: string;
  /** Absent with the admin token. */
  readonly session?: OperatorSession;
  /** In a session of a setup link. */
  readonly setup?: SetupCaller;
  /** They proved too long ago who they are for operations that declare `stepUp`. */
  readonly needsStepUp?: true;
}

/** The caller of an operators' route of one tenant, which is read again for each request. */
export interface TenantOperator extends OperatorCaller {
  readonly tenant: Tenant;
}

/**
 * The caller of a route that both APIs have: a key of the tenant, or an operator. Operators get phone
 * numbers and values that may contain tokens masked.
 */
export interface SharedCaller {
  readonly tenant: Tenant;
  readonly actor: TenantCaller['actor'] | OperatorCaller['actor'];
  readonly isMasked?: true;
  /** The administrator of a customer, who sees only what is theirs. */
  readonly setup?: SetupCaller;
}

/** What routes that sign in and out know of the HTTP request. */
export interface Browser {
  readonly cookie: (name: string) => string | undefined;
  readonly userAgent: string | null;
  /** The request is for the session of a setup link (`X-Rollgate-Session: setup`), not of an operator. */
  readonly isSetup: boolean;
  /** Counts a failed sign-in of its address, and returns its refusal or RATE_LIMITED. */
  readonly refuse: (refusal: Refusal) => RefusalError;
}
