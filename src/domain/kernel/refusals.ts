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
  INSUFFICIENT_ROLE: 'forbidden',
  STEP_UP_REQUIRED: 'forbidden',
  CSRF_REJECTED: 'forbidden',
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
  COMMAND_NOT_FOUND: 'missing',
  REQUEST_NOT_FOUND: 'missing',
  SMS_LIST_NOT_FOUND: 'missing',
  OPERATOR_NOT_FOUND: 'missing',
  SESSION_NOT_FOUND: 'missing',
  EMAIL_TAKEN: 'conflict',
  USERNAME_TAKEN: 'conflict',
  EXTERNAL_ID_TAKEN: 'conflict',
  GROUP_EXISTS: 'conflict',
  MEMBER_EXISTS: 'conflict',
  NAME_TAKEN: 'conflict',
  SLUG_TAKEN: 'conflict',
  OPERATOR_FROM_PROVIDER: 'conflict',
  REQUEST_NOT_REPLAYABLE: 'conflict',
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
  REMOVALS_HELD: 'busy',
} as const;

/** The core's codes. */
export type RefusalCode = keyof typeof REFUSALS;
/** Each interface maps the kind to a status in one place. */
export type RefusalKind = (typeof REFUSALS)[RefusalCode];

declare const brand: unique symbol;

/** An error code of an extension. */
export type ExtensionCode = string & { readonly [brand]: 'ExtensionCode' };

/** A refusal of an extension: declared once, then passed to `refuse` and `raise` like a code. */
export interface ExtensionRefusal {
  readonly code: ExtensionCode;
  readonly kind: RefusalKind;
  /** An example message, for the documentation. */
  readonly example: string;
}

/** An error that an operation declares: a code of the core, or an extension's declaration. */
export type DeclaredRefusal = RefusalCode | ExtensionRefusal;

export const codeOf = (declared: DeclaredRefusal): RefusalCode | ExtensionCode =>
  typeof declared === 'string' ? declared : declared.code;

export const declaredKindOf = (declared: DeclaredRefusal): RefusalKind =>
  typeof declared === 'string' ? REFUSALS[declared] : declared.kind;

const CODE = /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$/;

/** Declares an error code; throws a TypeError if it is malformed or a code of the core. */
export const declareRefusal = (
  code: string,
  kind: RefusalKind,
  example: string,
): ExtensionRefusal => {
  if (!CODE.test(code))
    throw new TypeError(
      `"${code}" is not an error code: use upper-case words joined by underscores.`,
    );
  if (Object.hasOwn(REFUSALS, code))
    throw new TypeError(`"${code}" is an error code of the core; an extension declares its own.`);
  return { code: code as ExtensionCode, kind, example };
};

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

/** A refused request: its code, its message, and details. */
export interface Refusal {
  readonly code: RefusalCode | ExtensionCode;
  /** Of an extension's code; the kind of a code of the core is in the table. */
  readonly kind?: RefusalKind;
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

export type RefusalFields = Omit<Refusal, 'code' | 'kind' | 'message'>;

/** Creates a refusal. */
export const refuse = (
  code: DeclaredRefusal,
  message: string,
  more: RefusalFields = {},
): Refusal =>
  typeof code === 'string'
    ? { code, message, ...more }
    : { code: code.code, kind: code.kind, message, ...more };

export const kindOf = ({ code, kind }: Refusal): RefusalKind =>
  kind ?? REFUSALS[code as RefusalCode];

/** The same in every copy of this module: an extension may bring a copy of its own. */
const MARK = Symbol.for('rollgate.RefusalError');

/** Carries a refusal up the call stack. Its message is for the client and must not contain the cause. */
export class RefusalError extends Error {
  override readonly name = 'RefusalError';
  constructor(
    readonly refusal: Refusal,
    options?: ErrorOptions,
  ) {
    super(refusal.message, options);
  }

  get [MARK](): true {
    return true;
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && MARK in value;
  }
}

/** Throws the refusal; for use in expressions. */
export const raise = (code: DeclaredRefusal, message: string, more: RefusalFields = {}): never => {
  throw new RefusalError(refuse(code, message, more));
};

export const databaseUnavailable = (): Refusal =>
  refuse('UNAVAILABLE', 'The database is not responding. Try again shortly.', { retryAfter: 2 });

/** For a bug. The cause goes to the log. */
export const internalError = (): Refusal =>
  refuse('INTERNAL', 'Internal server error. Nothing was changed.');
