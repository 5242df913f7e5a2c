import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { runSync } from '../../../src/domain/kernel/chunked.js';
import { RefusalError } from '../../../src/domain/kernel/refusals.js';
import { NATIVE_RULES } from '../../../src/http/json/parse-json.js';
import { checkJson } from '../../../src/http/json/check-json.js';
import { parseBody, parseWith } from '../../../src/http/routing/validate.js';

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
const inParts = (body: unknown) => outcomeOf(() => runSync(parseBody(Schema, body, 'members')));

/** A long array with other items at some indexes. */
const invalidAt = (places: readonly number[], by: unknown): unknown => {
  const members: unknown[] = idsTo(1_000);
  for (const at of places) members[at] = by;
  return { members };
};

describe('a name that may be personal data', () => {
  const Named = z.strictObject({ of: z.record(z.string(), z.strictObject({ tx: z.boolean() })) });
  it.each([
    [{ '+49151': 1, of: {} }, '', 'contains an unknown field'],
    [{ of: { '+49151': 1 } }, 'of', 'contains a field that must be an object'],
    [{ of: { '+49151': { tx: 1 } } }, 'of', 'contains a field that must be true or false'],
    [{ of: { '+49151': { tx: true, y: 1 } } }, 'of', 'contains an unknown field'],
    [{ of: { ada: { tx: 1 } } }, 'of.ada.tx', 'must be true or false'],
  ])('is not repeated: %j', (body, path, message) => {
    expect(outcomeOf(() => parseWith(Named, 'body', body))).toMatchObject({
      details: [{ path, message }],
    });
  });

  it('of a list that is too long is not repeated', () => {
    const body = { '+49151': Array(1_001).fill(0) };
    expect(outcomeOf(() => runSync(parseBody(Named, body)))).toMatchObject({
      details: [{ path: '', message: 'contains a field that must have at most 1000 items' }],
    });
  });
});

describe('a long array in a body', () => {
  it.each<[string, unknown]>([
    ['with valid items', { members: idsTo(1_000), note: 'n' }],
    ['that is empty', { members: [] }],
    ['that is short', { members: idsTo(3) }],
    ['that is none', { members: 'x' }],
    ['without the array', {}],
    ['of no object', [1, 2]],
    ['with invalid items in all chunks', invalidAt([0, 255, 256, 511, 512, 999], { id: '' })],
    ['with unknown fields', invalidAt([300, 700], { id: 'a', more: 1 })],
    ['with items that are not objects', invalidAt([998], null)],
    ['next to an unknown field', { members: idsTo(1_000), more: 1 }],
    ['beside a fault', { members: [{}, ...idsTo(600)], note: 7 }],
    [
      'with more invalid items than details',
      { members: Array.from({ length: 1_000 }, () => ({})) },
    ],
  ])('is parsed like a short one: %s', (_name, body) => {
    const { details, ...refusal } = inParts(body) as { readonly details?: unknown[] };
    const { details: expected, ...expectedRefusal } = whole(body) as typeof refusal & {
      readonly details?: unknown[];
    };
    expect(refusal).toEqual(expectedRefusal);
    // Issues of the body itself are reported with the first chunk.
    expect(new Set(details)).toEqual(new Set(expected));
  });

  it('is parsed in chunks, like its text', () => {
    const body = { members: idsTo(2_000) };
    expect([...parseBody(Schema, body, 'members')].length).toBeGreaterThanOrEqual(7);
    const text = JSON.stringify({ members: idsTo(20_000) });
    const pieces = [...checkJson(text, NATIVE_RULES)].length;
    expect(pieces).toBeGreaterThanOrEqual(Math.floor(text.length / 65_536));
  });
});
