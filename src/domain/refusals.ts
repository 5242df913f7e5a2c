/**
 * All error codes (decisions.md 2). A code is stable and for programs; the message is for people and
 * explains what they can do.
 */
export const REFUSALS = {
  INVALID_REQUEST: 'invalid',
  INVALID_JSON: 'invalid',
  INVALID_FILTER: 'invalid',
  UNAUTHENTICATED: 'unauthenticated',
  INSUFFICIENT_SCOPE: 'forbidden',
  SEAT_CAPACITY_REACHED: 'forbidden',
  NOT_FOUND: 'missing',
  TENANT_NOT_FOUND: 'missing',
  API_KEY_NOT_FOUND: 'missing',
  USER_NOT_FOUND: 'missing',
  ROOM_NOT_FOUND: 'missing',
  GROUP_NOT_FOUND: 'missing',
  MEMBER_NOT_FOUND: 'missing',
  ROLE_MAPPING_NOT_FOUND: 'missing',
  JOB_NOT_FOUND: 'missing',
  WEBHOOK_NOT_FOUND: 'missing',
  DELIVERY_NOT_FOUND: 'missing',
  SMS_LIST_NOT_FOUND: 'missing',
  EMAIL_TAKEN: 'conflict',
  USERNAME_TAKEN: 'conflict',
  EXTERNAL_ID_TAKEN: 'conflict',
  GROUP_EXISTS: 'conflict',
  MEMBER_EXISTS: 'conflict',
  NAME_TAKEN: 'conflict',
  SLUG_TAKEN: 'conflict',
  WEBHOOK_DISABLED: 'conflict',
  IDEMPOTENCY_CONFLICT: 'conflict',
  PRECONDITION_FAILED: 'stale',
  PAYLOAD_TOO_LARGE: 'tooLarge',
  UNSUPPORTED_MEDIA_TYPE: 'unsupported',
  METHOD_NOT_ALLOWED: 'notAllowed',
  EXPECTATION_FAILED: 'unmet',
  RATE_LIMITED: 'limited',
  INTERNAL: 'broken',
  NOT_IMPLEMENTED: 'notImplemented',
  UNAVAILABLE: 'busy',
} as const;

export type RefusalCode = keyof typeof REFUSALS;
/** Each interface maps the kind to a status in one place. */
export type RefusalKind = (typeof REFUSALS)[RefusalCode];

/** The `scimType` values of RFC 7644, table 9, and RFC 9865, 2.1. */
export type ScimType =
  | 'invalidFilter'
  | 'tooMany'
  | 'uniqueness'
  | 'mutability'
  | 'invalidSyntax'
  | 'invalidPath'
  | 'noTarget'
  | 'invalidValue'
  | 'invalidCursor'
  | 'expiredCursor'
  | 'invalidCount';

/** An error in the request, with a path like `emails[0].value`. */
export interface RefusalDetail {
  readonly path: string;
  readonly message: string;
}

export interface Refusal {
  readonly code: RefusalCode;
  readonly message: string;
  /** The message for the provisioning log, if `message` contains personal data. */
  readonly logMessage?: string;
  readonly details?: readonly RefusalDetail[];
  /** SCIM's error type, unless the code implies it. */
  readonly scimType?: ScimType;
  /** The required scope, for `INSUFFICIENT_SCOPE`. */
  readonly scope?: string;
  /** Seconds to wait before a retry, for `limited` and `busy`. */
  readonly retryAfter?: number;
}

export const refuse = (
  code: RefusalCode,
  message: string,
  more: Omit<Refusal, 'code' | 'message'> = {},
): Refusal => ({ code, message, ...more });

export const kindOf = (refusal: Refusal): RefusalKind => REFUSALS[refusal.code];

/** Carries a refusal up the call stack. Its message is for the client and must not contain the cause. */
export class RefusalError extends Error {
  override readonly name = 'RefusalError';
  constructor(
    readonly refusal: Refusal,
    options?: ErrorOptions,
  ) {
    super(refusal.message, options);
  }
}

/** Throws the refusal; for use in expressions. */
export const raise = (
  code: RefusalCode,
  message: string,
  more: Omit<Refusal, 'code' | 'message'> = {},
): never => {
  throw new RefusalError(refuse(code, message, more));
};

export const databaseUnavailable = (): Refusal =>
  refuse('UNAVAILABLE', 'The database is not responding. Try again shortly.', { retryAfter: 2 });

/** For a bug. The cause goes to the log. */
export const internalError = (): Refusal =>
  refuse('INTERNAL', 'Internal server error. Nothing was changed.');
