import { describe, expect, it } from 'vitest';
import { FairSlots } from '../../src/pipeline/fair-slots.js';

const NEVER = new AbortController().signal;

/** Slots whose work ends when the test says so. */
const setUp = (count: number) => {
  const slots = new FairSlots({ overall: count });
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
  it('run a limited number at once, and serve waiting keys in turn', async () => {
    const { begun, run, end } = setUp(2);
    const all = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'].map((name) => run(name));
    await settle();
    expect(begun).toEqual(['a1', 'a2']);
    for (const name of ['a1', 'a2', 'a3', 'b1', 'c1', 'a4', 'b2']) await end(name);
    expect(begun).toEqual(['a1', 'a2', 'a3', 'b1', 'c1', 'a4', 'b2']);
    expect(await Promise.all(all)).toHaveLength(7);
  });

  it('skip a caller that has aborted', async () => {
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

  it('are free again after work fails', async () => {
    const slots = new FairSlots({ overall: 1 });
    const broken = slots.run('a', NEVER, () => Promise.reject(new Error('broken')));
    const next = slots.run('a', NEVER, () => Promise.resolve('done'));
    await expect(broken).rejects.toThrow('broken');
    expect(await next).toBe('done');
  });

  it('leave slots to other keys where one key has a limit', async () => {
    const slots = new FairSlots({ overall: 3, perKey: 2, waitingPerKey: 1 });
    const first = await slots.take('a', NEVER);
    await slots.take('a', NEVER);
    const third = slots.take('a', NEVER);
    await expect(slots.take('a', NEVER)).rejects.toThrow('Too many callers wait');

    const other = await slots.take('b', NEVER);

    first();
    const release = await third;
    // A second release of the same slot frees nothing: three are held.
    first();
    const aborted = new AbortController();
    const fourth = expect(slots.take('c', aborted.signal)).rejects.toThrow('gone');
    aborted.abort(new Error('gone'));
    await fourth;
    other();
    release();
    expect(await slots.take('c', NEVER)).toBeTypeOf('function');
  });
});
