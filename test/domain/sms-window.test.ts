import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holdsAt, isSmsWindow } from '../../src/domain/sms/sms-list.js';

const at = (text: string | null): Date | null => (text === null ? null : new Date(text));
const window = (from: string | null, until: string | null) => ({
  validFrom: at(from),
  validUntil: at(until),
});

describe('a window', () => {
  const day = window('2026-03-01T00:00:00.000Z', '2026-03-02T00:00:00.000Z');

  it.each([
    ['a millisecond before its start', '2026-02-28T23:59:59.999Z', false],
    ['at its start', '2026-03-01T00:00:00.000Z', true],
    ['a millisecond before its end', '2026-03-01T23:59:59.999Z', true],
    ['at its end', '2026-03-02T00:00:00.000Z', false],
    ['a millisecond after its end', '2026-03-02T00:00:00.001Z', false],
  ])('includes the time %s: %s → %s', (_when, time, holds) => {
    expect(holdsAt(day, new Date(time))).toBe(holds);
  });

  it('may have no start, no end, or neither', () => {
    const [past, future] = [new Date('1970-01-01T00:00:00Z'), new Date('2999-01-01T00:00:00Z')];
    const [withStart, withEnd] = [
      window('2026-03-01T00:00:00Z', null),
      window(null, '2026-03-01T00:00:00Z'),
    ];
    expect([past, future].map((time) => holdsAt(withStart, time))).toEqual([false, true]);
    expect([past, future].map((time) => holdsAt(withEnd, time))).toEqual([true, false]);
    expect([past, future].map((time) => holdsAt(window(null, null), time))).toEqual([true, true]);
  });

  it.each([
    ['the same time in two time zones', '2026-03-01T01:00:00+01:00', '2026-03-01T00:00:00Z'],
    [
      'a later local time that is earlier in UTC',
      '2026-03-01T09:00:00Z',
      '2026-03-01T10:00:00+05:30',
    ],
    ['an end a millisecond before', '2026-03-01T00:00:00.001Z', '2026-03-01T00:00:00Z'],
  ])('is invalid with %s', (_what, from, until) => {
    expect(isSmsWindow(window(from, until))).toBe(false);
  });

  it('handles a leap day and the repeated hour of a clock change', () => {
    const leap = window('2028-02-29T00:00:00Z', '2028-03-01T00:00:00Z');
    expect(holdsAt(leap, new Date('2028-02-29T23:59:59.999Z'))).toBe(true);
    expect(holdsAt(leap, new Date('2028-02-28T23:59:59.999Z'))).toBe(false);
    const repeated = window('2026-10-25T02:30:00+02:00', '2026-10-25T02:30:00+01:00');
    expect(isSmsWindow(repeated)).toBe(true);
    expect(holdsAt(repeated, new Date('2026-10-25T01:00:00Z'))).toBe(true);
  });

  it('and an adjacent one neither overlap nor leave a gap', () => {
    fc.assert(
      fc.property(
        fc.date({ noInvalidDate: true }),
        fc.date({ noInvalidDate: true }),
        (seam, time) => {
          const [before, after] = [
            { validFrom: null, validUntil: seam },
            { validFrom: seam, validUntil: null },
          ];
          expect(holdsAt(before, time)).toBe(!holdsAt(after, time));
        },
      ),
    );
  });
});
