import { beforeEach, describe, expect, it } from 'vitest';
import { createLongResponses } from '../../src/http/long-responses.js';

describe('a part of a long response', () => {
  let now = 0;
  let pauses: number[];
  let isBusy: boolean;
  beforeEach(() => {
    pauses = [];
    isBusy = true;
  });

  const readPart = (tookMs: number): Promise<string> => {
    const { read } = createLongResponses({
      isBusy: () => isBusy,
      elapsed: () => now,
      pause: (ms) => Promise.resolve(pauses.push(ms)),
    });
    return read('acme', new AbortController().signal, () => {
      now += tookMs;
      return Promise.resolve('part');
    });
  };

  it.each([
    [5, 20],
    [40, 100],
  ])(
    'that took %i ms is followed by %i ms without reading while commands run',
    async (took, ms) => {
      expect(await readPart(took)).toBe('part');
      expect(pauses).toEqual([ms]);
    },
  );

  it('is followed by the next one at once if no command runs', async () => {
    isBusy = false;
    expect(await readPart(5)).toBe('part');
    expect(pauses).toEqual([]);
  });
});
