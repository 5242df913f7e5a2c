import { describe, expect, it } from 'vitest';
import { nameKey as nameKeyOfClient } from '../../src/client/index.js';
import { fold, isVisible, nameError, nameKey } from '../../src/domain/kernel/names.js';

describe('a text', () => {
  it.each(['x', ' x ', '消', '🚒', '.', 'ad\u200bmin'])('is visible: %j', (text) => {
    expect(isVisible(text)).toBe(true);
  });

  it.each(['', '   ', '\u00a0', '\u3000 ', '\u200b', '\u3164'])('is not visible: %j', (text) => {
    expect(isVisible(text)).toBe(false);
  });
});

describe('faultOfName', () => {
  it.each([
    ['Dispatch', 'plain letters'],
    ['Leitstelle Süd 2', 'a space'],
    ['消防署', 'another script'],
    ['🚒 Fire', 'an emoji of one code point'],
    ['e\u0301quipe', 'a combining mark'],
  ])('accepts %j: %s', (text) => {
    expect(nameError(text)).toBeUndefined();
  });

  it.each([
    ['ad\u200bmin', 'U+200B', 3],
    ['\ufeffadmin', 'U+FEFF', 1],
    ['admin\u00ad', 'U+00AD', 6],
    ['a\u202eb', 'U+202E', 2],
    ['a\u061cb', 'U+061C', 2],
    ['🚒\ufe0f', 'U+FE0F', 2],
    ['👩\u200d🚒', 'U+200D', 2],
    ['a\u3164', 'U+3164', 2],
    ['a\u{e0061}', 'U+E0061', 2],
  ])('rejects %j with the invisible %s at %i', (text, codePoint, place) => {
    expect(nameError(text)).toBe(
      `must not contain the invisible character ${codePoint} (character ${place})`,
    );
  });

  it.each(['\u00a0', '\u2007', '\u202f', '\u3000', '\u2028', '\u2029', '\u1680'])(
    'rejects the space %j',
    (space) => {
      const codePoint = space.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
      expect(nameError(`Night${space}shift`)).toBe(
        `must not contain the space U+${codePoint} (character 6); use U+0020`,
      );
    },
  );
});

describe('fold', () => {
  it.each([
    ['ｂｏｂ', 'bob', 'fullwidth letters'],
    ['Ａ@x.test', 'a@x.test', 'a fullwidth capital'],
    ['ｶﾞﾘ', 'ガリ', 'halfwidth kana with a voiced mark'],
    ['￦１', '₩1', 'fullwidth signs and digits'],
    ['E\u0301', 'é', 'decomposed letters'],
    ['ﬁ ²', 'ﬁ ²', 'no other compatibility forms (RFC 8265)'],
    [' a  b ', ' a  b ', 'no white space'],
  ])('makes %j %j: %s', (text, folded) => {
    expect(fold(text)).toBe(folded);
    expect(fold(folded)).toBe(folded);
  });
});

describe('nameKey', () => {
  it.each([
    'Dispatch East ',
    ' dispatch  east',
    'Dispatch\u00a0East',
    'ＤＩＳＰＡＴＣＨ\u3000ＥＡＳＴ',
  ])('is the same for %j', (name) => {
    expect([nameKey(name), nameKeyOfClient(name)]).toEqual(['dispatch east', 'dispatch east']);
  });
});
