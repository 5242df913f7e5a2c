import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatDuration, parseDuration } from '../../config/duration.js';

describe('a duration', () => {
  it.each([
    ['0s', 0],
    ['250ms', 250],
    ['5s', 5_000],
    ['30s', 30_000],
    ['2m', 120_000],
    ['1h', 3_600_000],
    ['24h', 86_400_000],
    ['90d', 7_776_000_000],
    [' 5s ', 5_000],
  ])('%s is %d ms', (text, milliseconds) => {
    expect(parseDuration(text)).toBe(milliseconds);
  });

  it.each(['', '5', 's', '-5s', '1.5h', '5 s', '5S', '5s5s', '1w', '5s,', '1e3s', '999999d', '٣s'])(
    'rejects "%s"',
    (text) => {
      expect(parseDuration(text)).toBeUndefined();
    },
  );

  it('is the same after formatting and parsing', () => {
    const milliseconds = fc.integer({ min: 0, max: 36_500 * 86_400_000 });
    fc.assert(fc.property(milliseconds, (given) => parseDuration(formatDuration(given)) === given));
  });

  it('is formatted in the largest unit that represents it exactly', () => {
    const units = fc.constantFrom('ms', 's', 'm', 'h', 'd');
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 999 }), units, (amount, unit) => {
        const given = `${amount}${unit}`;
        const written = formatDuration(parseDuration(given) ?? Number.NaN);
        expect(parseDuration(written)).toBe(parseDuration(given));
        expect(written.length).toBeLessThanOrEqual(given.length);
      }),
    );
  });

  it('parses or rejects any text without throwing', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const milliseconds = parseDuration(text);
        return milliseconds === undefined || Number.isSafeInteger(milliseconds);
      }),
    );
  });
});
