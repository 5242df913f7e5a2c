import { describe, expect, it } from 'vitest';
import {
  declareRefusal,
  refuse,
  type Refusal,
  type RefusalCode,
  RefusalError,
  REFUSALS,
} from '../../src/domain/kernel/refusals.js';
import { httpStatusOf } from '../../src/routes/responses.js';
import { errorBodyOf, refusalHeadersOf, refusalOf } from '../../src/http/errors.js';
import { EXAMPLE_MESSAGES } from '../../src/http/openapi/refusal-responses.js';
import { StoreUnavailable } from '../../src/pipeline/commit-store.js';
import { createFakeLog } from '../support/fake-log.js';

/** The table of decisions.md 2, with the codes of the operators' API. */
const TABLE: Readonly<Record<number, readonly RefusalCode[]>> = {
  400: ['INVALID_REQUEST', 'INVALID_JSON', 'INVALID_FILTER', 'PASSKEY_NOT_ACCEPTED'],
  401: ['UNAUTHENTICATED'],
  403: [
    'INSUFFICIENT_SCOPE',
    'SEAT_CAPACITY_REACHED',
    'INSUFFICIENT_ROLE',
    'STEP_UP_REQUIRED',
    'CSRF_REJECTED',
  ],
  404: [
    'NOT_FOUND',
    'TENANT_NOT_FOUND',
    'API_KEY_NOT_FOUND',
    'USER_NOT_FOUND',
    'ROOM_NOT_FOUND',
    'GROUP_NOT_FOUND',
    'MEMBER_NOT_FOUND',
    'ROLE_MAPPING_NOT_FOUND',
    'JOB_NOT_FOUND',
    'SMS_LIST_NOT_FOUND',
    'OPERATOR_NOT_FOUND',
    'COMMAND_NOT_FOUND',
    'SESSION_NOT_FOUND',
    'PASSKEY_NOT_FOUND',
    'REQUEST_NOT_FOUND',
  ],
  405: ['METHOD_NOT_ALLOWED'],
  409: [
    'EMAIL_TAKEN',
    'USERNAME_TAKEN',
    'EXTERNAL_ID_TAKEN',
    'GROUP_EXISTS',
    'MEMBER_EXISTS',
    'NAME_TAKEN',
    'SLUG_TAKEN',
    'OPERATOR_FROM_PROVIDER',
    'LAST_OWNER',
    'REQUEST_NOT_REPLAYABLE',
    'IDEMPOTENCY_CONFLICT',
  ],
  412: ['PRECONDITION_FAILED'],
  413: ['PAYLOAD_TOO_LARGE'],
  415: ['UNSUPPORTED_MEDIA_TYPE'],
  408: ['REQUEST_TIMEOUT'],
  417: ['EXPECTATION_FAILED'],
  429: ['RATE_LIMITED'],
  500: ['INTERNAL'],
  501: ['NOT_IMPLEMENTED'],
  503: ['UNAVAILABLE', 'REMOVALS_HELD'],
};

const rows = Object.entries(TABLE).flatMap(([status, codes]) =>
  codes.map((code) => [code, Number(status)] as const),
);

describe('the table of refusals', () => {
  it.each(rows)('returns %s with %i', (code, status) => {
    expect(httpStatusOf(refuse(code, ''))).toBe(status);
  });

  it('has the status of its kind for the code of an extension', () => {
    const declared = declareRefusal('AUDIT_ENTRY_NOT_FOUND', 'missing', 'No entry has this id.');
    const refusal = refuse(declared, 'No entry has this id.');
    expect([refusal.code, httpStatusOf(refusal)]).toEqual(['AUDIT_ENTRY_NOT_FOUND', 404]);
  });

  it('has a status and an example for every code', () => {
    expect(rows.map(([code]) => code).sort()).toEqual(Object.keys(REFUSALS).sort());
    expect(Object.keys(EXAMPLE_MESSAGES).sort()).toEqual(Object.keys(REFUSALS).sort());
  });

  it('adds a challenge to 401 and Retry-After to 429 and 503', () => {
    const headersOf = (refusal: Refusal, authorization?: string) =>
      refusalHeadersOf(refusal, { headers: { authorization } });
    const unauthenticated = refuse('UNAUTHENTICATED', '');
    expect(headersOf(unauthenticated)).toEqual({ 'WWW-Authenticate': 'Bearer' });
    expect(headersOf(unauthenticated, 'Bearer x')).toEqual({
      'WWW-Authenticate': 'Bearer error="invalid_token"',
    });
    expect(headersOf(refuse('INSUFFICIENT_SCOPE', '', { scope: 'usage' }), 'Bearer x')).toEqual({
      'WWW-Authenticate': 'Bearer error="insufficient_scope", scope="usage"',
    });
    expect(headersOf(refuse('SEAT_CAPACITY_REACHED', ''), 'Bearer x')).toEqual({});
    expect(headersOf(refuse('RATE_LIMITED', '', { retryAfter: 17 }))).toEqual({
      'Retry-After': '17',
    });
    expect(headersOf(refuse('UNAVAILABLE', ''))).toEqual({ 'Retry-After': '1' });
    expect(headersOf(refuse('USER_NOT_FOUND', ''))).toEqual({});
  });

  it('omits details if there are none', () => {
    expect(errorBodyOf(refuse('NOT_FOUND', 'No.'), 'request-1')).toEqual({
      error: 'NOT_FOUND',
      message: 'No.',
      request_id: 'request-1',
    });
  });
});

describe('refusalOf', () => {
  it('blames the request for malformed paths only, not for errors that have a status', () => {
    const { log, lines } = createFakeLog();
    expect(refusalOf(new URIError('Failed to decode param'), log).code).toBe('INVALID_REQUEST');
    // As a plugin throws that calls another gateway
    const foreign = Object.assign(new Error('Request failed'), { status: 404 });
    expect(refusalOf(foreign, log).code).toBe('INTERNAL');
    expect(lines).toMatchObject([{ err: foreign }]);
  });

  it('logs an internal error and shows nothing of it to the client', () => {
    const { log, lines } = createFakeLog();
    const cause = new Error('connect ECONNREFUSED mongo.internal:27017');
    const refusal = refusalOf(cause, log);
    expect(refusal.code).toBe('INTERNAL');
    expect(JSON.stringify(refusal)).not.toContain('mongo');
    expect(lines).toMatchObject([{ level: 'error', err: cause }]);
  });

  it('returns UNAVAILABLE, not INTERNAL, if the database does not respond', () => {
    const { log } = createFakeLog();
    expect(refusalOf(new StoreUnavailable('nothing'), log).code).toBe('UNAVAILABLE');
  });

  it('returns a refusal and logs its cause', () => {
    const { log, lines } = createFakeLog();
    const refusal = refuse('UNAVAILABLE', 'Not now.');
    const cause = new Error('no primary');
    expect(refusalOf(new RefusalError(refusal, { cause }), log)).toBe(refusal);
    expect(lines).toMatchObject([{ level: 'warn', err: cause }]);
  });
});
