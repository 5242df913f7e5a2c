import { describe, expect, it } from 'vitest';
import { fold } from '../../src/domain/kernel/names.js';
import { isSame } from '../../src/domain/kernel/json.js';
import { seatsAvailable } from '../../src/domain/tenant/tenant.js';
import { displayNameOf, emailOf, isEmailAddress } from '../../src/domain/user/user.js';
import { aProfile } from '../support/builders.js';

describe('emailOf', () => {
  it.each([
    [
      'the primary one',
      { emails: [{ value: 'a@x.org' }, { value: 'b@x.org', primary: true }] },
      'b@x.org',
    ],
    ['else the first', { emails: [{ value: 'a@x.org' }, { value: 'b@x.org' }] }, 'a@x.org'],
    ['else the user name if it is an address', { userName: 'c@x.org', emails: [] }, 'c@x.org'],
    ['else none', { userName: 'carol' }, null],
    [
      'never a text that is no address',
      { userName: 'carol', emails: [{ value: 'n/a', primary: true }, { value: '-' }] },
      null,
    ],
    [
      'the first address if the primary one is none',
      { emails: [{ value: 'n/a', primary: true }, { value: '-' }, { value: 'a@x.org' }] },
      'a@x.org',
    ],
    ['else the user name', { userName: 'c@x.org', emails: [{ value: 'n/a' }] }, 'c@x.org'],
    ['never an element without a value', { userName: 'carol', emails: [{ type: 'work' }] }, null],
  ] as const)('returns %s', (_what, profile, expected) => {
    expect(emailOf(aProfile(profile))).toBe(expected);
  });

  it.each(['a@b', 'first.last+tag@sub.example.org', 'ü@exämple.org'])('accepts %s', (text) => {
    expect(isEmailAddress(text)).toBe(true);
  });

  it.each([
    '',
    'a',
    '@b',
    'a@',
    'a b@c',
    'a@b@c',
    'a(comment)@b',
    '"a"@b',
    `${'a'.repeat(250)}@bcde`,
  ])('rejects %s', (text) => {
    expect(isEmailAddress(text)).toBe(false);
  });
});

describe('displayNameOf', () => {
  it.each([
    [{ displayName: 'Ada' }, 'Ada'],
    [{ displayName: undefined, name: { formatted: 'Dr Ada', givenName: 'A' } }, 'Dr Ada'],
    [{ displayName: undefined, name: { givenName: 'Ada', familyName: 'King' } }, 'Ada King'],
    [{ displayName: undefined, name: {} }, 'ada@example.com'],
  ])('%j → %s', (profile, expected) => {
    const { displayName: _displayName, ...bare } = aProfile();
    const given = Object.fromEntries(
      Object.entries(profile).filter(([, value]) => value !== undefined),
    );
    expect(displayNameOf({ ...bare, ...given })).toBe(expected);
  });
});

describe('fold', () => {
  it('ignores letter case and composition, and nothing else', () => {
    expect(fold('RENE\u0301')).toBe(fold('ren\u00e9'));
    expect(fold('rene')).not.toBe(fold('ren\u00e9'));
    expect(fold('a b')).not.toBe(fold('ab'));
  });
});

describe('isSame', () => {
  it.each([
    [{ a: 1, b: 2 }, { b: 2, a: 1 }, true],
    [{ a: undefined }, {}, true],
    [{ a: null }, {}, false],
    [[1, 2], [2, 1], false],
    [[1], { 0: 1 }, false],
    [{ a: [{ b: 'x' }] }, { a: [{ b: 'x' }] }, true],
    [{ a: [{ b: 'x' }] }, { a: [{ b: 'X' }] }, false],
  ])('%j and %j: %s', (one, other, expected) => {
    expect(isSame(one, other)).toBe(expected);
    expect(isSame(other, one)).toBe(expected);
  });
});

describe('seatsAvailable', () => {
  it.each([
    [10, 4, 6],
    [10, 10, 0],
    [3, 8, 0],
    [null, 8, null],
  ])('capacity %s with %s in use leaves %s', (seatCapacity, seatsProvisioned, expected) => {
    expect(seatsAvailable({ seatCapacity, seatsProvisioned })).toBe(expected);
  });
});
