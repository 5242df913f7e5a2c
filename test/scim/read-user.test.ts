import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RefusalError } from '../../src/domain/refusals.js';
import { readUser } from '../../src/scim/read-user.js';
import { userBody, word } from './arbitraries.js';
import { refusalOf } from './refusals.js';

const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const CORE = 'urn:ietf:params:scim:schemas:core:2.0:User';

const read = (body: object) => readUser({ userName: 'ada', ...body });
const faultsOf = (body: unknown) => refusalOf(() => readUser(body)).details;

describe('the body of a user', () => {
  it('becomes a profile, and who does not say so is active', () => {
    expect(readUser({ userName: 'ada' })).toEqual({ userName: 'ada', active: true });
  });

  it('keeps the whole core schema and the extension as they were given', () => {
    const given = {
      externalId: 'X-1',
      displayName: 'Ada Lovelace',
      name: { formatted: 'Ada', familyName: 'Lovelace', honorificPrefix: 'Countess' },
      profileUrl: 'people/ada',
      emails: [{ value: 'ada@example.com', type: 'elsewhere', display: 'Ada', primary: true }],
      addresses: [{ formatted: '1 Main St\nLondon', type: 'work', country: 'GB' }],
      entitlements: [{ value: 'dispatch' }],
      x509Certificates: [{ value: 'MIIDQzCCAqygAwIBAgICEAAwDQYJ' }],
    };
    const enterprise = { employeeNumber: '7', manager: { value: 'm', $ref: '../Users/m' } };
    expect(read({ ...given, [ENTERPRISE]: enterprise })).toEqual({
      userName: 'ada',
      active: true,
      ...given,
      enterprise,
    });
  });

  it('may name attributes in any case and qualified', () => {
    expect(
      readUser({
        USERNAME: 'ada',
        [`${CORE}:title`]: 'Countess',
        [`${ENTERPRISE.toLowerCase()}:DEPARTMENT`]: 'Engines',
        [`${ENTERPRISE}:manager`]: { VALUE: 'm' },
        'name.givenName': 'Ada',
      }),
    ).toEqual({
      userName: 'ada',
      active: true,
      title: 'Countess',
      enterprise: { department: 'Engines', manager: { value: 'm' } },
      name: { givenName: 'Ada' },
    });
  });

  it('may hold what nobody knows, what is read-only and what is never kept', () => {
    const more = {
      schemas: ['urn:scim:schemas:core:1.0', CORE, 'urn:unknown'],
      id: 'other',
      meta: { version: 'x' },
      groups: [],
      roles: [{ value: 'admin' }],
      password: 'secret',
      shoeSize: 42,
      'urn:unknown': { x: 1 },
      'emails.value': 'a@b',
      name: { givenName: 'Ada', nick: 'A' },
      [ENTERPRISE]: { manager: { value: 'm', displayName: 'Byron' }, shoe: 1 },
    };
    expect(read(more)).toEqual({
      userName: 'ada',
      active: true,
      name: { givenName: 'Ada' },
      enterprise: { manager: { value: 'm' } },
    });
  });

  it.each([
    ['Entra, SCIM-SDK: booleans as texts', { active: 'False' }, { active: false }],
    ['the other boolean as a text', { active: 'TRUE' }, {}],
    [
      'OneLogin: one e-mail that is no list',
      { emails: { value: 'a@b' } },
      { emails: [{ value: 'a@b' }] },
    ],
    ['an e-mail as a text', { emails: ['a@b'] }, { emails: [{ value: 'a@b' }] }],
    ['OneLogin: fields that are empty', { title: '', name: { givenName: '', familyName: '' } }, {}],
    ['an e-mail without an address', { emails: [{ value: '', type: 'work', primary: true }] }, {}],
    [
      'a phone number that has only a type',
      { phoneNumbers: [{ type: 'work' }, { primary: false }, {}] },
      { phoneNumbers: [{ type: 'work' }] },
    ],
    [
      'elements without a value beside others, which stay apart',
      { ims: [{ value: 'a', type: 'x' }, { type: 'x' }, { display: 'd' }, { display: 'D' }] },
      { ims: [{ value: 'a', type: 'x' }, { type: 'x' }, { display: 'D' }] },
    ],
    ['null for no value', { title: null, emails: null, name: null, active: null }, {}],
    ['nothing in a list', { emails: [], phoneNumbers: [null, ''] }, {}],
    [
      'Entra: a manager as a text',
      { [ENTERPRISE]: { manager: 'm' } },
      { enterprise: { manager: { value: 'm' } } },
    ],
    ['an extension without a value', { [ENTERPRISE]: { manager: {}, department: '' } }, {}],
    ['SCIM-SDK: a single value in a list', { title: ['Countess'] }, { title: 'Countess' }],
  ])('may have %s', (_what, body, expected) => {
    expect(read(body)).toEqual({ userName: 'ada', active: true, ...expected });
  });

  it('has the same e-mail once', () => {
    const emails = [
      { value: 'a@b', type: 'work' },
      { value: 'A@B', type: 'WORK', primary: true },
      { value: 'a@b', type: 'home' },
    ];
    expect(read({ emails })['emails']).toEqual([
      { value: 'A@B', type: 'WORK', primary: true },
      { value: 'a@b', type: 'home' },
    ]);
  });

  it.each([
    ['no user name', {}, 'userName', 'is required'],
    ['an empty one', { userName: '' }, 'userName', 'is required'],
    ['a blank one', { userName: '  ' }, 'userName', 'is required'],
    ['null', { userName: null }, 'userName', 'is required'],
    ['a number', { userName: 5 }, 'userName', 'must be a text, not a number'],
    ['an object', { userName: { $ne: null } }, 'userName', 'must be a text, not an object'],
    [
      'two names that differ in case',
      { userName: 'a', USERNAME: 'b' },
      'userName',
      'is named twice',
    ],
    [
      'two parts that differ in case',
      { userName: 'a', name: { givenName: 'a', GIVENNAME: 'b' } },
      'name.givenName',
      'is named twice',
    ],
    [
      'no boolean',
      { userName: 'a', active: 'maybe' },
      'active',
      'must be true or false, not a text',
    ],
    [
      'a list of several for a single value',
      { userName: 'a', title: ['a', 'b'] },
      'title',
      'must be a text, not a list',
    ],
    ['a text for a name', { userName: 'a', name: 'Ada' }, 'name', 'must be an object, not a text'],
    [
      'a number in a list',
      { userName: 'a', emails: [{ value: 'a@b' }, 5] },
      'emails[1]',
      'must be an object, not a number',
    ],
    [
      'a number in an element',
      { userName: 'a', emails: [{ value: 5 }] },
      'emails[0].value',
      'must be a text, not a number',
    ],
    [
      'two primary e-mails',
      {
        userName: 'a',
        emails: [
          { value: 'a', primary: true },
          { value: 'b', primary: 'true' },
        ],
      },
      'emails',
      'may have one primary value',
    ],
    [
      'too many e-mails',
      { userName: 'a', emails: Array.from({ length: 101 }, () => 'a') },
      'emails',
      'may have 100 values at most',
    ],
    [
      'a long user name',
      { userName: 'a'.repeat(257) },
      'userName',
      'may have 256 characters at most',
    ],
    [
      'a long title',
      { userName: 'a', title: 'a'.repeat(1025) },
      'title',
      'may have 1024 characters at most',
    ],
    [
      'a control character',
      { userName: 'a\u0007' },
      'userName',
      'must not hold control characters',
    ],
    [
      'a line break in a name',
      { userName: 'a', displayName: 'a\nb' },
      'displayName',
      'must not hold control characters',
    ],
    [
      'a tab in an e-mail',
      { userName: 'a', emails: [{ value: 'a\t' }] },
      'emails[0].value',
      'must not hold control characters',
    ],
    [
      'another control character in an address',
      { userName: 'a', addresses: [{ formatted: '\u0000' }] },
      'addresses[0].formatted',
      'must not hold control characters',
    ],
    [
      'a right-to-left override',
      { userName: 'a\u202Eb' },
      'userName',
      'must not hold the invisible character',
    ],
    [
      'an isolate in an external id',
      { userName: 'a', externalId: '\u2066a' },
      'externalId',
      'must not hold the invisible character',
    ],
    [
      'a mark in an e-mail',
      { userName: 'a', emails: [{ value: '\u200fa' }] },
      'emails[0].value',
      'must not hold the invisible character',
    ],
    ['half a surrogate pair', { userName: '\ud800' }, 'userName', 'holds half of a surrogate pair'],
  ])('is refused for %s', (_what, body, path, message) => {
    expect(faultsOf(body)).toEqual([{ path, message: expect.stringContaining(message) as string }]);
  });

  it('may write in both directions where nobody is recognised by it', () => {
    expect(read({ displayName: '\u200fעדה' })['displayName']).toBe('\u200fעדה');
  });

  it('is refused with every fault at once', () => {
    const body = { userName: 5, active: 'x', name: 7, title: 8, nickName: 9 };
    const refusal = refusalOf(() => readUser(body));
    expect(refusal).toMatchObject({ code: 'INVALID_REQUEST', scimType: 'invalidValue' });
    expect(refusal.details?.map(({ path }) => path)).toEqual(Object.keys(body));
    expect(refusal.message).toBe(
      'userName must be a text, not a number; active must be true or false, not a text; ' +
        'name must be an object, not a number; and 2 more.',
    );
  });

  it.each([undefined, null, 'text', 5, true, []])(
    'is refused where it is no object: %j',
    (body) => {
      expect(refusalOf(() => readUser(body)).scimType).toBe('invalidSyntax');
    },
  );

  it('once read says the same when it is read again', () => {
    fc.assert(
      fc.property(userBody(word), (body) => {
        const { enterprise, ...core } = readUser(body);
        const again = readUser({ ...core, ...(enterprise && { [ENTERPRISE]: enterprise }) });
        expect(again).toEqual({ ...core, ...(enterprise && { enterprise }) });
      }),
    );
  });

  it('keeps a list that was merged as it is (seed 1314691126)', () => {
    const entitlements = [
      { value: 'ab', type: 'É', display: 'a' },
      { display: 'e\u0301' },
      { value: 'AB', type: 'é', display: 'é', primary: true },
    ];
    const once = read({ entitlements })['entitlements'];
    expect(once).toHaveLength(2);
    expect(read({ entitlements: once })['entitlements']).toEqual(once);
  });

  it('is read or refused, whatever JSON it is', () => {
    const key = fc.constantFrom(
      'userName',
      'emails',
      'name',
      'active',
      ENTERPRISE,
      `${ENTERPRISE}:manager`,
      '__proto__',
    );
    fc.assert(
      fc.property(fc.dictionary(key, fc.jsonValue()), (body) => {
        try {
          expect(readUser(body).userName).not.toBe('');
        } catch (error) {
          expect(error).toBeInstanceOf(RefusalError);
        }
      }),
    );
  });
});
