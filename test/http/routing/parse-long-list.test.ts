import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { atOnce } from '../../../src/domain/in-pieces.js';
import { RefusalError } from '../../../src/domain/refusals.js';
import { NATIVE_RULES } from '../../../src/http/json/parse-json.js';
import { screenJson } from '../../../src/http/json/screen-json.js';
import { parseLongList, parseWith } from '../../../src/http/routing/explain-issues.js';

const Schema = z.strictObject({
  members: z.array(z.strictObject({ id: z.string().min(1), tx: z.boolean().default(false) })),
  note: z.string().optional(),
});

const idsTo = (length: number): { id: unknown }[] =>
  Array.from({ length }, (_, at) => ({ id: `id-${at}` }));

const outcomeOf = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    if (error instanceof RefusalError) return error.refusal;
    throw error;
  }
};

const whole = (body: unknown) => outcomeOf(() => parseWith(Schema, 'body', body));
const inParts = (body: unknown) => outcomeOf(() => atOnce(parseLongList(Schema, 'members', body)));

/** A long list with something else at some places. */
const spoilt = (places: readonly number[], by: unknown): unknown => {
  const members: unknown[] = idsTo(1_000);
  for (const at of places) members[at] = by;
  return { members };
};

describe('a long list in a body', () => {
  it.each<[string, unknown]>([
    ['of good entries', { members: idsTo(1_000), note: 'n' }],
    ['that is empty', { members: [] }],
    ['that is short', { members: idsTo(3) }],
    ['that is none', { members: 'x' }],
    ['that is missing', {}],
    ['of no object', [1, 2]],
    ['with faults in every part', spoilt([0, 255, 256, 511, 512, 999], { id: '' })],
    ['with fields that nobody knows', spoilt([300, 700], { id: 'a', more: 1 })],
    ['with entries that are no objects', spoilt([998], null)],
    ['beside a field that nobody knows', { members: idsTo(1_000), more: 1 }],
    ['beside a fault', { members: [{}, ...idsTo(600)], note: 7 }],
    ['with more faults than are told', { members: Array.from({ length: 1_000 }, () => ({})) }],
  ])('is read as if it were read in one go: one %s', (_name, body) => {
    const { details, ...refusal } = inParts(body) as { readonly details?: unknown[] };
    const { details: expected, ...expectedRefusal } = whole(body) as typeof refusal & {
      readonly details?: unknown[];
    };
    expect(refusal).toEqual(expectedRefusal);
    // Those of the body itself are told with those of its first entries.
    expect(new Set(details)).toEqual(new Set(expected));
  });

  it('is read in pieces, and so is the text it comes in', () => {
    const body = { members: idsTo(2_000) };
    expect([...parseLongList(Schema, 'members', body)].length).toBeGreaterThanOrEqual(7);
    const text = JSON.stringify({ members: idsTo(20_000) });
    const pieces = [...screenJson(text, NATIVE_RULES)].length;
    expect(pieces).toBeGreaterThanOrEqual(Math.floor(text.length / 65_536));
  });
});
