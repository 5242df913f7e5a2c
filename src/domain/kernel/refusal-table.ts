/** An error code: its kind, which each interface maps to a status in one place, and its texts. */
interface RefusalRow {
  readonly kind: string;
  /** What it always says, unless `refuse` is given another message. */
  readonly message?: string;
  /** What it says, for the documentation, where the message depends on the request. */
  readonly example?: string;
  /** Why it happens, and what to do, for the documentation. */
  readonly cause: string;
  readonly remedy: string;
}

const SEARCH_IDS = 'List or search the resources again: ids of deleted ones are never reused.';

/**
 * All error codes (decisions.md 2). A code is stable and for programs; the message is for people and
 * explains what they can do.
 */
export const REFUSALS = {
  INVALID_REQUEST: {
    kind: 'invalid',
    example: 'The body is not valid: email must be an e-mail address.',
    cause: 'A parameter or a field of the body is missing, unknown or not valid.',
    remedy: 'Correct the fields that `details` lists.',
  },
  INVALID_JSON: {
    kind: 'invalid',
    example: 'The body is not well-formed JSON: check quotes, commas and brackets.',
    cause: 'The body is not JSON in UTF-8, repeats a name, or is nested too deeply.',
    remedy: 'Correct the body; the message names the place.',
  },
  INVALID_FILTER: {
    kind: 'invalid',
    example:
      'This search takes too long over 25000 users: narrow it. Indexed: id, userName, ' +
      'externalId, emails.value and meta.lastModified (eq, sw, pr, gt, ge, lt, le), ' +
      'displayName (the same except pr), groups (eq), active and roles by themselves; ' +
      'natively email, external_id, active, role, q, search.',
    cause:
      'A SCIM filter has a syntax error, or a search would examine too many users or check ' +
      'too many conditions.',
    remedy:
      'Correct the filter, use fewer conditions, or search by an attribute that the message lists.',
  },
  UNAUTHENTICATED: {
    kind: 'unauthenticated',
    example: 'Send a valid API key of this tenant: Authorization: Bearer <API_KEY>.',
    cause: 'The key or token is missing, wrong, deleted, or of another tenant.',
    remedy: 'Compare the URL and the key; create another key if it is lost: `rollgate key create`.',
  },
  INSUFFICIENT_SCOPE: {
    kind: 'forbidden',
    example: 'This operation requires the scope "api:users:read".',
    cause: 'The key has no scope for this operation.',
    remedy: 'Create a key with the scope that the message names.',
  },
  INSUFFICIENT_ROLE: {
    kind: 'forbidden',
    example: 'This operation requires the role "admin".',
    cause: "The operator's role, or the tenants that they may see, do not allow this.",
    remedy: 'Ask an owner: [roles](operators.md#roles).',
  },
  STEP_UP_REQUIRED: {
    kind: 'forbidden',
    example: 'You proved who you are more than 15 minutes ago. Sign in again for this operation.',
    cause: 'A sensitive operation, and the last proof of identity is too long ago.',
    remedy: 'Sign in again, then repeat the request.',
  },
  CSRF_REJECTED: {
    kind: 'forbidden',
    message: 'Send the csrf_token of GET /admin/v1/session as X-CSRF-Token.',
    cause: 'A write with a session cookie lacks `X-CSRF-Token`.',
    remedy: 'Send the token of `GET /admin/v1/session`, or use the admin token.',
  },
  PASSKEY_NOT_ACCEPTED: {
    kind: 'invalid',
    example: 'The passkey was not accepted: it is of another origin.',
    cause: 'The answer of the browser does not match the challenge, the origin or the account.',
    remedy: 'Try again, at the address in `publicUrl`.',
  },
  SEAT_CAPACITY_REACHED: {
    kind: 'forbidden',
    example: 'All 50 seats are taken. Deactivate a user or ask your operator for more seats.',
    cause: 'Every active user takes a seat, and all are taken.',
    remedy: 'Deactivate users, or raise the capacity: `rollgate tenant update acme --seats 60`.',
  },
  NOT_FOUND: {
    kind: 'missing',
    message: 'No endpoint has this path. See the API reference at /docs/.',
    cause: 'No operation has this path.',
    remedy: 'Compare the path with `/docs/`; it is case-sensitive.',
  },
  TENANT_NOT_FOUND: {
    kind: 'missing',
    message: 'No tenant has this slug.',
    cause: 'No tenant has this slug, or you may not see it.',
    remedy: '`rollgate tenant list`.',
  },
  API_KEY_NOT_FOUND: {
    kind: 'missing',
    message: 'This tenant has no API key with this id.',
    cause: 'The key is deleted or of another tenant.',
    remedy: '`rollgate key list acme`.',
  },
  USER_NOT_FOUND: {
    kind: 'missing',
    message: 'No user has this id.',
    cause: 'The user is deleted, of another tenant, or was never created.',
    remedy: SEARCH_IDS,
  },
  ROOM_NOT_FOUND: {
    kind: 'missing',
    message: 'No room has this id.',
    cause:
      'No room has this id; or a pushed group has the name of no unmapped room and no role ' +
      'mapping.',
    remedy: 'Create the room (`rollgate room create`) or a role mapping, and push the group again.',
  },
  GROUP_NOT_FOUND: {
    kind: 'missing',
    message: 'No group has this id.',
    cause: 'The group is deleted or of another tenant.',
    remedy: SEARCH_IDS,
  },
  MEMBER_NOT_FOUND: {
    kind: 'missing',
    message: 'This user is not a member of the room.',
    cause: 'The user or number is not a member.',
    remedy: 'Nothing, if it should be removed.',
  },
  ROLE_MAPPING_NOT_FOUND: {
    kind: 'missing',
    message: 'This tenant has no role mapping with this id.',
    cause: 'The role mapping is deleted.',
    remedy: '`rollgate role list acme`.',
  },
  JOB_NOT_FOUND: {
    kind: 'missing',
    message: 'No job has this id. Finished jobs are kept for a week.',
    cause: 'The job finished more than a week ago, or never existed.',
    remedy: 'Read its result.',
  },
  COMMAND_NOT_FOUND: {
    kind: 'missing',
    message: 'The provisioning log has no command with this id. It may have expired.',
    cause: 'The entry of the provisioning log has expired.',
    remedy: 'Keep entries longer: `retention.commandLog`.',
  },
  REQUEST_NOT_FOUND: {
    kind: 'missing',
    message: 'No captured request has this id. It may have expired.',
    cause: 'The captured request has expired.',
    remedy: 'Capture it again.',
  },
  SMS_LIST_NOT_FOUND: {
    kind: 'missing',
    message: 'No SMS list has this id.',
    cause: 'The list is deleted or of another tenant.',
    remedy: SEARCH_IDS,
  },
  OPERATOR_NOT_FOUND: {
    kind: 'missing',
    message: 'No operator has this id.',
    cause: 'The operator is removed.',
    remedy: '`rollgate operator list`.',
  },
  SESSION_NOT_FOUND: {
    kind: 'missing',
    message: 'This operator has no session with this id.',
    cause: 'The session has ended.',
    remedy: 'Nothing.',
  },
  PASSKEY_NOT_FOUND: {
    kind: 'missing',
    message: 'This operator has no such passkey.',
    cause: 'The passkey was removed, or is of another operator.',
    remedy: 'Nothing.',
  },
  EMAIL_TAKEN: {
    kind: 'conflict',
    example: 'Another user has the e-mail address ada@example.com.',
    cause: 'An e-mail address belongs to one user of a tenant, ignoring case.',
    remedy: 'Look the user up by e-mail and update them.',
  },
  USERNAME_TAKEN: {
    kind: 'conflict',
    example: 'Another user has the user name ada@example.com.',
    cause: 'A user name belongs to one user of a tenant, ignoring case.',
    remedy: 'Look the user up by `userName` and update them.',
  },
  EXTERNAL_ID_TAKEN: {
    kind: 'conflict',
    example: 'Another list has the external id HR-7.',
    cause: 'Another resource has this external id.',
    remedy: 'Use the other one, or another id.',
  },
  GROUP_EXISTS: {
    kind: 'conflict',
    example: 'Another group is named "Dispatch".',
    cause:
      'Another group has this display name, or the room of this name is mapped to another group.',
    remedy: 'Update the existing group, or unmap the room: `rollgate room list` shows mappings.',
  },
  MEMBER_EXISTS: {
    kind: 'conflict',
    message: 'This user is already a member of the room.',
    cause: 'The user is a member already.',
    remedy: 'Nothing, or PATCH the member.',
  },
  NAME_TAKEN: {
    kind: 'conflict',
    example: 'Another room is named "Dispatch".',
    cause: 'Another resource of the tenant has this name, ignoring case.',
    remedy: 'Choose another name.',
  },
  SLUG_TAKEN: {
    kind: 'conflict',
    example: 'Another tenant has the slug "acme".',
    cause: 'Another tenant has this slug.',
    remedy: 'Choose another slug.',
  },
  OPERATOR_FROM_PROVIDER: {
    kind: 'conflict',
    message:
      'The OpenID provider decides name, role and tenants of this operator. Change their ' +
      'groups there.',
    cause: "The OpenID provider decides this operator's name, role and tenants.",
    remedy: 'Change their groups at the provider.',
  },
  LAST_OWNER: {
    kind: 'conflict',
    message: 'This is the last owner who can sign in. Make another operator an owner first.',
    cause: 'The gateway must keep an owner who can sign in.',
    remedy: 'Make another operator an owner first.',
  },
  REQUEST_NOT_REPLAYABLE: {
    kind: 'conflict',
    example: 'The request cannot be replayed: its body was longer than 64 KiB.',
    cause: 'A part of the captured request was not kept.',
    remedy: 'Send the request again from its client.',
  },
  IDEMPOTENCY_CONFLICT: {
    kind: 'conflict',
    message: 'This Idempotency-Key was already used with a different body.',
    cause:
      'The `Idempotency-Key` was used with another body, or its first request is still running.',
    remedy: 'Use one key for each request; with `Retry-After`, wait.',
  },
  PRECONDITION_FAILED: {
    kind: 'stale',
    message: 'The resource has changed since you read it. Read it again and retry.',
    cause: 'The resource has changed since you read its `ETag`.',
    remedy: 'Read it again, and repeat the change.',
  },
  PAYLOAD_TOO_LARGE: {
    kind: 'tooLarge',
    example: 'The body exceeds 1048576 bytes. Split it into several requests.',
    cause: 'The body, or its number of values or operations, is over a [limit](limits.md).',
    remedy: 'Split the request.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    kind: 'unsupported',
    example: 'Send the body as Content-Type: application/json.',
    cause: 'The body is not declared as JSON, or is compressed.',
    remedy: 'Send `application/json` or `application/scim+json` without `Content-Encoding`.',
  },
  METHOD_NOT_ALLOWED: {
    kind: 'notAllowed',
    example: 'Method not allowed. Allowed: GET, HEAD.',
    cause: 'The path has no such method.',
    remedy: 'Use one of `Allow`.',
  },
  EXPECTATION_FAILED: {
    kind: 'unmet',
    message: 'The only supported expectation is 100-continue.',
    cause: 'The `Expect` header has an unknown value.',
    remedy: 'Omit it.',
  },
  REQUEST_TIMEOUT: {
    kind: 'late',
    example: 'The body did not begin within 2 seconds. Send it with the headers.',
    cause: 'The headers, the beginning of the body (2 s), or the whole request took too long.',
    remedy: 'Send the request at once. Nothing was changed.',
  },
  RATE_LIMITED: {
    kind: 'limited',
    example: 'Rate limit exceeded: 600 requests per minute for this key.',
    cause:
      'Too many requests or failed authentications in a minute, or long responses or streams ' +
      'at once.',
    remedy: 'Wait `Retry-After` seconds; to raise the limit, see [limits](limits.md).',
  },
  INTERNAL: {
    kind: 'broken',
    example: 'Internal server error. Report it with its request_id.',
    cause: 'A bug of the gateway. Nothing was changed.',
    remedy: 'Report it with its `request_id`.',
  },
  NOT_IMPLEMENTED: {
    kind: 'notImplemented',
    example: 'This part of the protocol is not implemented.',
    cause: 'An optional part of SCIM, such as `/Me`.',
    remedy: 'Use another operation.',
  },
  UNAVAILABLE: {
    kind: 'busy',
    message: 'The database is not responding. Try again shortly.',
    cause: 'The database does not respond, the gateway is stopping, or a queue is full.',
    remedy: 'Repeat after `Retry-After` seconds. If it lasts: `rollgate doctor`.',
  },
  REMOVALS_HELD: {
    kind: 'held',
    example:
      'This would remove one more user or member, and this API key may remove 50 within an ' +
      'hour. Nothing was changed. If it is intended, ask your operator to allow it; otherwise ' +
      'it is accepted again later.',
    cause:
      'The key has reached the [limit of ' +
      'removals](operating.md#limit-what-an-identity-provider-can-remove).',
    remedy: 'If they are intended: `rollgate key allow-removals acme <key>`.',
  },
} as const satisfies Readonly<Record<string, RefusalRow>>;

/** The core's codes. */
export type RefusalCode = keyof typeof REFUSALS;
export type RefusalKind = (typeof REFUSALS)[RefusalCode]['kind'];

/** The codes that have a message of their own. */
export type FixedRefusalCode = {
  [Code in RefusalCode]: (typeof REFUSALS)[Code] extends { readonly message: string } ? Code : never;
}[RefusalCode];

/** The row of a code, for its texts. */
export const refusalRow = (code: RefusalCode): RefusalRow => REFUSALS[code];
