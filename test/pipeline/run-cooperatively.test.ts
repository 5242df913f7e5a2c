import { describe, expect, it } from 'vitest';
import { each, type Chunked } from '../../src/domain/kernel/chunked.js';
import { runCooperatively } from '../../src/pipeline/loop-scheduler.js';
import { countYields } from '../support/turns.js';

const chunksOf = function* (count: number): Chunked<string> {
  for (let chunk = 0; chunk < count; chunk += 1) yield;
  return 'done';
};

describe('cooperative work', () => {
  it('returns the result of the work', async () => {
    await expect(runCooperatively(chunksOf(0))).resolves.toBe('done');
    await expect(runCooperatively(chunksOf(1))).resolves.toBe('done');
  });

  it('rejects with what the work throws', async () => {
    const failing = function* (): Chunked<never> {
      yield;
      throw new Error('broken');
    };
    await expect(runCooperatively(failing())).rejects.toThrow('broken');
  });

  it('yields to the event loop once per time slice', async () => {
    const short = await countYields(() => runCooperatively(chunksOf(1)));
    const long = await countYields(() => runCooperatively(chunksOf(1_000)));
    expect(short).toBe(0);
    expect(long).toBeGreaterThanOrEqual(100);
    expect(long).toBeLessThanOrEqual(625);
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
