import {
  type FixedRefusalCode,
  type RefusalCode,
  type RefusalKind,
  REFUSALS,
  refusalRow,
} from './refusal-table.js';

declare const brand: unique symbol;

/** An error code of an extension. */
type ExtensionCode = string & { readonly [brand]: 'ExtensionCode' };

/** A refusal of an extension: declared once, then passed to `refuse` and `raise` like a code. */
export interface ExtensionRefusal {
  readonly code: ExtensionCode;
  readonly kind: RefusalKind;
  /** An example message, for the documentation. */
  readonly example: string;
  /** Why it happens, and what to do, for the documentation. */
  readonly cause?: string;
  readonly remedy?: string;
}

/** An error that an operation declares: a code of the core, or an extension's declaration. */
export type DeclaredRefusal = RefusalCode | ExtensionRefusal;

export const codeOf = (declared: DeclaredRefusal): RefusalCode | ExtensionCode =>
  typeof declared === 'string' ? declared : declared.code;

export const declaredKindOf = (declared: DeclaredRefusal): RefusalKind =>
  typeof declared === 'string' ? REFUSALS[declared].kind : declared.kind;

const CODE = /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$/;

/** Declares an error code; throws a TypeError if it is malformed or a code of the core. */
export const declareRefusal = (
  code: string,
  kind: RefusalKind,
  example: string,
  help: Pick<ExtensionRefusal, 'cause' | 'remedy'> = {},
): ExtensionRefusal => {
  if (!CODE.test(code))
    throw new TypeError(
      `"${code}" is not an error code: use upper-case words joined by underscores.`,
    );
  if (Object.hasOwn(REFUSALS, code))
    throw new TypeError(`"${code}" is an error code of the core; an extension declares its own.`);
  return { code: code as ExtensionCode, kind, example, ...help };
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

/** The message of a code in the documentation. */
export const exampleMessageOf = (declared: DeclaredRefusal): string => {
  if (typeof declared !== 'string') return declared.example;
  const { message, example = '' } = refusalRow(declared);
  return message ?? example;
};

/** With a message; codes whose row has one need no other. */
interface Refuse<Result> {
  (code: FixedRefusalCode): Result;
  (code: DeclaredRefusal, message: string, more?: RefusalFields): Result;
}

/** Creates a refusal. */
export const refuse: Refuse<Refusal> = (
  code: DeclaredRefusal,
  message = exampleMessageOf(code),
  more: RefusalFields = {},
) =>
  typeof code === 'string'
    ? { code, message, ...more }
    : { code: code.code, kind: code.kind, message, ...more };

export const kindOf = ({ code, kind }: Refusal): RefusalKind =>
  kind ?? REFUSALS[code as RefusalCode].kind;

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
  message = exampleMessageOf(code),
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

const refused = (refusal: Refusal) => (): { readonly refusal: Refusal } => ({ refusal });

/** The tenant was deleted while the command waited. */
export const tenantNotFound = refused(refuse('TENANT_NOT_FOUND', 'This tenant has been deleted.'));
export const userNotFound = refused(refuse('USER_NOT_FOUND'));
export const roomNotFound = refused(refuse('ROOM_NOT_FOUND'));
export const groupNotFound = refused(refuse('GROUP_NOT_FOUND'));
export const memberNotFound = refused(refuse('MEMBER_NOT_FOUND'));
export const roleMappingNotFound = refused(refuse('ROLE_MAPPING_NOT_FOUND'));
export const apiKeyNotFound = refused(refuse('API_KEY_NOT_FOUND'));
export const smsListNotFound = refused(refuse('SMS_LIST_NOT_FOUND'));
export const smsMemberNotFound = refused(
  refuse('MEMBER_NOT_FOUND', 'No member of this SMS list has this id.'),
);

/** Versions of a resource; '*' for any. */
export type Versions = readonly number[] | '*';

/** A precondition (RFC 9110, 13.1.1 and 13.1.2): acceptable versions, or unacceptable ones. */
export type IfMatch = Versions | { readonly noneOf: readonly number[] };

/** Whether the version meets the precondition, if there is one. */
export const meetsPrecondition = (version: number, ifMatch: IfMatch | undefined): boolean => {
  if (ifMatch === undefined || ifMatch === '*') return true;
  return 'noneOf' in ifMatch ? !ifMatch.noneOf.includes(version) : ifMatch.includes(version);
};

/** The refusal of a change that was meant for another version (RFC 9110, 13.1). */
export const requireVersion = (
  { version }: { readonly version: number },
  ifMatch: IfMatch | undefined,
): Refusal | undefined =>
  meetsPrecondition(version, ifMatch)
    ? undefined
    : refuse('PRECONDITION_FAILED');
