import type { JsonObject } from '../domain/kernel/json.js';
import { httpStatusOf } from '../api/refusal-status.js';
import {
  kindOf,
  type Refusal,
  type RefusalCode,
  type ScimType,
} from '../domain/kernel/refusals.js';
import { MESSAGE_URNS } from './scimmy.js';

/** The scimType that a code implies (RFC 7644, table 9). */
const IMPLIED_SCIM_TYPES: Partial<Record<RefusalCode, ScimType>> = {
  INVALID_FILTER: 'invalidFilter',
  INVALID_JSON: 'invalidSyntax',
};

const scimTypeOf = (refusal: Refusal): ScimType | undefined =>
  refusal.scimType ??
  IMPLIED_SCIM_TYPES[refusal.code as RefusalCode] ??
  (kindOf(refusal) === 'conflict' ? 'uniqueness' : undefined);

/** What an error body depends on besides the refusal. */
export interface ErrorForm {
  readonly requestId: string;
  /** Whether the tenant's `scim.strict_errors` is on. */
  readonly isStrict: boolean;
}

/**
 * The error body of RFC 7644, 3.12, plus code, details and request id (decisions.md 2). The Ping
 * SDK and strict pydantic models reject unknown attributes, so a tenant can turn the additions off;
 * the request id is also in a header.
 */
export const scimErrorBody = (refusal: Refusal, { requestId, isStrict }: ErrorForm): JsonObject => {
  const scimType = scimTypeOf(refusal);
  const rfc = {
    schemas: [MESSAGE_URNS.error],
    status: String(httpStatusOf(refusal)),
    ...(scimType && { scimType }),
    detail: refusal.message,
  };
  if (isStrict) return rfc;
  return {
    ...rfc,
    error: refusal.code,
    ...(refusal.details && {
      details: refusal.details.map(({ path, message }) => ({ path, message })),
    }),
    request_id: requestId,
  };
};
