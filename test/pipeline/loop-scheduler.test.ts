import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { LoopScheduler } from '../../src/pipeline/loop-scheduler.js';

const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn += 1) await nextTurn();
};

/** A scheduler with a clock, and the clients that ran. */
const createLoop = () => {
  let now = 0;
  const ran: string[] = [];
  const scheduler = new LoopScheduler(() => now);
  return {
    ran,
    countOf: (client: string): number => ran.filter((name) => name === client).length,
    /** Takes turns of the event loop, each for so many milliseconds. */
    start: async (client: string, slices: number, ms: number): Promise<void> => {
      for (let slice = 0; slice < slices; slice += 1) {
        await scheduler.turn(client);
        ran.push(client);
        now += ms;
      }
    },
  };
};

describe('the event loop', () => {
  it('runs one slice of the work that waits in each turn', async () => {
    const { ran, start } = createLoop();
    for (let work = 0; work < 16; work += 1) void start('reader', 1, 5);
    await nextTurn();
    expect(ran).toHaveLength(1);
    await nextTurn();
    expect(ran).toHaveLength(2);
  });

  it('is shared by time: a client with short slices gets more of them', async () => {
    const { countOf, start } = createLoop();
    void start('long', 100, 5);
    void start('short', 100, 1);
    await turns(60);
    expect(countOf('short') / countOf('long')).toBeGreaterThan(4);
    expect(countOf('short') / countOf('long')).toBeLessThan(6);
  });

  it('is shared by client: sixteen loops of one get as much as one of another', async () => {
    const { countOf, start } = createLoop();
    for (let work = 0; work < 16; work += 1) void start('sixteen', 50, 5);
    void start('one', 50, 5);
    await turns(40);
    expect(Math.abs(countOf('one') - countOf('sixteen'))).toBeLessThanOrEqual(2);
  });

  it('gives the next slice to a client that has just come', async () => {
    const { ran, start } = createLoop();
    for (let work = 0; work < 16; work += 1) void start('reader', 50, 5);
    await turns(10);
    void start('new', 1, 1);
    await turns(2);
    expect(ran.slice(-4)).toContain('new');
  });

  it('never starves a client, even if new clients keep coming', async () => {
    const { countOf, start } = createLoop();
    void start('reader', 100, 5);
    for (let turn = 0; turn < 100; turn += 1) {
      void start(`new ${turn}`, 1, 1);
      await nextTurn();
    }
    expect(countOf('reader')).toBeGreaterThanOrEqual(5);
  });
});
