import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { streamJsonArray } from '../../src/plugin/api.js';

async function* chunksOf(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size)
    yield await Promise.resolve(bytes.subarray(at, at + size));
}

/** Whole numbers that a double does not hold exactly are read as texts. */
const withDigits = (_key: string, value: unknown): unknown =>
  typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(String(value))
    ? String(value)
    : value;

const read = async (text: string, size = 7): Promise<readonly unknown[]> => {
  const items: unknown[] = [];
  const request = { key: 'rows', source: 'The report' };
  for await (const item of streamJsonArray(chunksOf(Buffer.from(text), size), request))
    items.push(item);
  return items;
};

describe('a list in a stream of JSON', () => {
  it('is read wherever it is and however it is cut into chunks', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          before: fc.dictionary(
            fc.string().filter((key) => key !== 'rows'),
            fc.jsonValue(),
          ),
          rows: fc.array(fc.dictionary(fc.string(), fc.jsonValue())),
          after: fc.dictionary(
            fc.string().filter((key) => key !== 'rows'),
            fc.jsonValue(),
          ),
          indent: fc.integer({ min: 0, max: 2 }),
          size: fc.integer({ min: 1, max: 40 }),
        }),
        async ({ before, rows, after, indent, size }) => {
          // Keys of `after` must not move the list: an object has each key once.
          const document = { ...before, rows, [`after ${indent}`]: after };
          const text = JSON.stringify(document, null, indent);
          expect(await read(text, size)).toEqual(JSON.parse(JSON.stringify(rows), withDigits));
        },
      ),
      { numRuns: 100 },
    );
  });

  it.each([
    ['{"rows": []}', []],
    [' {"a":"rows","b":{"rows":[1]},"rows" : [ {"x":"]}\\""} ] , "c":[[]]} ', [{ x: ']}"' }]],
    ['{"n":-1.5e3,"t":true,"rows":[{}]}', [{}]],
  ])('is read from %s', async (text, items) => {
    expect(await read(text)).toEqual(items);
  });

  it.each([
    ['', 'is cut'],
    ['{"rows": [{"a": 1}', 'is cut'],
    ['{"rows": [{"a": 1}]', 'is cut'],
    ['{"rows": [{"a": "', 'is cut'],
    ['{}', 'has no list named rows'],
    ['{"other": {"rows": []}}', 'has no list named rows'],
    ['{"rows": null}', 'has no list named rows'],
    ['{"rows": {"a": 1}}', 'has no list named rows'],
    ['{"rows": [1]}', 'something else than objects'],
    ['{"rows": [{} {}]}', 'something else than objects'],
    ['{"rows": [{"a": }]}', 'is not JSON'],
    ['[{"a": 1}]', 'is not a JSON object'],
    ['<html></html>', 'is not a JSON object'],
    ['{"rows": []} x', 'continues after its end'],
  ])('is an error in %s', async (text, message) => {
    await expect(read(text)).rejects.toMatchObject({
      kind: 'schema',
      message: expect.stringContaining(message) as string,
    });
  });

  it('is a network error if the connection breaks', async () => {
    async function* body(): AsyncGenerator<Uint8Array> {
      yield await Promise.resolve(Buffer.from('{"rows": [{"a": 1}'));
      throw new Error('ECONNRESET');
    }
    const reading = (async () => {
      for await (const _ of streamJsonArray(body(), { key: 'rows', source: 'The report' }));
    })();
    await expect(reading).rejects.toMatchObject({ kind: 'network' });
  });
});
