import { kindOf, type Refusal } from '../domain/kernel/refusals.js';
import { scimErrorBody } from '../scim/error-body.js';
import { errorBodyOf } from './errors.js';
import type { Tenant } from '../domain/tenant/tenant.js';

/** What error bodies depend on besides the refusal. */
export interface ErrorContext {
  readonly requestId: string;
  readonly caller?: { readonly tenant: Tenant };
}

/** The format of responses in one interface. */
export interface ResponseFormat {
  readonly mediaType: string;
  readonly errorBodyOf: (refusal: Refusal, context: ErrorContext) => object;
}

export const NATIVE_FORMAT: ResponseFormat = {
  mediaType: 'application/json; charset=utf-8',
  errorBodyOf: (refusal, { requestId }) => errorBodyOf(refusal, requestId),
};

export const SCIM_FORMAT: ResponseFormat = {
  // RFC 7644, 8.1: without a charset.
  mediaType: 'application/scim+json',
  errorBodyOf: (refusal, { requestId, caller }) => {
    // A 401 has the same body for every tenant, or it would show that the tenant exists.
    const isStrict =
      kindOf(refusal) !== 'unauthenticated' && caller?.tenant.scim.strictErrors === true;
    return scimErrorBody(refusal, { requestId, isStrict });
  },
};
