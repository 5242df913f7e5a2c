import { describe, expect, it } from 'vitest';
import { createFairSlots } from '../../../src/http/json/fair-slots.js';

const NEVER = new AbortController().signal;

/** Slots whose work ends when the test says so. */
const setUp = (count: number) => {
  const slots = createFairSlots(count);
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const run = (name: string, signal: AbortSignal = NEVER): Promise<string> =>
    slots.run(name.charAt(0), signal, async () => {
      begun.push(name);
      await new Promise<void>((end) => ends.set(name, end));
      return name;
    });
  /** Ends it, and lets everything happen that follows. */
  const end = async (name: string): Promise<void> => {
    ends.get(name)?.();
    await new Promise(setImmediate);
  };
  return { begun, run, end };
};

const settle = (): Promise<unknown> => new Promise(setImmediate);

describe('fair slots', () => {
  it('do so much at once, and the rest in turns of the keys', async () => {
    const { begun, run, end } = setUp(2);
    const all = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'].map((name) => run(name));
    await settle();
    expect(begun).toEqual(['a1', 'a2']);
    for (const name of ['a1', 'a2', 'a3', 'b1', 'c1', 'a4', 'b2']) await end(name);
    expect(begun).toEqual(['a1', 'a2', 'a3', 'b1', 'c1', 'a4', 'b2']);
    expect(await Promise.all(all)).toHaveLength(7);
  });

  it('leave out who has gone', async () => {
    const { begun, run, end } = setUp(1);
    const gone = new AbortController();
    const first = run('a1');
    const second = expect(run('a2', gone.signal)).rejects.toThrow('gone');
    const third = run('a3');
    gone.abort(new Error('gone'));
    await second;
    await end('a1');
    await end('a3');
    expect(begun).toEqual(['a1', 'a3']);
    expect(await Promise.all([first, third])).toEqual(['a1', 'a3']);
    await expect(run('a4', gone.signal)).rejects.toThrow('gone');
  });

  it('are free again after work that failed', async () => {
    const slots = createFairSlots(1);
    const broken = slots.run('a', NEVER, () => Promise.reject(new Error('broken')));
    const next = slots.run('a', NEVER, () => Promise.resolve('done'));
    await expect(broken).rejects.toThrow('broken');
    expect(await next).toBe('done');
  });
});
