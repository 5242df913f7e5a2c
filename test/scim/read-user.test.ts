import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RefusalError } from '../../src/domain/kernel/refusals.js';
import { readUser } from '../../src/scim/read-user.js';
import { userBody, word } from './arbitraries.js';
import { refusalOf } from './refusal-of.js';

const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const CORE = 'urn:ietf:params:scim:schemas:core:2.0:User';

const read = (body: object) => readUser({ userName: 'ada', ...body });
const errorsOf = (body: unknown) => refusalOf(() => readUser(body)).details;

describe('readUser', () => {
  it('returns the profile, with active true by default', () => {
    expect(readUser({ userName: 'ada' })).toEqual({ userName: 'ada', active: true });
  });

  it('keeps all attributes of the core schema and the extension unchanged', () => {
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

  it('accepts attribute names in any case, and qualified names', () => {
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

  it('ignores unknown and read-only attributes, and those that are never stored', () => {
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
    ['Entra, SCIM-SDK: booleans as strings', { active: 'False' }, { active: false }],
    ['true as a string', { active: 'TRUE' }, {}],
    [
      'OneLogin: one e-mail that is not in a list',
      { emails: { value: 'a@b' } },
      { emails: [{ value: 'a@b' }] },
    ],
    ['an e-mail as a string', { emails: ['a@b'] }, { emails: [{ value: 'a@b' }] }],
    ['OneLogin: empty fields', { title: '', name: { givenName: '', familyName: '' } }, {}],
    ['an e-mail with an empty value', { emails: [{ value: '', type: 'work', primary: true }] }, {}],
    [
      'a phone number with only a type',
      { phoneNumbers: [{ type: 'work' }] },
      { phoneNumbers: [{ type: 'work' }] },
    ],
    [
      'elements without a value, which are not merged with others',
      { ims: [{ value: 'a', type: 'x' }, { type: 'x' }, { type: 'X', display: 'D' }] },
      { ims: [{ value: 'a', type: 'x' }, { type: 'x' }, { type: 'X', display: 'D' }] },
    ],
    ['null', { title: null, emails: null, name: null, active: null }, {}],
    ['empty lists', { emails: [], phoneNumbers: [''] }, {}],
    [
      'Entra: a manager as a string',
      { [ENTERPRISE]: { manager: 'm' } },
      { enterprise: { manager: { value: 'm' } } },
    ],
    ['an extension with only empty values', { [ENTERPRISE]: { manager: {}, department: '' } }, {}],
    [
      'a whole number as a text',
      { title: 7, emails: [{ value: 42 }] },
      { title: '7', emails: [{ value: '42' }] },
    ],
    ['SCIM-SDK: a single value in a list', { title: ['Countess'] }, { title: 'Countess' }],
  ])('accepts %s', (_what, body, expected) => {
    expect(read(body)).toEqual({ userName: 'ada', active: true, ...expected });
  });

  it('merges duplicate e-mails', () => {
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
    ['an empty user name', { userName: '' }, 'userName', 'is required'],
    ['a blank user name', { userName: '  ' }, 'userName', 'is required'],
    ['a null user name', { userName: null }, 'userName', 'is required'],
    ['a fraction', { userName: 5.5 }, 'userName', 'must be a string, not a number'],
    ['a rounded number', { userName: 2 ** 53 }, 'userName', 'must be a string, not a number'],
    ['an empty element', { userName: 'a', emails: [{}] }, 'emails[0]', 'must have a value'],
    ['an empty address', { userName: 'a', addresses: [{}] }, 'addresses[0]', 'must have a value'],
    ['a null element', { userName: 'a', emails: [null] }, 'emails[0]', 'must have a value'],
    [
      'an element without value and type',
      { userName: 'a', phoneNumbers: [{ value: '1' }, { display: 'x', primary: true }] },
      'phoneNumbers[1]',
      'must have a value',
    ],
    [
      'a JSON text as an e-mail',
      { userName: 'a', emails: '[{"value":"a@b"}]' },
      'emails[0]',
      'must not be a JSON text; send the value itself',
    ],
    [
      'a JSON text as the value of an e-mail',
      { userName: 'a', emails: [{ value: '{"value":"a@b"}' }] },
      'emails[0].value',
      'must not be a JSON text; send the value itself',
    ],
    ['an object', { userName: { $ne: null } }, 'userName', 'must be a string, not an object'],
    [
      'two names that differ only in case',
      { userName: 'a', USERNAME: 'b' },
      'userName',
      'appears twice',
    ],
    [
      'two sub-attributes that differ only in case',
      { userName: 'a', name: { givenName: 'a', GIVENNAME: 'b' } },
      'name.givenName',
      'appears twice',
    ],
    [
      'a string that is not a boolean',
      { userName: 'a', active: 'maybe' },
      'active',
      'must be true or false, not a string',
    ],
    [
      'several values for a single-valued attribute',
      { userName: 'a', title: ['a', 'b'] },
      'title',
      'must be a string, not an array',
    ],
    [
      'a string for a name',
      { userName: 'a', name: 'Ada' },
      'name',
      'must be an object, not a string',
    ],
    [
      'a number in a list',
      { userName: 'a', emails: [{ value: 'a@b' }, 5] },
      'emails[1]',
      'must be an object, not a number',
    ],
    [
      'a number in an element',
      { userName: 'a', emails: [{ value: 5.5 }] },
      'emails[0].value',
      'must be a string, not a number',
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
      'must have at most one primary value',
    ],
    [
      'too many e-mails',
      { userName: 'a', emails: Array.from({ length: 101 }, () => 'a') },
      'emails',
      'must have at most 100 values',
    ],
    [
      'a long user name',
      { userName: 'a'.repeat(257) },
      'userName',
      'must have at most 256 characters',
    ],
    [
      'a long title',
      { userName: 'a', title: 'a'.repeat(1025) },
      'title',
      'must have at most 1024 characters',
    ],
    [
      'a control character',
      { userName: 'a\u0007' },
      'userName',
      'must not contain control characters',
    ],
    [
      'a line break in a name',
      { userName: 'a', displayName: 'a\nb' },
      'displayName',
      'must not contain control characters',
    ],
    [
      'a tab in an e-mail',
      { userName: 'a', emails: [{ value: 'a\t' }] },
      'emails[0].value',
      'must not contain control characters',
    ],
    [
      'another control character in an address',
      { userName: 'a', addresses: [{ formatted: '\u0000' }] },
      'addresses[0].formatted',
      'must not contain control characters',
    ],
    [
      'a right-to-left override',
      { userName: 'a\u202Eb' },
      'userName',
      'must not contain the invisible character',
    ],
    [
      'an isolate in an external id',
      { userName: 'a', externalId: '\u2066a' },
      'externalId',
      'must not contain the invisible character',
    ],
    [
      'a mark in an e-mail',
      { userName: 'a', emails: [{ value: '\u200fa' }] },
      'emails[0].value',
      'must not contain the invisible character',
    ],
    ['a lone surrogate', { userName: '\ud800' }, 'userName', 'must not contain a lone surrogate'],
  ])('refuses %s', (_what, body, path, message) => {
    expect(errorsOf(body)).toEqual([{ path, message: expect.stringContaining(message) as string }]);
  });

  it('accepts direction marks in attributes that do not identify the user', () => {
    expect(read({ displayName: '\u200fעדה' })['displayName']).toBe('\u200fעדה');
  });

  it('reports every error at once', () => {
    const body = { userName: 5.5, active: 'x', name: 7, title: true, nickName: [] };
    const refusal = refusalOf(() => readUser(body));
    expect(refusal).toMatchObject({ code: 'INVALID_REQUEST', scimType: 'invalidValue' });
    expect(refusal.details?.map(({ path }) => path)).toEqual(Object.keys(body));
    expect(refusal.message).toBe(
      'userName must be a string, not a number; active must be true or false, not a string; ' +
        'name must be an object, not a number; and 2 more.',
    );
  });

  it.each([undefined, null, 'text', 5, true, []])(
    'refuses a body that is not an object: %j',
    (body) => {
      expect(refusalOf(() => readUser(body)).scimType).toBe('invalidSyntax');
    },
  );

  it('returns the same profile when its result is read again', () => {
    fc.assert(
      fc.property(userBody(word), (body) => {
        const { enterprise, ...core } = readUser(body);
        const again = readUser({ ...core, ...(enterprise && { [ENTERPRISE]: enterprise }) });
        expect(again).toEqual({ ...core, ...(enterprise && { enterprise }) });
      }),
    );
  });

  it('does not change a list that was already merged (seed 1314691126)', () => {
    const entitlements = [
      { value: 'ab', type: 'É', display: 'a' },
      { type: 'x', display: 'e\u0301' },
      { value: 'AB', type: 'é', display: 'é', primary: true },
    ];
    const once = read({ entitlements })['entitlements'];
    expect(once).toHaveLength(2);
    expect(read({ entitlements: once })['entitlements']).toEqual(once);
  });

  it('returns a profile or throws a RefusalError for any JSON', () => {
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
