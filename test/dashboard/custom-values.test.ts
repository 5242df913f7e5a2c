import { describe, expect, it } from 'vitest';
import { patternOf, valueOf } from '../../plugins/dashboard/app/custom-values.js';

const INTEGER = { type: 'integer', multi_valued: false } as const;
const DECIMAL = { type: 'decimal', multi_valued: false } as const;

const fits = (attribute: Parameters<typeof patternOf>[0], text: string): boolean =>
  new RegExp(`^(?:${patternOf(attribute) ?? ''})$`, 'v').test(text);

describe('the value of an attribute', () => {
  it.each([
    [INTEGER, '402', 402],
    [INTEGER, ' -7 ', -7],
    [DECIMAL, '1.5', 1.5],
    [DECIMAL, '1e+21', 1e21],
  ])('of %j is read from %j', (attribute, text, value) => {
    expect(valueOf(attribute, text)).toBe(value);
    expect(fits(attribute, text)).toBe(true);
  });

  it.each([
    [INTEGER, '4O2'],
    [INTEGER, '1,5'],
    [INTEGER, '12 345'],
    [DECIMAL, '1,5'],
  ])('of %j is not read from %j, which the field and the API refuse', (attribute, text) => {
    expect(valueOf(attribute, text)).toBe(text);
    expect(fits(attribute, text)).toBe(false);
  });

  it('of a list is read item by item', () => {
    expect(valueOf({ type: 'integer', multi_valued: true }, '1, 2O, 3')).toEqual([1, '2O', 3]);
  });

  it('is never removed by a number that is too large', () => {
    expect(valueOf(DECIMAL, '1e999')).toBe('1e999');
  });

  it('is removed by an empty field, and kept as written if it is a text', () => {
    expect(valueOf(INTEGER, '')).toBeNull();
    expect(valueOf({ type: 'string', multi_valued: false }, ' 4O2')).toBe(' 4O2');
  });
});
