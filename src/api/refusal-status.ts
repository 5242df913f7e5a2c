import { kindOf, type Refusal, type RefusalKind } from '../domain/kernel/refusals.js';

/** HTTP status of each kind of refusal, in all interfaces (decisions.md 2). */
export const STATUS_BY_KIND = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  missing: 404,
  notAllowed: 405,
  conflict: 409,
  stale: 412,
  tooLarge: 413,
  unsupported: 415,
  unmet: 417,
  limited: 429,
  broken: 500,
  notImplemented: 501,
  busy: 503,
} as const satisfies Record<RefusalKind, number>;

export const httpStatusOf = (refusal: Refusal): number => STATUS_BY_KIND[kindOf(refusal)];
