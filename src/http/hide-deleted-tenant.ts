import type { Refusal } from '../domain/kernel/refusals.js';
import { API_KEY_INVALID } from './middleware/refuse-credentials.js';
import type { RequestContext } from './request-context.js';

/**
 * A tenant can be deleted while its API key is still cached. Its clients get the same 401 as with an
 * unknown key (pipeline-rules.md 14).
 */
export const hideDeletedTenant = (
  refusal: Refusal,
  { caller }: Pick<RequestContext, 'caller'>,
): Refusal => (caller && refusal.code === 'TENANT_NOT_FOUND' ? API_KEY_INVALID : refusal);
