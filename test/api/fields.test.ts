import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import {
  flagField,
  identifierField,
  lineField,
  PAGE_FIELDS,
  timeField,
} from '../../src/routes/fields.js';

const read = (field: z.ZodType, value: unknown): unknown => {
  const parsed = field.safeParse(value);
  return parsed.success ? parsed.data : 'refused';
};

describe('fields of a query', () => {
  it.each([
    [undefined, 100],
    ['1', 1],
    ['500', 500],
    ['0', 'refused'],
    ['501', 'refused'],
    ['05', 5],
    ['', 'refused'],
    ['1.0', 'refused'],
    ['0x10', 'refused'],
    ['٣', 'refused'],
    [5, 'refused'],
  ])('limit %j → %j', (text, value) => {
    expect(read(PAGE_FIELDS.limit, text)).toBe(value);
  });

  it.each([
    [undefined, 0],
    ['0', 0],
    ['999999999', 999_999_999],
    ['9999999999', 'refused'],
    ['-1', 'refused'],
  ])('offset %j → %j', (text, value) => {
    expect(read(PAGE_FIELDS.offset, text)).toBe(value);
  });

  it.each([
    ['true', true],
    ['false', false],
    ['True', 'refused'],
    ['1', 'refused'],
    ['', 'refused'],
  ])('flag %j → %j', (text, value) => {
    expect(read(flagField(), text)).toBe(value);
  });

  it.each([
    ['2026-01-31T12:00:00Z', true],
    ['2026-01-31T12:00:00.123+02:00', true],
    ['2026-01-31', false],
    ['2026-02-30T12:00:00Z', false],
    ['2026-01-31T12:00:00', false],
    ['0000-00-00T00:00:00Z', false],
    ['0000-01-01T00:00:00Z', true],
    ['0000-01-01T00:00:00+00:01', false],
    ['9999-12-31T23:59:59.999Z', true],
    ['9999-12-31T23:59:59.999-00:01', false],
  ])('time %j is accepted: %j', (text, taken) => {
    expect(read(timeField(), text) !== 'refused').toBe(taken);
  });
});

describe('fields of text', () => {
  it.each([
    ['Zoë Ünal-O’Brien 🚒', true],
    ['x'.repeat(20), true],
    ['x'.repeat(21), false],
    ['', false],
    ['two\nlines', false],
    ['a\ttab', false],
    ['bell\u0007', false],
    ['next line\u0085', false],
    ['\u200fשלום', true],
  ])('a line of at most 20 characters accepts %j: %j', (text, taken) => {
    expect(read(lineField(20), text) === text).toBe(taken);
  });

  it.each(['a\u202eb', 'a\u2066b', 'a\u200eb', 'a\u061cb', 'a\u200bb', 'a\u00a0b'])(
    'an identifier refuses %j, which looks like another one',
    (text) => {
      expect(read(identifierField(20), text)).toBe('refused');
      expect(read(lineField(20), text)).toBe(text);
    },
  );
});
