import { describe, expect, it } from 'vitest';
import { each, type Pieces } from '../../src/domain/in-pieces.js';
import { inTurns } from '../../src/pipeline/in-turns.js';
import { turnsGivenBy } from '../support/turns.js';

const piecesOf = function* (count: number): Pieces<string> {
  for (let piece = 0; piece < count; piece += 1) yield;
  return 'done';
};

describe('work in turns', () => {
  it('comes to what the work comes to', async () => {
    await expect(inTurns(piecesOf(0))).resolves.toBe('done');
    await expect(inTurns(piecesOf(3))).resolves.toBe('done');
  });

  it('ends with what the work throws, wherever it does', async () => {
    const failing = function* (): Pieces<never> {
      yield;
      throw new Error('broken');
    };
    await expect(inTurns(failing())).rejects.toThrow('broken');
  });

  it('gives the event loop back where a slice of it is over, and no more often', async () => {
    const short = await turnsGivenBy(() => inTurns(piecesOf(3)));
    const long = await turnsGivenBy(() => inTurns(piecesOf(1_000)));
    expect(short).toBe(0);
    expect(long).toBeGreaterThanOrEqual(100);
    expect(long).toBeLessThanOrEqual(250);
  });

  it('goes through many things some at a time', () => {
    const seen: number[] = [];
    const work = each(Array(1_000).keys(), (item, at) => seen.push(item + at));
    work.next();
    expect(seen.length).toBeLessThanOrEqual(200);
    expect([...work].length).toBeGreaterThanOrEqual(3);
    expect(seen).toEqual([...Array(1_000).keys()].map((item) => item * 2));
  });
});
