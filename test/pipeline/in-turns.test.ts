import { describe, expect, it } from 'vitest';
import { each, type Pieces } from '../../src/domain/in-pieces.js';
import { inTurns } from '../../src/pipeline/in-turns.js';
import { turnsGivenBy } from '../support/turns.js';

const chunksOf = function* (count: number): Pieces<string> {
  for (let chunk = 0; chunk < count; chunk += 1) yield;
  return 'done';
};

describe('cooperative work', () => {
  it('returns the result of the work', async () => {
    await expect(inTurns(chunksOf(0))).resolves.toBe('done');
    await expect(inTurns(chunksOf(3))).resolves.toBe('done');
  });

  it('rejects with what the work throws', async () => {
    const failing = function* (): Pieces<never> {
      yield;
      throw new Error('broken');
    };
    await expect(inTurns(failing())).rejects.toThrow('broken');
  });

  it('yields to the event loop once per time slice', async () => {
    const short = await turnsGivenBy(() => inTurns(chunksOf(3)));
    const long = await turnsGivenBy(() => inTurns(chunksOf(1_000)));
    expect(short).toBe(0);
    expect(long).toBeGreaterThanOrEqual(100);
    expect(long).toBeLessThanOrEqual(250);
  });

  it('visits many items in chunks', () => {
    const seen: number[] = [];
    const work = each(Array(1_000).keys(), (item, at) => seen.push(item + at));
    work.next();
    expect(seen.length).toBeLessThanOrEqual(200);
    expect([...work].length).toBeGreaterThanOrEqual(3);
    expect(seen).toEqual([...Array(1_000).keys()].map((item) => item * 2));
  });
});
