import { describe, expect, it } from 'vitest';
import { accentColour, accentOnDark } from '../../config/accent-colour.js';

describe('the accent colour', () => {
  it.each(['#1a5fb4', '#4f46e5', '#000000', '#B00020'])('%s can be read on white', (colour) => {
    expect(accentColour.safeParse(colour).success).toBe(true);
  });

  it.each([
    ['#ffcc00', /contrast of 1\.\d .* choose a darker colour/],
    ['#8d87ff', /contrast of/],
    ['red', /must be a colour such as #1a5fb4/],
    ['#fff', /must be a colour/],
  ])('%s is refused, with the reason', (colour, reason) => {
    expect(accentColour.safeParse(colour).error?.issues[0]?.message).toMatch(reason);
  });

  it('is lightened for the dark theme as far as it needs to be', () => {
    expect(accentOnDark('#000000')).toMatch(/^#([0-9a-f]{2})\1\1$/);
    expect(accentOnDark('#ffffff')).toBe('#ffffff');
    expect(accentOnDark('#1a5fb4')).not.toBe('#1a5fb4');
  });
});
