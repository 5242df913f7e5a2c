import type { Actor } from '../domain/actor.js';
import type { ApiKey } from '../domain/api-key.js';
import type { Tenant } from '../domain/tenant.js';

/**
 * Who makes a request of the tenant API: a valid key and the tenant it is for. The tenant may be a
 * second old (settings change rarely); what must be exact is read again by the lane.
 */
export interface TenantCaller {
  readonly tenant: Tenant;
  readonly key: ApiKey;
  readonly actor: Extract<Actor, { kind: 'api-key' }>;
}

/** Who makes a request of the operators' API. */
export interface OperatorCaller {
  /** The hash of the admin token that the request carried; absent where another proof let it in. */
  readonly tokenHash?: string;
  readonly actor: Extract<Actor, { kind: 'operator' }>;
}

/**
 * Whose data is read, by whomever: a key of the tenant, or an operator. Operators are shown the
 * same, but for phone numbers and what may hold a token.
 */
export interface ReadingCaller {
  readonly tenant: Tenant;
  readonly isMasked?: true;
}
