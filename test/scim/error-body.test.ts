import { describe, expect, it } from 'vitest';
import { refuse, type RefusalCode, REFUSALS } from '../../src/domain/kernel/refusals.js';
import { httpStatusOf } from '../../src/routes/responses.js';
import { scimErrorBody } from '../../src/scim/responses.js';

const CODES = Object.keys(REFUSALS) as RefusalCode[];

/** The statuses of decisions.md 2. */
const CODES_BY_STATUS: Record<number, readonly RefusalCode[]> = {
  400: ['INVALID_REQUEST', 'INVALID_JSON', 'INVALID_FILTER'],
  401: ['UNAUTHENTICATED'],
  403: ['INSUFFICIENT_SCOPE', 'SEAT_CAPACITY_REACHED'],
  404: ['NOT_FOUND', 'USER_NOT_FOUND', 'ROOM_NOT_FOUND', 'GROUP_NOT_FOUND', 'MEMBER_NOT_FOUND'],
  405: ['METHOD_NOT_ALLOWED'],
  409: ['EMAIL_TAKEN', 'USERNAME_TAKEN', 'EXTERNAL_ID_TAKEN', 'GROUP_EXISTS'],
  412: ['PRECONDITION_FAILED'],
  413: ['PAYLOAD_TOO_LARGE'],
  415: ['UNSUPPORTED_MEDIA_TYPE'],
  429: ['RATE_LIMITED'],
  500: ['INTERNAL'],
  501: ['NOT_IMPLEMENTED'],
  503: ['UNAVAILABLE'],
};

const STATUSES_WITH_SCIM_TYPE = new Set(['400', '409', '413']);

const FORM = { requestId: 'r', isStrict: false };

describe('a SCIM error', () => {
  it.each(Object.entries(CODES_BY_STATUS))('has status %s', (status, codes) => {
    for (const code of codes) expect(httpStatusOf(refuse(code, 'x'))).toBe(Number(status));
  });

  it.each(CODES)('%s has the body of RFC 7644, 3.12, the code and the request id', (code) => {
    const body = scimErrorBody(refuse(code, 'Do something else.'), {
      requestId: 'request-1',
      isStrict: false,
    });
    expect(body).toMatchObject({
      schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
      status: String(httpStatusOf(refuse(code, ''))),
      detail: 'Do something else.',
      error: code,
      request_id: 'request-1',
    });
    if (body['scimType']) expect(STATUSES_WITH_SCIM_TYPE).toContain(body['status']);
  });

  it.each([
    ['INVALID_FILTER', 'invalidFilter'],
    ['INVALID_JSON', 'invalidSyntax'],
    ['EMAIL_TAKEN', 'uniqueness'],
    ['USERNAME_TAKEN', 'uniqueness'],
    ['INVALID_REQUEST', undefined],
    ['USER_NOT_FOUND', undefined],
    ['PAYLOAD_TOO_LARGE', undefined],
  ] as const)('%s implies %s', (code, scimType) => {
    expect(scimErrorBody(refuse(code, 'x'), FORM)['scimType']).toBe(scimType);
  });

  it('has the scimType and details of the refusal', () => {
    const details = [{ path: 'userName', message: 'is required' }];
    const refusal = refuse('INVALID_REQUEST', 'x', { scimType: 'invalidValue', details });
    expect(scimErrorBody(refusal, FORM)).toMatchObject({ scimType: 'invalidValue', details });
  });

  it.each(CODES)('%s has only the attributes of RFC 7644, 3.12 with strict_errors', (code) => {
    const details = [{ path: 'userName', message: 'is required' }];
    const refusal = refuse(code, 'x', { scimType: 'invalidValue', details });
    expect(scimErrorBody(refusal, { requestId: 'r', isStrict: true })).toEqual({
      schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
      status: String(httpStatusOf(refusal)),
      scimType: 'invalidValue',
      detail: 'x',
    });
  });
});
