import type { RefusalCode } from '../../src/domain/kernel/refusals.js';

/** The cause of an error, and what to do. */
type Causes = readonly [cause: string, remedy: string];

const SEARCH_IDS = 'List or search the resources again: ids of deleted ones are never reused.';

/** Causes of the core's error codes. */
export const ERROR_CAUSES: Readonly<Record<RefusalCode, Causes>> = {
  INVALID_REQUEST: [
    'A parameter or a field of the body is missing, unknown or not valid.',
    'Correct the fields that `details` lists.',
  ],
  INVALID_JSON: [
    'The body is not JSON in UTF-8, repeats a name, or is nested too deeply.',
    'Correct the body; the message names the place.',
  ],
  INVALID_FILTER: [
    'A SCIM filter has a syntax error, or a search would examine too many users or check too many conditions.',
    'Correct the filter, use fewer conditions, or search by an attribute that the message lists.',
  ],
  UNAUTHENTICATED: [
    'The key or token is missing, wrong, deleted, or of another tenant.',
    'Compare the URL and the key; create another key if it is lost: `rollgate key create`.',
  ],
  INSUFFICIENT_SCOPE: [
    'The key has no scope for this operation.',
    'Create a key with the scope that the message names.',
  ],
  INSUFFICIENT_ROLE: [
    "The operator's role, or the tenants that they may see, do not allow this.",
    'Ask an owner: [roles](operators.md#roles).',
  ],
  STEP_UP_REQUIRED: [
    'A sensitive operation, and the last proof of identity is too long ago.',
    'Sign in again, then repeat the request.',
  ],
  CSRF_REJECTED: [
    'A write with a session cookie lacks `X-CSRF-Token`.',
    'Send the token of `GET /admin/v1/session`, or use the admin token.',
  ],
  SEAT_CAPACITY_REACHED: [
    'Every active user takes a seat, and all are taken.',
    'Deactivate users, or raise the capacity: `rollgate tenant update acme --seats 60`.',
  ],
  NOT_FOUND: [
    'No operation has this path.',
    'Compare the path with `/docs/`; it is case-sensitive.',
  ],
  TENANT_NOT_FOUND: ['No tenant has this slug, or you may not see it.', '`rollgate tenant list`.'],
  API_KEY_NOT_FOUND: ['The key is deleted or of another tenant.', '`rollgate key list acme`.'],
  USER_NOT_FOUND: ['The user is deleted, of another tenant, or was never created.', SEARCH_IDS],
  ROOM_NOT_FOUND: [
    'No room has this id; or a pushed group has the name of no unmapped room and no role mapping.',
    'Create the room (`rollgate room create`) or a role mapping, and push the group again.',
  ],
  GROUP_NOT_FOUND: ['The group is deleted or of another tenant.', SEARCH_IDS],
  MEMBER_NOT_FOUND: ['The user or number is not a member.', 'Nothing, if it should be removed.'],
  ROLE_MAPPING_NOT_FOUND: ['The role mapping is deleted.', '`rollgate role list acme`.'],
  JOB_NOT_FOUND: ['The job finished more than a week ago, or never existed.', 'Read its result.'],
  COMMAND_NOT_FOUND: [
    'The entry of the provisioning log has expired.',
    'Keep entries longer: `retention.commandLog`.',
  ],
  REQUEST_NOT_FOUND: ['The captured request has expired.', 'Capture it again.'],
  SMS_LIST_NOT_FOUND: ['The list is deleted or of another tenant.', SEARCH_IDS],
  OPERATOR_NOT_FOUND: ['The operator is removed.', '`rollgate operator list`.'],
  SESSION_NOT_FOUND: ['The session has ended.', 'Nothing.'],
  PASSKEY_NOT_FOUND: ['The passkey was removed, or is of another operator.', 'Nothing.'],
  PASSKEY_NOT_ACCEPTED: [
    'The answer of the browser does not match the challenge, the origin or the account.',
    'Try again, at the address in `publicUrl`.',
  ],
  EMAIL_TAKEN: [
    'An e-mail address belongs to one user of a tenant, ignoring case.',
    'Look the user up by e-mail and update them.',
  ],
  USERNAME_TAKEN: [
    'A user name belongs to one user of a tenant, ignoring case.',
    'Look the user up by `userName` and update them.',
  ],
  EXTERNAL_ID_TAKEN: [
    'Another resource has this external id.',
    'Use the other one, or another id.',
  ],
  GROUP_EXISTS: [
    'Another group has this display name, or the room of this name is mapped to another group.',
    'Update the existing group, or unmap the room: `rollgate room list` shows mappings.',
  ],
  MEMBER_EXISTS: ['The user is a member already.', 'Nothing, or PATCH the member.'],
  NAME_TAKEN: [
    'Another resource of the tenant has this name, ignoring case.',
    'Choose another name.',
  ],
  SLUG_TAKEN: ['Another tenant has this slug.', 'Choose another slug.'],
  OPERATOR_FROM_PROVIDER: [
    "The OpenID provider decides this operator's name, role and tenants.",
    'Change their groups at the provider.',
  ],
  LAST_OWNER: [
    'The gateway must keep an owner who can sign in.',
    'Make another operator an owner first.',
  ],
  REQUEST_NOT_REPLAYABLE: [
    'A part of the captured request was not kept.',
    'Send the request again from its client.',
  ],
  IDEMPOTENCY_CONFLICT: [
    'The `Idempotency-Key` was used with another body, or its first request is still running.',
    'Use one key for each request; with `Retry-After`, wait.',
  ],
  PRECONDITION_FAILED: [
    'The resource has changed since you read its `ETag`.',
    'Read it again, and repeat the change.',
  ],
  PAYLOAD_TOO_LARGE: [
    'The body, or its number of values or operations, is over a [limit](limits.md).',
    'Split the request.',
  ],
  UNSUPPORTED_MEDIA_TYPE: [
    'The body is not declared as JSON, or is compressed.',
    'Send `application/json` or `application/scim+json` without `Content-Encoding`.',
  ],
  METHOD_NOT_ALLOWED: ['The path has no such method.', 'Use one of `Allow`.'],
  REQUEST_TIMEOUT: [
    'The headers, the beginning of the body (2 s), or the whole request took too long.',
    'Send the request at once. Nothing was changed.',
  ],
  EXPECTATION_FAILED: ['The `Expect` header has an unknown value.', 'Omit it.'],
  RATE_LIMITED: [
    'Too many requests or failed authentications in a minute, or long responses or streams at once.',
    'Wait `Retry-After` seconds; to raise the limit, see [limits](limits.md).',
  ],
  INTERNAL: ['A bug of the gateway. Nothing was changed.', 'Report it with its `request_id`.'],
  NOT_IMPLEMENTED: ['An optional part of SCIM, such as `/Me`.', 'Use another operation.'],
  UNAVAILABLE: [
    'The database does not respond, the gateway is stopping, or a queue is full.',
    'Repeat after `Retry-After` seconds. If it lasts: `rollgate doctor`.',
  ],
  REMOVALS_HELD: [
    'The key has reached the [limit of removals](operating.md#limit-what-an-identity-provider-can-remove).',
    'If they are intended: `rollgate key allow-removals acme <key>`.',
  ],
};

/** Causes of the error codes that built-in plugins declare. */
export const EXTENSION_ERROR_CAUSES: Readonly<Record<string, Causes>> = {
  WEBHOOK_NOT_FOUND: [
    'The registration is deleted or of another tenant.',
    '`rollgate webhook list acme`.',
  ],
  DELIVERY_NOT_FOUND: [
    'The delivery has expired, or is of another registration.',
    'Read the event from `GET /events`.',
  ],
  WEBHOOK_DISABLED: ['The registration is disabled, so nothing is sent.', 'Enable it first.'],
  CONNECTOR_NOT_FOUND: [
    'The configuration has no such connector for this tenant.',
    '`rollgate connector list acme`; after a change of the configuration, restart the gateway.',
  ],
  CONNECTOR_RUN_NOT_FOUND: ['The run has expired, or is of another connector.', 'List its runs.'],
  CONNECTOR_RUN_ENDED: ['The run has ended already.', 'Start another one.'],
  CONNECTOR_RECORD_NOT_FOUND: ['The record is not in quarantine any more.', 'Nothing.'],
  CONNECTOR_DISABLED: ['`enabled: false` in the configuration.', 'Enable it, restart the gateway.'],
  CONNECTOR_RUNNING: ['One run of a connector at a time.', 'Wait, or cancel the run.'],
  CONNECTOR_PLAN_OUTDATED: [
    'The plan was made again since you looked at it.',
    'Look at the new plan, then approve it.',
  ],
  SNAPSHOT_NOT_OPEN: [
    'An upload continues or completes a list of everybody that was not begun.',
    'Send the first upload of the list with `?snapshot=start`.',
  ],
  UPLOAD_NOT_FOUND: [
    'The connector has no upload with this id, or it is older than 30 days.',
    'Use the `Location` of the response to the upload.',
  ],
  CONNECTOR_UNREACHABLE: [
    'The source cannot be reached, or refuses the credentials.',
    '`rollgate connector check acme hr`, then correct the settings.',
  ],
  NOTIFICATION_TARGET_NOT_FOUND: [
    'The configuration has no such target of notifications.',
    '`rollgate notification list`; after a change of the configuration, restart the gateway.',
  ],
};
