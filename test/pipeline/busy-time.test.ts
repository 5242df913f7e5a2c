import { beforeEach, describe, expect, it } from 'vitest';
import { type BusyTime, createBusyTime } from '../../src/pipeline/busy-time.js';

let now: number;
let busyTime: BusyTime;

beforeEach(() => {
  now = 0;
  busyTime = createBusyTime(() => now);
});

/** Works and rests in turns for so long; tells how often it was busy, looking at each turn's end. */
const workFor = (totalMs: number, { work, rest }: { work: number; rest: number }): number => {
  let [busy, turns] = [0, 0];
  for (const end = now + totalMs; now < end; turns += 1) {
    busyTime.turned(true);
    now += work;
    busyTime.turned(false);
    now += rest;
    if (busyTime.isBusy()) busy += 1;
  }
  return busy / turns;
};

describe('a gateway', () => {
  it('is not busy without work', () => {
    now = 10_000;
    expect(busyTime.isBusy()).toBe(false);
  });

  it('is busy while one long work lasts, and soon no longer after it', () => {
    busyTime.turned(true);
    now += 100;
    expect(busyTime.isBusy()).toBe(false);
    now += 100;
    expect(busyTime.isBusy()).toBe(true);
    now += 60_000;
    busyTime.turned(false);
    now += 150;
    expect(busyTime.isBusy()).toBe(true);
    now += 50;
    expect(busyTime.isBusy()).toBe(false);
  });

  it('is busy where one work follows the other, in the gaps too', () => {
    workFor(1_000, { work: 12, rest: 3 });
    expect(workFor(1_000, { work: 12, rest: 3 })).toBe(1);
  });

  it('is not busy where a short work comes now and then', () => {
    workFor(1_000, { work: 8, rest: 42 });
    expect(workFor(1_000, { work: 8, rest: 42 })).toBe(0);
  });
});
