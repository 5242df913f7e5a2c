import { describe, expect, it } from 'vitest';
import { type Chunked, runSync } from '../../../src/domain/kernel/chunked.js';
import { maskBody, maskHeaders, MAX_BODY } from '../../../src/http/capture/mask-message.js';
import { maskUrl } from '../../../src/process/mask-json.js';
import { expectQuick } from '../../support/expect-quick.js';

const KEY = `rg_4fJx09Qa_${'k'.repeat(38)}`;

const maskingOf = (body: unknown) => {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  return maskBody({ bytes: bytes.subarray(0, MAX_BODY), length: bytes.length });
};

const bodyOf = (body: unknown) => runSync(maskingOf(body));

const shown = (body: unknown): unknown => JSON.parse(bodyOf(body).body ?? 'null');

describe('the body of a captured request', () => {
  it('is shown without passwords and phone numbers, and can be replayed without them', () => {
    const { body, obstacle } = bodyOf({
      userName: 'ada@example.com',
      password: 'correct horse',
      phoneNumbers: [
        { value: '+49 171 1234567', type: 'mobile', primary: true },
        { value: '0171/7654321', type: 'work' },
      ],
    });
    expect(JSON.parse(body ?? '')).toEqual({
      userName: 'ada@example.com',
      password: '•••••••',
      phoneNumbers: [
        { value: '+49•••••••67', type: 'mobile', primary: true },
        { value: '017•••••••21', type: 'work' },
      ],
    });
    expect(obstacle).toBeNull();
  });

  it.each([
    [{ op: 'replace', path: 'password', value: 'horse' }],
    [{ op: 'add', value: { password: 'horse' } }],
    [{ op: 'Replace', value: { 'phoneNumbers[type eq "mobile"].value': '0171 1234567' } }],
    [{ op: 'replace', path: 'phoneNumbers[type eq "work"].value', value: '0171 1234567' }],
    [{ value: [{ value: '0171 1234567' }], path: 'phoneNumbers', op: 'add' }],
    [{ op: 'add', path: 'urn:ietf:params:scim:schemas:core:2.0:User:password', value: 'horse' }],
  ])('masks values of the change %j, which can be replayed', (operation) => {
    const { body, obstacle } = bodyOf({ Operations: [operation] });
    expect(body).not.toMatch(/horse|1234567/);
    expect(body).toContain('•');
    expect(obstacle).toBeNull();
  });

  it.each([
    [{ userName: '+49 171 1234567' }, 'userName'],
    [{ displayName: `My key is ${KEY}` }, 'displayName'],
    [{ 'urn:example:2.0:User': { clientSecret: 'abc' } }, 'urn:example:2.0:User.clientSecret'],
    [
      { Operations: [{ op: 'remove', path: 'phoneNumbers[value eq "01711234567"]' }] },
      'Operations[0].path',
    ],
    [
      { Operations: [{ op: 'remove', path: 'phoneNumbers', value: '01711234567' }] },
      'Operations[0].value',
    ],
  ])('cannot be replayed if a value is masked that decides: %j', (body, path) => {
    const masked = bodyOf(body);
    expect(masked.body).not.toMatch(/1234567|kkk|abc/);
    expect(masked.obstacle).toBe(`${path} was masked in its body, and decides what it does`);
  });

  it('is not taken for a phone number where it is none', () => {
    const body = {
      externalId: '00u1234567890',
      meta: { created: '2026-11-22T12:00:00.000Z' },
      'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': { employeeNumber: '00012345' },
    };
    expect(shown(body)).toEqual(body);
    expect(bodyOf(body).obstacle).toBeNull();
  });

  it('is shown without short secrets and numbers of every name', () => {
    const body = {
      pwd: 'horse',
      userPin: '4711',
      otp: 123456,
      cell: '0171 1234567',
      msisdn: '491711234567',
      faxNumber: 41791234567,
      Operations: [
        { op: 'replace', path: 'pin', value: '4711' },
        { op: 'replace', value: { 'urn:example:2.0:User:cell': '0171 1234567' } },
      ],
    };
    expect(shown(body)).toEqual({
      pwd: '•••••••',
      userPin: '•••••••',
      otp: '•••••••',
      cell: '017•••••••67',
      msisdn: '491•••••••67',
      faxNumber: '417•••••••67',
      Operations: [
        { op: 'replace', path: 'pin', value: '•••••••' },
        { op: 'replace', value: { 'urn:example:2.0:User:cell': '017•••••••67' } },
      ],
    });
    expect(bodyOf('{"pin": "4711"').body).toBeNull();
  });

  it('is shown as it is behind names that are only similar, and where it is no number', () => {
    const body = {
      shippingAddress: '12345 Elm Street',
      seats: 250,
      smsSeats: 250,
      cellId: '6f1c2c1e-3b0e-4a58-9d7a-0a4c5b1d2e3f',
      phoneVerifiedAt: '2026-11-22T12:00:00.000Z',
      passwordChangedAt: '2026-11-22T12:00:00Z',
      otpEnabled: true,
      mobileTeam: 'B12',
    };
    expect(shown(body)).toEqual(body);
    expect(bodyOf(body).obstacle).toBeNull();
  });

  it('is cut after 64 KiB, at the end of a value, and masked before', () => {
    const { body, isCut, obstacle } = bodyOf({
      password: 'horse',
      members: Array.from({ length: 5_000 }, (_, at) => ({ value: `member-${at}` })),
    });
    expect(isCut).toBe(true);
    expect(obstacle).toBe('its body was longer than 64 KiB');
    const start = JSON.parse(body ?? '') as { readonly members: readonly unknown[] };
    expect(start).toMatchObject({ password: '•••••••', members: expect.any(Array) as unknown });
    expect(start.members.length).toBeGreaterThan(1_000);
    expect(start.members.length).toBeLessThan(5_000);
  });

  it('is hidden where the path of a change was cut off', () => {
    const values = Array.from({ length: 5_000 }, (_, at) => `0171 ${1_000_000 + at}`);
    const { body } = bodyOf({ Operations: [{ op: 'add', value: values, path: 'phoneNumbers' }] });
    expect(body).not.toContain('0171');
  });

  it('is masked if it is not JSON, and left out if it may contain a secret', () => {
    const malformed = bodyOf('{"userName": "ada", "phoneNumbers": [{"value": "0171 1234567"');
    expect(malformed).toMatchObject({ obstacle: 'its body is not JSON' });
    expect(malformed.body).toContain('"userName": "ada"');
    expect(malformed.body).not.toContain('1234567');
    expect(bodyOf('{"userName": "ada", "password": "horse"').body).toBeNull();
    expect(bodyOf('['.repeat(10_000)).obstacle).toBe('its body is not JSON');
    expect(bodyOf('')).toEqual({ body: null, isCut: false, obstacle: null });
  });
});

describe('masking 64 KiB', () => {
  const members = (count: number): Record<string, number> =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`a${at}`, at]));
  const numbers = (count: number): string[] => Array.from({ length: count }, () => '+491711234567');

  it.each<[string, unknown]>([
    ['thousands of members', members(6_000)],
    ['thousands of members, cut', { ...members(6_000), more: 'x'.repeat(MAX_BODY) }],
    ['members beside a long path', { path: `urn:${':'.repeat(30_000)}`, ...members(3_000) }],
    ['numbers under a long name', { ['n'.repeat(30_000)]: numbers(2_000) }],
    ['almost tokens', { displayName: 'eyJ-'.repeat(16_000) }],
    ['almost tokens without JSON', 'eyJ-'.repeat(16_000)],
    ['white space after a scheme', { displayName: `Bearer${' '.repeat(65_000)}` }],
    ['white space before a number', { phoneNumbers: [`${' '.repeat(65_000)}12345`] }],
    ['quotes', { path: '"'.repeat(32_000) }],
  ])('is linear work: %s', async (_, body) => {
    await expectQuick(() => bodyOf(body));
  });

  it.each<[string, unknown]>([
    ['a list', Array.from({ length: 20_000 }, () => 1)],
    ['short lists', Array.from({ length: 10_000 }, () => [1])],
    ['an object', members(5_000)],
  ])('can be interrupted every 128 values of %s', (_, body) => {
    const stepsOf = (work: Chunked<unknown>): number => {
      let steps = 1;
      while (!work.next().done) steps += 1;
      return steps;
    };
    const values = JSON.stringify(body).split(',').length;
    expect(stepsOf(maskingOf(body))).toBeGreaterThan(values / 128);
  });
});

describe('a token in a captured text', () => {
  it.each([
    ['Bearer  abcdefgh.ijkl', 'Bearer  •••••••'],
    ['basic YWRhOmhvcnNl bearer abcdefgh', 'basic ••••••• bearer •••••••'],
    ['bearer abcdefgh/bearer abcdefgh', 'bearer ••••••• •••••••'],
    ['eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.c2ln', '•••••••'],
    ['eyJhbGciOiJ-eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0', '•••••••'],
    ['a eyJhbGciOiJub25lIn0, whsec_abc/def', 'a eyJhbGciOiJub25lIn0, •••••••'],
    ['eyJhbGciOi-whsec_abc', 'eyJhbGciOi-•••••••'],
  ])('is masked in %j', (text, masked) => {
    expect(shown({ displayName: text })).toEqual({ displayName: masked });
  });
});

describe('the headers of a captured request', () => {
  it('show values only where no program puts secrets', () => {
    expect(
      maskHeaders({
        authorization: `Bearer ${KEY}`,
        cookie: 'sid=1',
        'x-api-key': 'abc',
        'user-agent': 'Okta SCIM Client 1.0.0',
        'content-type': 'application/scim+json',
        'set-cookie': ['a', 'b'],
      }),
    ).toEqual({
      authorization: 'Bearer •••••••',
      cookie: '•••••••',
      'x-api-key': '•••••••',
      'user-agent': 'Okta SCIM Client 1.0.0',
      'content-type': 'application/scim+json',
      'set-cookie': '•••••••',
    });
  });
});

describe('the path of a captured request', () => {
  it.each([
    '/v1/acme/scim/v2/Users?filter=userName%20eq%20%22ada%40example.com%22&startIndex=1',
    '/v1/acme/scim/v2/Users/6f1c2c1e-3b0e-4a58-9d7a-0a4c5b1d2e3f',
    '/v1/acme/Users?filter=userName+eq+%22mobile%20team%2012345%22',
    '/v1/acme/Users?count=%ZZ',
  ])('is shown as it was sent: %s', (url) => {
    expect(maskUrl(url)).toBe(url);
  });

  it.each([
    `/v1/acme/Users?access_token=1234567`,
    '/v1/acme/Users?filter=phoneNumbers.value%20eq%20%2201711234567%22',
    '/v1/acme/Users?filter=userName%20eq%20%22%2B491711234567%22',
    '/v1/acme/Users?filter=userName+eq+%22+491711234567%22',
    '/v1/acme/Users/+491711234567',
    '/v1/acme/Users?filter=password%20eq%20%221234567%22',
    '/v1/acme/Users?otp=1234567',
    '/v1/acme/Users?filter=cell%20eq%20%221234567%22',
    '/v1/acme/Users?filter=userName%20eq%20%220171%201234567%22',
    '/v1/acme/Users?filter=userName+eq+%220171+1234567%22',
  ])('is masked: %s', (url) => {
    const masked = maskUrl(url);
    expect(masked).not.toContain('1234567');
    expect(masked).toContain('•');
  });
});
