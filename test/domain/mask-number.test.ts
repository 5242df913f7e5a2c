import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maskNumbersIn } from '../../src/domain/kernel/names.js';
import { expectQuick } from '../support/expect-quick.js';

describe('a phone number in a text', () => {
  it.each([
    ['+49 171 1234567', '+49•••••••67'],
    ['tel:+1-212-555-0199', '+12•••••••99'],
    ['0171 1234567', '017•••••••67'],
    ['0171/123 45 67', '017•••••••67'],
    ['0171-1234567', '017•••••••67'],
    ['030 12345678', '030•••••••78'],
    ['089 123456', '089•••••••56'],
    ['(030) 123 456-78', '030•••••••78'],
    ['(0171) 1234567', '017•••••••67'],
    ['01 23 45 67 89', '012•••••••89'],
    ['01.23.45.67.89', '012•••••••89'],
    ['020 7946 0958', '020•••••••58'],
    ['(020) 7946 0958', '020•••••••58'],
    ['03-1234-5678', '031•••••••78'],
    ['(02) 9876 5432', '029•••••••32'],
    ['(212) 555-0199', '212•••••••99'],
    ['(212)555-0199', '212•••••••99'],
    ['212-555-0199', '212•••••••99'],
    ['212.555.0199', '212•••••••99'],
    ['212 555 0199', '212•••••••99'],
    ['1-800-555-0199', '180•••••••99'],
    ['Call 0171 1234567, please.', 'Call 017•••••••67, please.'],
    ['"0171 1234567"', '"017•••••••67"'],
    ['Ada (0171 1234567)', 'Ada (017•••••••67)'],
  ])('is masked: %s', (text, masked) => {
    expect(maskNumbersIn(text)).toBe(masked);
  });

  it.each([
    '6f1c2c1e-3b0e-4a58-9d7a-0a4c5b1d2e3f',
    '01234567-8901-4234-8123-456789012345',
    '21255501-2125-4550-8199-212555019900',
    '2026-11-22',
    '2026-11-22T12:00:00.000Z',
    '2026-11-22 12:00:00',
    '22.11.2026',
    '01.02.2026',
    '01/02/2026 10:15',
    '01-02-2026 - 03-04-2026',
    '09:30 - 17:00',
    '00u1234567890',
    '00012345',
    '0123456789',
    '123456789012',
    'E-0171-1234567',
    'room-212-555-0199',
    '123-45-6789',
    '10.0.171.123',
    '192.168.100.200',
    '250 of 1000 seats',
    '12 000 000',
    '1.2.3',
    'Floor 02, room 1234',
    'Team (2026) 2026-11-22',
    'W/"212"',
    '4111 1111 1111 1111',
  ])('is not seen in %s', (text) => {
    expect(maskNumbersIn(text)).toBe(text);
  });

  it('is seen in no UUID, date, instant or whole number', () => {
    const day = fc.date({ noInvalidDate: true, min: new Date(0), max: new Date('2999-12-31') });
    const texts = fc.oneof(
      fc.uuid(),
      fc.integer({ min: 0 }).map(String),
      fc.bigInt({ min: 0n, max: 10n ** 18n }).map(String),
      day.map((date) => date.toISOString()),
      day.map((date) => date.toISOString().slice(0, 10)),
      day.map((date) => date.toISOString().slice(0, 10).split('-').toReversed().join('.')),
    );
    fc.assert(
      fc.property(fc.array(texts, { maxLength: 5 }), (parts) => {
        const text = parts.join(', ');
        expect(maskNumbersIn(text)).toBe(text);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is found in linear time', async () => {
    for (const part of [
      '0',
      '01',
      '01 ',
      '0 1',
      '(0',
      '(02) ',
      '212-',
      '01.23.',
      '1-',
      ' ',
      '(((',
      '+1 ',
    ])
      await expectQuick(() => maskNumbersIn(part.repeat(30_000)));
  });
});
