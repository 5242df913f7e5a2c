import {
  codeOf,
  declaredKindOf,
  type DeclaredRefusal,
  type RefusalCode,
  MESSAGES,
} from '../../domain/kernel/refusals.js';
import { type Route, supportsIdempotencyKey } from '../../routes/route.js';
import type { JsonObject } from '../../domain/kernel/json.js';
import { STATUS_BY_KIND } from '../../routes/responses.js';
import { componentRef, headerRefs } from './schema-catalogue.js';

/** An example message for each code. */
export const EXAMPLE_MESSAGES: Readonly<Record<RefusalCode, string>> = {
  ...MESSAGES,
  INVALID_REQUEST: 'The body is not valid: email must be an e-mail address.',
  INVALID_JSON: 'The body is not well-formed JSON: check quotes, commas and brackets.',
  INVALID_FILTER:
    'This search takes too long over 25000 users: narrow it. Indexed: id, userName, ' +
    'externalId, emails.value and meta.lastModified (eq, sw, pr, gt, ge, lt, le), ' +
    'displayName (the same except pr), groups (eq), active and roles by themselves; ' +
    'natively email, external_id, active, role, q, search.',
  UNAUTHENTICATED: 'Send a valid API key of this tenant: Authorization: Bearer <API_KEY>.',
  INSUFFICIENT_SCOPE: 'This operation requires the scope "api:users:read".',
  INSUFFICIENT_ROLE: 'This operation requires the role "admin".',
  STEP_UP_REQUIRED:
    'You proved who you are more than 15 minutes ago. Sign in again for this operation.',
  PASSKEY_NOT_ACCEPTED: 'The passkey was not accepted: it is of another origin.',
  SEAT_CAPACITY_REACHED:
    'All 50 seats are taken. Deactivate a user or ask your operator for more seats.',
  EMAIL_TAKEN: 'Another user has the e-mail address ada@example.com.',
  USERNAME_TAKEN: 'Another user has the user name ada@example.com.',
  EXTERNAL_ID_TAKEN: 'Another list has the external id HR-7.',
  GROUP_EXISTS: 'Another group is named "Dispatch".',
  NAME_TAKEN: 'Another room is named "Dispatch".',
  SLUG_TAKEN: 'Another tenant has the slug "acme".',
  REQUEST_NOT_REPLAYABLE: 'The request cannot be replayed: its body was longer than 64 KiB.',
  PAYLOAD_TOO_LARGE: 'The body exceeds 1048576 bytes. Split it into several requests.',
  UNSUPPORTED_MEDIA_TYPE: 'Send the body as Content-Type: application/json.',
  METHOD_NOT_ALLOWED: 'Method not allowed. Allowed: GET, HEAD.',
  REQUEST_TIMEOUT: 'The body did not begin within 2 seconds. Send it with the headers.',
  RATE_LIMITED: 'Rate limit exceeded: 600 requests per minute for this key.',
  INTERNAL: 'Internal server error. Report it with its request_id.',
  NOT_IMPLEMENTED: 'This part of the protocol is not implemented.',
  REMOVALS_HELD:
    'This would remove one more user or member, and this API key may remove 50 within an ' +
    'hour. Nothing was changed. If it is intended, ask your operator to allow it; otherwise ' +
    'it is accepted again later.',
};

/** Refusals of all operations. */
const ALWAYS: readonly RefusalCode[] = [
  'INVALID_REQUEST',
  'UNAUTHENTICATED',
  'RATE_LIMITED',
  'INTERNAL',
  'UNAVAILABLE',
];
const WITH_BODY: readonly RefusalCode[] = [
  'INVALID_JSON',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
];

/** Operations without a body refuse one, except for GET, which ignores it. */
const readsBody = ({ method, body }: Route): boolean => body !== undefined || method !== 'GET';

const hasScope = ({ api, scope }: Route): boolean => api === 'native' && scope !== 'any key';

/** Of operators' roles and the cookies of their sessions. */
const operatorRefusals = ({ api, scope, method, stepUp }: Route): readonly DeclaredRefusal[] => [
  ...(scope === 'operator' ? (['INSUFFICIENT_ROLE'] as const) : []),
  ...(api === 'operators' && method !== 'GET' ? (['CSRF_REJECTED'] as const) : []),
  ...(stepUp ? (['STEP_UP_REQUIRED'] as const) : []),
];

const refusalsOf = (route: Route): readonly DeclaredRefusal[] => {
  const { refusals = [] } = route;
  const codes = [
    ...ALWAYS,
    ...(hasScope(route) ? (['INSUFFICIENT_SCOPE'] as const) : []),
    ...operatorRefusals(route),
    ...(readsBody(route) ? WITH_BODY : []),
    ...(supportsIdempotencyKey(route) ? (['IDEMPOTENCY_CONFLICT'] as const) : []),
    ...refusals,
  ];
  return [...new Set(codes)];
};

const statusOf = (declared: DeclaredRefusal): number => STATUS_BY_KIND[declaredKindOf(declared)];

const DESCRIPTIONS: Readonly<Record<number, string>> = {
  400: 'The request is not well-formed or not valid.',
  401: 'The credentials are missing or not valid.',
  403: 'The credentials do not allow this, or all seats are taken.',
  404: 'Not found.',
  409: 'Conflicts with the current state.',
  412: 'The precondition failed.',
  413: 'The body is too large.',
  415: 'The body is not JSON in UTF-8.',
  417: 'The expectation cannot be met.',
  429: 'Too many requests.',
  500: 'Internal server error.',
  501: 'Not implemented.',
  503: 'Temporarily unavailable; retry after `Retry-After` seconds.',
};

/** The headers of a refusal, in all interfaces. */
export const refusalHeaders = (status: number): JsonObject => ({
  ...headerRefs('X-Request-Id'),
  ...((status === 401 || status === 403) && headerRefs('WWW-Authenticate')),
  ...((status === 429 || status === 503) && headerRefs('Retry-After')),
});

const responseOf = (status: number, codes: readonly string[]): JsonObject => ({
  description: DESCRIPTIONS[status] ?? 'Refused.',
  headers: refusalHeaders(status),
  content: {
    'application/json': {
      schema: componentRef('schemas', 'Error'),
      examples: Object.fromEntries(codes.map((code) => [code, componentRef('examples', code)])),
    },
  },
});

/** The refusal codes of an operation by status. */
const byStatus = (route: Route): ReadonlyMap<number, readonly string[]> => {
  const groups = new Map<number, string[]>();
  for (const declared of refusalsOf(route)) {
    const status = statusOf(declared);
    groups.set(status, [...(groups.get(status) ?? []), codeOf(declared)]);
  }
  return groups;
};

const pascalCase = (code: string): string =>
  code
    .toLowerCase()
    .replaceAll(/(?:^|_)([a-z])/g, (_match, letter: string) => letter.toUpperCase());

/** `InvalidRequestOrInvalidJson`: operations with the same codes share a component. */
const nameOf = (codes: readonly string[]): string => codes.map(pascalCase).join('Or');

/** The refusals of an operation by status, as references to components. */
export const refusalResponses = (route: Route): Readonly<Record<string, JsonObject>> =>
  Object.fromEntries(
    [...byStatus(route)].map(([status, codes]) => [
      String(status),
      componentRef('responses', nameOf(codes)),
    ]),
  );

/** The components of all refusals, with an example per code. */
export const sharedResponses = (routes: readonly Route[]): JsonObject =>
  Object.fromEntries(
    routes
      .flatMap((route) => [...byStatus(route)])
      .map(([status, codes]): [string, JsonObject] => [nameOf(codes), responseOf(status, codes)])
      .sort(([one], [other]) => one.localeCompare(other)),
  );

/** All refusals of these routes, sorted by code. */
export const refusalsOfAll = (routes: readonly Route[]): readonly DeclaredRefusal[] =>
  [...new Map(routes.flatMap(refusalsOf).map((declared) => [codeOf(declared) as string, declared]))]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, declared]) => declared);
