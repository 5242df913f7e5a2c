import type { Actor } from '../domain/kernel/actor.js';
import type { ApiKey } from '../domain/tenant/api-key.js';
import type { Tenant } from '../domain/tenant/tenant.js';

/**
 * The caller of the tenant API: a valid key and its tenant. The tenant may be a second old; the lane
 * reads it again.
 */
export interface TenantCaller {
  readonly tenant: Tenant;
  readonly key: ApiKey;
  readonly actor: Extract<Actor, { kind: 'api-key' }>;
}

/** The caller of the operators' API. */
export interface OperatorCaller {
  /** The hash of the request's admin token; absent if it was authenticated otherwise. */
  readonly tokenHash?: string;
  readonly actor: Extract<Actor, { kind: 'operator' }>;
}

/**
 * The caller of a read that both APIs have: a key of the tenant, or an operator. Operators get phone
 * numbers and values that may contain tokens masked.
 */
export interface ReadCaller {
  readonly tenant: Tenant;
  readonly isMasked?: true;
}
