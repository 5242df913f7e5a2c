import { describe, expect, it } from 'vitest';
import { maskNumber } from '../../src/domain/phone-number.js';

describe('a masked number', () => {
  it('shows where it is from and how it ends', () => {
    expect(maskNumber('+4915112345623')).toBe('+4915…23');
  });

  it('hides four digits at least, however short the number is', () => {
    expect(maskNumber('+2901234')).toBe('+2…34');
    expect(maskNumber('+1234')).toBe('…34');
  });
});
