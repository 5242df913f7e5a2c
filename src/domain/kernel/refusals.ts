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
  PASSKEY_NOT_ACCEPTED: 'invalid',
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
  PASSKEY_NOT_FOUND: 'missing',
  EMAIL_TAKEN: 'conflict',
  USERNAME_TAKEN: 'conflict',
  EXTERNAL_ID_TAKEN: 'conflict',
  GROUP_EXISTS: 'conflict',
  MEMBER_EXISTS: 'conflict',
  NAME_TAKEN: 'conflict',
  SLUG_TAKEN: 'conflict',
  OPERATOR_FROM_PROVIDER: 'conflict',
  LAST_OWNER: 'conflict',
  REQUEST_NOT_REPLAYABLE: 'conflict',
  IDEMPOTENCY_CONFLICT: 'conflict',
  PRECONDITION_FAILED: 'stale',
  PAYLOAD_TOO_LARGE: 'tooLarge',
  UNSUPPORTED_MEDIA_TYPE: 'unsupported',
  METHOD_NOT_ALLOWED: 'notAllowed',
  EXPECTATION_FAILED: 'unmet',
  REQUEST_TIMEOUT: 'late',
  RATE_LIMITED: 'limited',
  INTERNAL: 'broken',
  NOT_IMPLEMENTED: 'notImplemented',
  UNAVAILABLE: 'busy',
  REMOVALS_HELD: 'held',
} as const;

/** The core's codes. */
export type RefusalCode = keyof typeof REFUSALS;
/** Each interface maps the kind to a status in one place. */
export type RefusalKind = (typeof REFUSALS)[RefusalCode];

/** What these codes say, unless `refuse` is given another message. */
export const MESSAGES = {
  CSRF_REJECTED: 'Send the csrf_token of GET /admin/v1/session as X-CSRF-Token.',
  NOT_FOUND: 'No endpoint has this path. See the API reference at /docs/.',
  TENANT_NOT_FOUND: 'No tenant has this slug.',
  API_KEY_NOT_FOUND: 'This tenant has no API key with this id.',
  USER_NOT_FOUND: 'No user has this id.',
  ROOM_NOT_FOUND: 'No room has this id.',
  GROUP_NOT_FOUND: 'No group has this id.',
  MEMBER_NOT_FOUND: 'This user is not a member of the room.',
  ROLE_MAPPING_NOT_FOUND: 'This tenant has no role mapping with this id.',
  JOB_NOT_FOUND: 'No job has this id. Finished jobs are kept for a week.',
  COMMAND_NOT_FOUND: 'The provisioning log has no command with this id. It may have expired.',
  REQUEST_NOT_FOUND: 'No captured request has this id. It may have expired.',
  SMS_LIST_NOT_FOUND: 'No SMS list has this id.',
  OPERATOR_NOT_FOUND: 'No operator has this id.',
  SESSION_NOT_FOUND: 'This operator has no session with this id.',
  PASSKEY_NOT_FOUND: 'This operator has no such passkey.',
  MEMBER_EXISTS: 'This user is already a member of the room.',
  OPERATOR_FROM_PROVIDER:
    'The OpenID provider decides name, role and tenants of this operator. Change their ' +
    'groups there.',
  LAST_OWNER: 'This is the last owner who can sign in. Make another operator an owner first.',
  IDEMPOTENCY_CONFLICT: 'This Idempotency-Key was already used with a different body.',
  PRECONDITION_FAILED: 'The resource has changed since you read it. Read it again and retry.',
  EXPECTATION_FAILED: 'The only supported expectation is 100-continue.',
  UNAVAILABLE: 'The database is not responding. Try again shortly.',
} as const satisfies Partial<Record<RefusalCode, string>>;

declare const brand: unique symbol;

/** An error code of an extension. */
type ExtensionCode = string & { readonly [brand]: 'ExtensionCode' };

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
  /** Of an extension's code, or where a code of the core has another kind than in the table. */
  readonly kind?: RefusalKind;
  readonly message: string;
  /** The message for the provisioning log, if `message` contains personal data. */
  readonly logMessage?: string;
  readonly details?: readonly RefusalDetail[];
  /** SCIM's error type, unless the code implies it. */
  readonly scimType?: ScimType;
  /** The required scope, for `INSUFFICIENT_SCOPE`. */
  readonly scope?: string;
  /** Seconds to wait before a retry, for `limited`, `busy` and `held`. */
  readonly retryAfter?: number;
}

type RefusalFields = Omit<Refusal, 'code' | 'message'>;

/** A code that needs no other message. */
export type CodeWithMessage = keyof typeof MESSAGES;

/** Codes without a message of their own need one. */
interface Refuse<Result> {
  (code: CodeWithMessage): Result;
  (code: DeclaredRefusal, message: string, more?: RefusalFields): Result;
}

const messageOf = (code: DeclaredRefusal): string => MESSAGES[code as keyof typeof MESSAGES];

/** Creates a refusal. */
export const refuse: Refuse<Refusal> = (
  code: DeclaredRefusal,
  message: string = messageOf(code),
  more: RefusalFields = {},
) =>
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
export const raise: Refuse<never> = (
  code: DeclaredRefusal,
  message: string = messageOf(code),
  more: RefusalFields = {},
) => {
  throw new RefusalError(refuse(code, message, more));
};

export const databaseUnavailable = (): Refusal =>
  refuse('UNAVAILABLE', 'The database is not responding. Try again shortly.', { retryAfter: 2 });

/** For a bug. The cause goes to the log. */
export const internalError = (): Refusal =>
  refuse('INTERNAL', 'Internal server error. Nothing was changed.');

/** Refusals with a scimType of RFC 7644, table 9. */
export const refuseSyntax = (message: string): never =>
  raise('INVALID_REQUEST', message, { scimType: 'invalidSyntax' });

export const refusePath = (message: string): never =>
  raise('INVALID_REQUEST', message, { scimType: 'invalidPath' });

export const refuseMutability = (message: string): never =>
  raise('INVALID_REQUEST', message, { scimType: 'mutability' });

export const refuseTarget = (message: string): never =>
  raise('INVALID_REQUEST', message, { scimType: 'noTarget' });

/** Maximum number of entries in `details`. */
const MAX_DETAILS = 100;

/**
 * Errors repeated in the message: not every client shows `details` (decisions.md 8, strict_errors).
 */
const MAX_IN_MESSAGE = 3;

/** Refuses invalid values: the first few in the message, all of them in `details`. */
export const refuseValues = (
  details: readonly RefusalDetail[],
  scimType: ScimType = 'invalidValue',
): never => {
  const shown = details.slice(0, MAX_IN_MESSAGE).map(({ path, message }) => `${path} ${message}`);
  const rest = details.length - shown.length;
  const more = rest > 0 ? `; and ${rest} more` : '';
  return raise('INVALID_REQUEST', `${shown.join('; ')}${more}.`, {
    scimType,
    details: details.slice(0, MAX_DETAILS),
  });
};

/** Refuses the removal of a required attribute (RFC 7644, 3.5.2.2). */
export const refuseRemoval = (path: string): never =>
  refuseValues([{ path, message: 'is required and cannot be removed' }]);

/** Versions of a resource; '*' for any. */
export type Versions = readonly number[] | '*';

/** A precondition (RFC 9110, 13.1.1 and 13.1.2): acceptable versions, or unacceptable ones. */
export type IfMatch = Versions | { readonly noneOf: readonly number[] };

/** Whether the version meets the precondition, if there is one. */
export const meetsPrecondition = (version: number, ifMatch: IfMatch | undefined): boolean => {
  if (ifMatch === undefined || ifMatch === '*') return true;
  return 'noneOf' in ifMatch ? !ifMatch.noneOf.includes(version) : ifMatch.includes(version);
};
