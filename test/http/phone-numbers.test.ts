import { describe, expect, it } from 'vitest';
import { isCountry, toE164 } from '../../src/sms/phone-numbers.js';

describe('a phone number', () => {
  it.each([
    ['+4915123456789', null, '+4915123456789'],
    ['+49 (0) 1512 3456789', null, '+4915123456789'],
    ['+49-1512-345.67 89', null, '+4915123456789'],
    ['tel:+49-1512-3456789', null, '+4915123456789'],
    ['01512 3456789', 'DE', '+4915123456789'],
    ['0049 1512 3456789', 'DE', '+4915123456789'],
    ['011 49 1512 3456789', 'US', '+4915123456789'],
    ['(202) 555-0143', 'US', '+12025550143'],
    ['+44 7911 123456', 'DE', '+447911123456'],
    ['+1 555 123 4567', null, '+15551234567'],
    [' +4915123456789\n', null, '+4915123456789'],
    ['(+49) 1512 3456789', null, '+4915123456789'],
    ['(+49)1512 3456789', 'US', '+4915123456789'],
    ['＋４９ 1512 3456789', null, '+4915123456789'],
    // Address books of Windows and iOS add these around copied numbers.
    ['\u202a+49 1512 3456789\u202c', null, '+4915123456789'],
    ['\u200e+49 1512\u200b3456789\ufeff', null, '+4915123456789'],
  ])('%j in %s is %s', (text, country, number) => {
    expect(toE164(text, country)).toBe(number);
  });

  it.each([
    ['without its country code', '01512 3456789', null],
    ['too short', '+49 15', null],
    ['too long', '+49 1512 3456789 012345', null],
    ['with an unknown country code', '+999 123 4567', null],
    ['with an extension', '+1 202 555 0143 ext. 5', null],
    ['in words', 'call me', 'DE'],
    ['within a text', 'call +49 1512 3456789 now', 'DE'],
    ['two at once', '+49 1512 3456789, +49 1512 3456780', 'DE'],
    ['in letters', '1-800-FLOWERS', 'US'],
    ['two pluses', '++49 1512 3456789', null],
    ['a country code in two places', '(+49) +49 1512 3456789', null],
    ['an unbalanced bracket', '(+49 1512 3456789', null],
    ['nothing', ' ', 'DE'],
    ['a plus alone', '+', 'DE'],
    ['an unknown country', '01512 3456789', 'XX'],
  ])('is refused %s', (_what, text, country) => {
    expect(toE164(text, country)).toBeUndefined();
  });
});

describe('a country', () => {
  it('is a code of two capital letters with a numbering plan', () => {
    expect(['DE', 'US', 'GB'].every(isCountry)).toBe(true);
    expect(['de', 'XX', 'DEU', '', '49', '__proto__', 'constructor'].some(isCountry)).toBe(false);
  });
});
