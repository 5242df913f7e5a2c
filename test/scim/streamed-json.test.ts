import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/domain/kernel/json.js';
import {
  type JsonBody,
  startStream,
  type StreamedJson,
  withBatches,
  withParts,
} from '../../src/scim/responses.js';

async function* each<Item>(...items: Item[]): AsyncGenerator<Item, void, undefined> {
  for (const item of items) yield await Promise.resolve(item);
}

const read = async ({ chunks }: StreamedJson): Promise<unknown> => {
  const texts: string[] = [];
  for await (const piece of chunks) texts.push(piece);
  return JSON.parse(texts.join(''));
};

describe('streamed JSON', () => {
  it.each<[string, JsonObject, JsonObject[][]]>([
    ['no batch', { id: 'x' }, []],
    ['empty batches', { id: 'x' }, [[], []]],
    ['one batch', { id: 'x' }, [[{ value: 'a' }]]],
    [
      'batches between empty ones',
      {},
      [[], [{ value: 'a' }, { value: 'b' }], [], [{ value: '"' }]],
    ],
  ])('is the text of the whole object: %s', async (_what, head, batches) => {
    const streamed = withBatches(head, 'members', each(...batches));
    expect(await read(streamed)).toEqual({ ...head, members: batches.flat() });
  });

  it('can contain both objects and streamed objects', async () => {
    const long = withBatches({ id: 'long' }, 'members', each([{ value: 'a' }], [{ value: 'b' }]));
    const empty = withBatches({ id: 'empty' }, 'members', each());
    const parts = each<JsonBody>({ id: 'short' }, long, empty, { id: 'last' });
    expect(await read(withParts({ total: 4 }, 'Resources', parts))).toEqual({
      total: 4,
      Resources: [
        { id: 'short' },
        { id: 'long', members: [{ value: 'a' }, { value: 'b' }] },
        { id: 'empty', members: [] },
        { id: 'last' },
      ],
    });
  });

  it('rejects if the first batch fails', async () => {
    const failing = async function* (): AsyncGenerator<readonly JsonObject[], void, undefined> {
      yield await Promise.reject(new Error('database unavailable'));
    };
    const streamed = withBatches({ id: 'x' }, 'members', failing());
    await expect(startStream(streamed)).rejects.toThrow('database unavailable');
  });

  it('yields the same text after startStream', async () => {
    const streamed = await startStream(
      withBatches({}, 'members', each([{ value: 'a' }], [{ value: 'b' }])),
    );
    expect(await read(streamed)).toEqual({ members: [{ value: 'a' }, { value: 'b' }] });
  });

  it('closes its source if the consumer stops before the first chunk', async () => {
    let isEnded = false;
    const source = async function* (): AsyncGenerator<readonly JsonObject[], void, undefined> {
      try {
        yield await Promise.resolve([{ value: 'a' }]);
        yield [{ value: 'b' }];
      } finally {
        isEnded = true;
      }
    };
    const { chunks } = await startStream(withBatches({}, 'members', source()));
    await chunks[Symbol.asyncIterator]().return?.();
    expect(isEnded).toBe(true);
  });
});
